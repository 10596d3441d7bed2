"""The offline reviewer: reviews without a model, by ruff and by patterns, over the same API and with the same tools."""

import json
from collections.abc import Sequence

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from local.model.answers import Answer, Request, failure, text, tools
from local.model.offline import words
from local.model.offline.changes import Change
from local.model.offline.conflicts import conflicts
from local.model.offline.kinds import is_python
from local.model.offline.leaks import Leak, leak_problem, leaks, visible_part, without
from local.model.offline.meant import PythonFile
from local.model.offline.problem import Problem, condensed, gravity
from local.model.offline.python_problems import python_problems
from local.model.offline.question import Extract, Find, understand
from local.model.offline.reading import next_reads
from local.model.offline.report import NotOurs, OfflineReport, read_report, show_problem, write_report
from local.model.offline.ruff_run import RuffFailed
from local.model.tokens import BYTES_PER_TOKEN, tokens_in

MOST_TURNS = 20
_ROOM_FOR_THE_REST_TOKENS = 1500


class OfflineReviewer:
    """Answers the two questions of a review: find problems in these changes, and put your report into this schema.

    It keeps nothing between requests: all that it knows of a conversation stands in the conversation.
    """

    def answer(self, request: Request) -> Answer:
        """Answer one request by what it asks."""
        match understand(request):
            case Find() as find:
                return _find(find)
            case Extract() as extract:
                return _extract(extract)
            case _:
                return text(words.CANNOT)


def _find(find: Find) -> Answer:
    """Read on while there is something to read, then report."""
    if find.may_read and find.turns < MOST_TURNS and (calls := next_reads(find.changes, find.read, find.tokens)):
        return tools(*calls)
    whole = {path: lines for path, file in find.read.items() if (lines := file.whole) is not None}
    try:
        problems, unread = look(find.changes, whole)
    except RuffFailed as error:
        return failure(500, f"the offline reviewer cannot work: {error}")
    said, left_out = _fitting(problems, find.max_tokens)
    sentences = [words.what_changed(find.changes), words.unread(unread), words.left_out(left_out)]
    what_changed = f"{words.WHO}\n\n{' '.join(filter(None, sentences))}"
    return text(write_report(what_changed, words.strengths(find.changes), said))


def look(changes: Sequence[Change], whole: dict[str, list[str]]) -> tuple[list[Problem], dict[str, str]]:
    """Find every problem on the changed lines, and say of which files the content could not be had.

    `whole` has the lines of the head's files by path; raises RuffFailed.
    """
    present = [change for change in changes if change.is_text_at_head]
    leaked = {change.path: leaks(change) for change in present}
    merged = [problem for change in present for problem in conflicts(change)]
    torn = {problem.path for problem in merged}
    python = [change for change in present if is_python(change.path) and change.path not in torn]
    readable = [PythonFile(change, whole[change.path]) for change in python if change.path in whole]
    checked = [_discreet(problem, leaked[problem.path]) for problem in python_problems(readable)]
    told = [leak_problem(change, leak, leaked[change.path]) for change in present for leak in leaked[change.path]]
    unread = {change.path: "it was not read in full" for change in python if change.path not in whole}
    return condensed([*merged, *told, *checked]), unread


def _discreet(problem: Problem, leaked: Sequence[Leak]) -> Problem:
    """The problem without the secrets that stand on its lines."""
    for leak in leaked:
        problem = _without(problem, leak)
    return problem


def _without(problem: Problem, leak: Leak) -> Problem:
    title, why = without(leak.value, problem.title), without(leak.value, problem.explanation)
    quote, replacement, end = problem.quote, problem.replacement, problem.end_line
    if problem.start_line <= leak.line <= end and leak.value in quote:
        rows = quote.split("\n")[: leak.line - problem.start_line + 1]
        quote = "\n".join([*rows[:-1], visible_part(rows[-1], leak)])
        replacement, end = None, leak.line
    fields = {**vars(problem), "title": title, "explanation": why, "quote": quote, "end_line": end}
    return Problem(**{**fields, "replacement": replacement})


def _fitting(problems: Sequence[Problem], max_tokens: int) -> tuple[list[Problem], int]:
    """As many problems, the gravest first, as the answer has room for; and how many it has not."""
    room = max_tokens - _ROOM_FOR_THE_REST_TOKENS
    kept: list[Problem] = []
    for problem in sorted(problems, key=gravity):
        room -= tokens_in(show_problem(len(kept) + 1, problem)) + 1
        if room < 0:
            break
        kept.append(problem)
    return kept, len(problems) - len(kept)


def _extract(extract: Extract) -> Answer:
    """Read our own report back; of anybody else's nothing is taken, and that is said."""
    try:
        report = read_report(extract.report)
    except NotOurs:
        report = OfflineReport(words.NOT_MINE)
    filled = json.dumps(report.as_answer())
    if len(filled) > extract.max_tokens * BYTES_PER_TOKEN:
        return failure(400, "the offline reviewer's answer does not fit into max_tokens")
    complaint = next(Draft202012Validator(extract.schema).iter_errors(report.as_answer()), None)
    if complaint:
        return failure(
            400, f"the offline reviewer cannot fill this schema: {complaint.json_path}: {complaint.validator}"
        )
    return text(filled)
