"""Carry: what holds of an unposted review at the new head, and the findings that are judged again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kodiai.core.code.parser import CodeParser
from kodiai.core.conversation.stance import Stance
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.locate import locate
from kodiai.core.findings.places import Located
from kodiai.core.findings.report import Reported
from kodiai.core.findings.source import Source
from kodiai.core.plan.candidate import UNDECIDED, JudgeDecision
from kodiai.core.plan.earlier import mentioned_words, names_of
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.unposted import UnpostedAnswer
from kodiai.core.repository.view import RepositoryView


def carry(
    review_input: ReviewInput, source: Source, parser: CodeParser, *, can_judge: bool
) -> tuple[tuple[JudgeDecision, ...], tuple[Reported, ...]]:
    """Split what was decided about code that has not changed since: into what holds, and what is judged again.

    A new hunk that mentions a name of a finding's code may have fixed it; `can_judge` is whether anybody can be asked.
    Findings whose hunk changed are left out: that hunk is read again.
    """
    unposted = review_input.unposted
    if unposted is None:
        return (), ()
    mentioned = mentioned_words(review_input, review_input.since) if can_judge else frozenset[str]()
    holding: list[JudgeDecision] = []
    again: list[Reported] = []
    for decision in unposted.decisions:
        finding = _at_head(review_input, decision.finding, source)
        if finding is None or decision.outcome == UNDECIDED:  # the file of one that is undecided is read again
            continue
        if decision.outcome == "kept" and not finding.by_code and not mentioned.isdisjoint(names_of(finding, parser)):
            reported = decision.candidate.finding.model_copy(update={"path": finding.path})
            again.append(Reported(decision.candidate.reviewer, reported, decision.candidate.depends_on))
        else:
            holding.append(replace(decision, finding=finding))
    return tuple(holding), tuple(again)


def carried_answers(
    review_input: ReviewInput, stances: Mapping[str, Stance], view: RepositoryView
) -> dict[str, UnpostedAnswer]:
    """The answers about earlier findings that hold, by finding id; the other findings are asked about again.

    One holds if the code that it goes by and the code of the finding are as they were read, no new hunk mentions a name
    of either, and nobody has said anything since.
    """
    if not review_input.unposted_answers:
        return {}
    since, source = review_input.since, Source(view.lines, review_input.files, view.tree.paths())
    mentioned = mentioned_words(review_input, since)
    known = {each.id: each for each in review_input.known}
    holding = {}
    for each in review_input.unposted_answers:
        update, own = each.update, each.update.finding
        if known.get(update.id) != update.before or replace(stances[update.id], unread=()) != update.stance:
            continue
        path = source.find(since.path_now(each.said.path or own.path))
        if path is None:
            continue
        shown = own.model_copy(update={"path": path, "quote": each.said.quote})
        names = names_of(own, view.parser) | names_of(shown, view.parser)
        if mentioned.isdisjoint(names) and _stands(review_input, own, shown, source):
            evidence = replace(each.evidence, path=since.path_now(each.evidence.path)) if each.evidence else None
            said = each.said.model_copy(update={"path": path})
            holding[update.id] = replace(each, said=said, evidence=evidence)
    return holding


def numbered(decisions: Sequence[JudgeDecision], after: int) -> list[JudgeDecision]:
    """The decisions with the numbers of their candidates counted on."""
    return [
        replace(each, candidate=replace(each.candidate, number=number))
        for number, each in enumerate(decisions, after + 1)
    ]


def _at_head(review_input: ReviewInput, finding: Finding, source: Source) -> Finding | None:
    """The finding at its lines of now, None if its own hunk, or that of its cause, is not what was read."""
    path = review_input.since.path_now(finding.path)
    place = locate(finding.quote, path, finding.start_line, source)
    if not _is_as_read(review_input, finding.path, path, place):
        return None
    if finding.cause is not None:
        cause = review_input.since.path_now(finding.cause.path)
        if not _is_as_read(review_input, finding.cause.path, cause, locate(finding.cause.quote, cause, None, source)):
            return None
    moved: dict[str, object] = {"path": path}
    if place is not None and not place.removed:
        moved |= {"start_line": place.start_line, "end_line": place.end_line}
        if finding.replaces is not None:
            by = place.start_line - finding.start_line
            # Lines around the quote, or other ones, do not tell how far those of the replacement have moved.
            is_exact = by == place.end_line - finding.end_line
            shifted = {"replaces": (finding.replaces[0] + by, finding.replaces[1] + by)}
            moved |= shifted if is_exact else {"replaces": None, "replacement": None}
    return finding.model_copy(update=moved)


def _is_as_read(review_input: ReviewInput, then: str, now: str, place: Located | None) -> bool:
    """Whether the code at a place, in a file of this path then and now, is as it was read."""
    since, file = review_input.since, review_input.by_path.get(now)
    if now not in since.changed and then not in since.gone:
        return True
    if place is None or file is None:
        return False
    hunk = file.section_at(place.start_line, place.end_line)
    unposted = review_input.unposted
    return hunk is None or (unposted is not None and unposted.snapshot.has_hunk(then, hunk.key))


def _stands(review_input: ReviewInput, own: Finding, shown: Finding, source: Source) -> bool:
    """Whether the code that an answer shows is as it was read, and so is the finding's own, if it is still there.

    `shown` is the finding with the path of now and the quote of the answer.
    """
    since = review_input.since

    def as_read(path: str, place: Located | None) -> bool:
        return _is_as_read(review_input, since.path_then(path), path, place)

    path = since.path_now(own.path)
    place = locate(own.quote, path, own.start_line, source)
    is_replaced = place is None and path == shown.path
    is_shown = as_read(shown.path, locate(shown.quote, shown.path, shown.start_line, source))
    return is_shown and (is_replaced or as_read(path, place))
