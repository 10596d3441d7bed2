"""Carry: the decisions of an unposted review that hold at the new head, and the findings that are judged again."""

from collections.abc import Sequence
from dataclasses import replace

from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.enforce import JudgeDecision
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.locate import locate
from kodiai.core.findings.places import Located
from kodiai.core.findings.report import ReportedFinding
from kodiai.core.findings.source import Source
from kodiai.core.review.earlier import mentioned_words, names_of
from kodiai.core.review.input import ReviewInput

Reported = tuple[str, ReportedFinding]
"""What was reported, with the name of the reviewer."""


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
        if finding is None:
            continue
        if decision.outcome == "kept" and not mentioned.isdisjoint(names_of(finding, parser)):
            reported = decision.candidate.finding.model_copy(update={"path": finding.path})
            fields = reported.model_dump(include={*ReportedFinding.model_fields})
            again.append((decision.candidate.reviewer, ReportedFinding.model_validate(fields)))
        else:
            holding.append(replace(decision, finding=finding))
    return tuple(holding), tuple(again)


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
    return finding.model_copy(update=moved)


def _is_as_read(review_input: ReviewInput, then: str, now: str, place: Located | None) -> bool:
    """Whether the code at a place, in a file of this path then and now, is as it was read."""
    since, file = review_input.since, review_input.by_path.get(now)
    if now not in since.changed and then not in since.gone:
        return True
    if place is None or file is None:
        return False
    hunk = file.hunk_at(place.start_line, place.end_line)
    unposted = review_input.unposted
    return hunk is None or (unposted is not None and unposted.snapshot.has_hunk(then, hunk.key))
