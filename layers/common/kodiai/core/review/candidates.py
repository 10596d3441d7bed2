"""Candidates: what was reported, put where its code stands, with the facts that the program knows about it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.findings.enforce import Candidate
from kodiai.core.findings.finding import SEVERITIES, Finding
from kodiai.core.findings.identity import PriorFinding, has_same_code, on_same_lines, quote_key, same_by_code
from kodiai.core.findings.judgement import SuppressedFinding
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, KnownFinding
from kodiai.core.findings.locate import locate, places
from kodiai.core.findings.report import EarlierAnswer, ReportedFinding
from kodiai.core.findings.source import Source
from kodiai.core.repository.facts import Facts
from kodiai.core.review.plan import ReviewPlan
from kodiai.core.reviewers import Reviewer


@dataclass(frozen=True)
class Checked:
    """What was reported, after the code was looked at.

    `repeated` are those that code alone tells to be open findings of earlier reviews, by their ids; `suppressed` those
    that people dismissed on this very code.
    """

    candidates: tuple[Candidate, ...]
    repeated: Mapping[str, Finding]
    suppressed: tuple[SuppressedFinding, ...]


def check(
    reported: Iterable[tuple[Reviewer, ReportedFinding]],
    prior: Sequence[PriorFinding],
    change: ChangedLines,
    source: Source,
    facts: Facts,
) -> Checked:
    """Locate what was reported, and tell what is an earlier finding as far as code decides that; nothing is lost."""
    candidates: list[Candidate] = []
    repeated: dict[str, Finding] = {}
    suppressed: list[SuppressedFinding] = []
    for reviewer, each in reported:
        finding, stands = _placed(_in_order(each.finding), source)
        same = next((one for one in prior if same_by_code(one, finding)), None)
        if same is not None and same.known.status == "open" and not _is_worse(finding, same.finding):
            repeated[same.id] = finding
        elif same is not None and same.known.status in DECIDED_BY_PEOPLE and _is_same_code(same, finding):
            suppressed.append(SuppressedFinding(finding, same.known.dismissal, "known"))
        else:
            candidate = Candidate(
                number=len(candidates) + 1,
                reviewer=reviewer,
                finding=finding,
                quote_found=stands,
                introduced=_is_brought(finding, change),
                lost_replacement=each.replacement is not None and finding.replacement is None,
                overlapping=tuple(one.id for one in prior if on_same_lines(one, finding)),
                presumed=_presumed(same, prior, finding),
            )
            candidates.append(candidate)
    facts.prepare((each.finding, _place(each.finding)) for each in candidates if each.quote_found)
    return Checked(tuple(_noted(each, facts) for each in candidates), repeated, tuple(suppressed))


def _presumed(same: PriorFinding | None, prior: Sequence[PriorFinding], finding: Finding) -> str | None:
    """The earlier finding that it is by its code; an open one before one that was closed."""
    alike = [*([same] if same else []), *(one for one in prior if has_same_code(one, finding))]
    return next((one.id for one in sorted(alike, key=lambda one: one.known.status != "open")), None)


def _noted(candidate: Candidate, facts: Facts) -> Candidate:
    """The candidate with what the program knows about its code."""
    if not candidate.quote_found:
        return replace(candidate, notes=("The quoted code stands nowhere in that file.",))
    return replace(candidate, notes=facts.notes(candidate.finding, _place(candidate.finding)))


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.path, finding.start_line, finding.end_line


def prior_findings(plan: ReviewPlan, answers: Mapping[str, EarlierAnswer], source: Source) -> tuple[PriorFinding, ...]:
    """The findings of earlier reviews as they stand now, with what people decided since."""
    return tuple(_prior(plan, known, answers.get(known.id), source) for known in plan.input.known)


def _prior(plan: ReviewPlan, known: KnownFinding, answer: EarlierAnswer | None, source: Source) -> PriorFinding:
    decided = plan.stances[known.id]
    now = plan.at_head(known)
    if known.status == "open" and decided.settles is not None:
        now = replace(now, status=decided.settles, settled_by=decided.by)
    return PriorFinding(now, _own_place(plan, now, source) or _place_said(now, answer, source))


def _own_place(plan: ReviewPlan, known: KnownFinding, source: Source) -> tuple[int, int] | None:
    """Where its code stands: in its own hunk, else where it stands alone; None where that cannot be told."""
    found = places(known.finding.quote, known.finding.path, source.read_lines)
    file = next((file for file in plan.input.files if file.path == known.finding.path), None)
    own = next((hunk for hunk in file.hunks if hunk.key == known.hunk), None) if file else None
    inside = [place for place in found if own is not None and place.start_line in own.new_lines]
    alone = inside or found
    return (alone[0].start_line, alone[0].end_line) if len(alone) == 1 else None


def _place_said(known: KnownFinding, answer: EarlierAnswer | None, source: Source) -> tuple[int, int] | None:
    """Where a reviewer shows that its edited code still has the problem."""
    if answer is None or answer.answer not in ("PARTIAL", "NOT_ADDRESSED"):
        return None
    found = locate(answer.quote, answer.path or known.finding.path, known.finding.start_line, source)
    return (found.start_line, found.end_line) if found and found.path == known.finding.path else None


def _placed(finding: Finding, source: Source) -> tuple[Finding, bool]:
    """The finding at the lines where its quote stands, with the code as it is there, and whether it stands anywhere."""
    path = source.find(finding.path) or finding.path
    finding = finding.model_copy(update={"path": path, "reported_title": finding.title})
    found = locate(finding.quote, path, finding.start_line, source)
    if found is None:
        return finding, False
    known: dict[str, object] = {"quote": found.quote} if found.complete else {}
    # A replacement was made for the stated lines: it fits no others, nor lines of which a part was left out.
    as_many = found.end_line - found.start_line == finding.end_line - finding.start_line
    if not found.complete or not as_many:
        known["replacement"] = None
    inside = finding.start_line <= found.start_line and found.end_line <= finding.end_line
    in_file = finding.end_line <= len(source.read_lines(path) or ())
    if found.removed or not inside or not in_file:
        known |= {"start_line": found.start_line, "end_line": found.end_line, "path": found.path}
    return finding.model_copy(update=known), True


def _in_order(finding: Finding) -> Finding:
    """Make lines run forwards from 1."""
    start, end = sorted((max(finding.start_line, 1), max(finding.end_line, 1)))
    return finding.model_copy(update={"start_line": start, "end_line": end})


def _is_brought(finding: Finding, change: ChangedLines) -> bool:
    """Whether the change touches its lines, or has code that causes it elsewhere."""
    if change.touches(finding.path, finding.start_line, finding.end_line):
        return True
    return finding.cause is not None and change.has(finding.cause.path, finding.cause.quote)


def _is_same_code(prior: PriorFinding, finding: Finding) -> bool:
    return quote_key(prior.finding.quote) == quote_key(finding.quote)


def _is_worse(finding: Finding, known: Finding) -> bool:
    """Whether it is said to be more severe than it was, which is for the judge to decide."""
    return SEVERITIES.index(finding.severity) < SEVERITIES.index(known.severity)
