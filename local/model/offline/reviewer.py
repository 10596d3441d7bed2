"""The offline reviewer: reviews without a model, by ruff and by patterns, over the same API and with the same tools."""

import json
from collections.abc import Sequence

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from local.model.answers import Answer, Request, failure, text, tools
from local.model.offline import words
from local.model.offline.earlier import Outcome, to_read
from local.model.offline.judge import decided
from local.model.offline.kinds import is_python
from local.model.offline.look_back import look_back
from local.model.offline.problem import Problem, condensed, gravity
from local.model.offline.question import Extract, Find, Judge, Read, Talk, understand
from local.model.offline.reading import next_reads
from local.model.offline.report import (
    NotOurs,
    OfflineReport,
    read_report,
    show_outcome,
    show_problem,
    write_report,
)
from local.model.offline.ruff_run import RuffFailed
from local.model.offline.sight import look_at
from local.model.offline.talk import Told, Unread, read_for, where
from local.model.tokens import BYTES_PER_TOKEN, tokens_in

MOST_TURNS = 20
_ROOM_FOR_THE_REST_TOKENS = 1500


class OfflineReviewer:
    """Answers the questions of a review: find problems in these changes, look again, put your report into this schema.

    As the judge it keeps what it is shown: every candidate is a match of a rule of its own.

    To people who talk with it, it says by its rules how a finding stands, and that it has not understood a word.

    Of a reply to a finding it never says that it decides anything: it has no rules for what people mean.

    Of several reviewers of the same changes only the one who sums up finds anything: its rules are all the same.

    It keeps nothing between requests: all that it knows of a conversation stands in the conversation.
    """

    def answer(self, request: Request) -> Answer:
        """Answer one request by what it asks."""
        match understand(request):
            case Find() as find:
                return _find(find) if find.leads else text(words.NOTHING)
            case Judge() as judge:
                return _fitting_in(decided(judge), judge.max_tokens)
            case Extract() as extract:
                return _extract(extract)
            case Read() as read:
                return _filled({"words": "", "doubt": "none", "decision": "none"}, read)
            case Talk() as talk:
                return _talk(talk)
            case _:
                return text(words.CANNOT)


def _find(find: Find) -> Answer:
    """Read on while there is something to read, then report."""
    if find.may_read and find.turns < MOST_TURNS:
        back = to_read(find.earlier, find.changes)
        # Other files are read once, to have seen what stands around the changes: the rules need only what is shown.
        changes = [change for change in find.changes if is_python(change.path)] if find.again else find.changes
        if calls := next_reads(changes, back, find.read, find.tokens):
            return tools(*calls)
    try:
        return text(_report(find))
    except RuffFailed as error:
        return failure(500, f"the offline reviewer cannot work: {error}")


def _talk(talk: Talk) -> Answer:
    """In a thread, read the file once, then say how its finding stands; elsewhere, say which findings are open."""
    if not talk.in_thread:
        still_open = [told for told in talk.findings if told.is_open]
        return text(words.answered(words.open_findings([_named(told) for told in still_open], talk.more)))
    if not talk.findings:
        return text(words.answered(words.NO_FINDING))
    told = talk.findings[0]
    if talk.may_read and (call := read_for(told, talk.read)):
        return tools(call)
    return text(words.answered(*_standing(told, talk)))


def _standing(told: Told, talk: Talk) -> tuple[str, ...]:
    """Say where the code of a finding is now; what is gone is conceded, unless somebody has closed it before."""
    closed = () if told.is_open else (words.closed(told.status),)
    try:
        place = where(told, talk.read.get(told.path))
    except Unread:
        return (words.cannot_see(told.path), *closed)
    if place is None:
        return (words.code_is_gone(told.path), *(closed or (words.CONCEDED,)))
    said = words.code_stands if place.as_quoted else words.code_is_other
    return (said(told.path, place.line, told.explanation, is_open=told.is_open), *closed)


def _named(told: Told) -> str:
    place = f"{told.path}:{told.line}" if told.line else told.path
    return f"[{told.severity}] {told.title} (`{place}`)"


def _report(find: Find) -> str:
    """Look at what was read, at the changed lines and back; what an earlier finding says already is not said again."""
    sight = look_at({path: lines for path, file in find.read.items() if (lines := file.whole) is not None})
    problems = sight.problems(find.changes)
    outcomes, known = look_back(find.earlier, find.changes, find.read, sight, problems)
    fresh = condensed(problem for problem in problems if problem.spot not in known)
    if find.again and not find.earlier and not fresh:
        return words.NOTHING
    room = find.max_tokens - _ROOM_FOR_THE_REST_TOKENS
    answered = _answered(outcomes, room // 2)
    fitting = _fitting(fresh, room - sum(_weight(outcome) for outcome in answered))
    said = [sight.with_sound_replacement(problem) for problem in fitting]
    sentences = [
        words.what_changed(find.changes),
        words.unchecked(sight.unchecked(find.changes)),
        words.unread(sight.unread(find.changes)),
        words.left_out(len(fresh) - len(said)),
        words.unanswered(len(outcomes) - len(answered)),
    ]
    what_changed = f"{words.WHO}\n\n{' '.join(filter(None, sentences))}"
    return write_report(what_changed, words.strengths(find.changes), said, answered)


def _answered(outcomes: Sequence[Outcome], room: int) -> list[Outcome]:
    """As many answers as there is room for; one that tells nothing is the first to go."""
    kept: list[Outcome] = []
    for outcome in sorted(outcomes, key=lambda each: each.answer == "CANNOT_TELL"):
        room -= _weight(outcome)
        if room < 0:
            break
        kept.append(outcome)
    return kept


def _weight(outcome: Outcome) -> int:
    return tokens_in(show_outcome(1, outcome)) + 2


def _fitting(problems: Sequence[Problem], room: int) -> list[Problem]:
    """As many problems, the gravest first, as the answer has room for, in tokens."""
    kept: list[Problem] = []
    for problem in sorted(problems, key=gravity):
        room -= tokens_in(show_problem(len(kept) + 1, problem)) + 1
        if room < 0:
            break
        kept.append(problem)
    return kept


def _extract(extract: Extract) -> Answer:
    """Read our own report back; of anybody else's nothing is taken, and that is said."""
    try:
        report = read_report(extract.report)
    except NotOurs:
        report = OfflineReport(words.NOT_MINE)
    return _filled(report.as_answer(extract.schema), extract)


def _filled(answer: object, question: Extract | Read) -> Answer:
    """Answer in the schema; where that cannot be, fail as a service does."""
    complaint = next(Draft202012Validator(question.schema).iter_errors(answer), None)
    if complaint:
        return failure(
            400, f"the offline reviewer cannot fill this schema: {complaint.json_path}: {complaint.validator}"
        )
    return _fitting_in(answer, question.max_tokens)


def _fitting_in(answer: object, max_tokens: int) -> Answer:
    """Answer in JSON; fail where that is longer than an answer may be."""
    filled = json.dumps(answer)
    if len(filled) > max_tokens * BYTES_PER_TOKEN:
        return failure(400, "the offline reviewer's answer does not fit into max_tokens")
    return text(filled)
