"""Sift: which of the reported findings are about real code, are new, and are worth a second look."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from kodiai.core.findings.claims import Facts, check
from kodiai.core.findings.concern import same_concern
from kodiai.core.findings.finding import SEVERITIES, Cause, Finding, Severity, rank
from kodiai.core.findings.ground import NotGrounded, ReadLines, ground
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.match import Matches, Told, match
from kodiai.core.findings.report import ReportedFinding


@dataclass(frozen=True)
class Dropped:
    """A finding that is held back, with the reason that the details show."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Candidate:
    """A finding that may be told, under the id that it would have."""

    id: str
    finding: Finding


@dataclass(frozen=True)
class Sifted:
    """Every reported finding is in one of the three.

    `candidates` has the gravest first.
    `repeated` are those that were told before and are still open, by the id under which they were told.
    """

    candidates: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]
    repeated: Mapping[str, Finding] = field(default_factory=dict)


@dataclass(frozen=True)
class Memory:
    """A finding that was told before, under its path of today.

    `stands`, `lines`, `is_answered` and `is_mended` are those of `Told`.
    `fix_stands` is whether the code that mended it in an earlier run is still there.
    """

    known: KnownFinding
    stands: bool = True
    lines: tuple[int, int] | None = None
    is_answered: bool = False
    is_mended: bool = False
    fix_stands: bool = False

    @property
    def told(self) -> Told:
        """What a report is compared with."""
        return Told(self.known.id, self.known.finding, self.stands, self.lines, self.is_answered, self.is_mended)


class Change(Protocol):
    """What the pull request changes."""

    def touches(self, path: str, start: int, end: int) -> bool:
        """Whether it touches any of these lines of the head."""

    def has(self, path: str, quote: str) -> bool:
        """Whether it adds or removes a line of the quote."""


def sift(
    reported: Sequence[ReportedFinding],
    *,
    read_lines: ReadLines,
    facts: Facts,
    change: Change,
    floor: Severity,
    memories: Sequence[Memory] = (),
    rejected: Mapping[Finding, str] = MappingProxyType({}),
) -> Sifted:
    """Drop what is not grounded, refuted by facts, rejected, said twice, told before, or below the floor.

    What was told before and is back though it was mended is a candidate again, under its own id.
    `rejected` are candidates of an earlier sifting that a second look rejects, with its reasons: what says nearly the
    same is no duplicate of them, and may be right.
    """
    checked, dropped = _checked(reported, read_lines, facts, change)
    dropped += [
        Dropped(finding, f"a second look rejects it: {rejected[finding]}") for finding in checked if finding in rejected
    ]
    checked = [finding for finding in checked if finding not in rejected]
    distinct, duplicates = _without_duplicates(sorted(checked, key=rank))
    known = {memory.known.id: memory for memory in memories}
    matches = match([memory.told for memory in memories], distinct)
    ids = _ids(distinct, taken=known)
    candidates: list[Candidate] = []
    repeated: dict[str, Finding] = {}
    for at, finding in enumerate(distinct):
        before = known.get(matches.same.get(at) or matches.echoes.get(at, ""))
        if before is not None and before.known.status == "open" and at in matches.same:
            repeated[before.known.id] = finding
        elif (reason := _against(before, finding, at, matches) or _below(finding, floor)) is not None:
            dropped.append(Dropped(finding, reason))
        else:
            candidates.append(Candidate(before.known.id if before else ids[at], finding))
    dropped += [Dropped(finding, f"the same as what is said of {distinct[at].place}") for finding, at in duplicates]
    return Sifted(tuple(candidates), tuple(dropped), repeated)


def _checked(
    reported: Sequence[ReportedFinding], read_lines: ReadLines, facts: Facts, change: Change
) -> tuple[list[Finding], list[Dropped]]:
    """Ground each one, hold its claims against the facts, and say whether the change brought it."""
    checked: list[Finding] = []
    dropped: list[Dropped] = []
    for each in reported:
        finding = _in_order(each.finding)
        try:
            finding = ground(finding, read_lines)
        except NotGrounded as why:
            dropped.append(Dropped(finding, str(why)))
            continue
        claims = check(finding, facts)
        if claims.is_preference:
            finding = _in_order(finding.model_copy(update={"kind": "preference"}))
        was_there = not _is_brought(finding, each.cause, change)
        finding = finding.model_copy(update={"caveat": claims.caveat, "pre_existing": was_there})
        reason = claims.against
        if reason is None and was_there and finding.kind == "preference":
            reason = "a preference about code that the change does not touch"
        if reason is None:
            checked.append(finding)
        else:
            dropped.append(Dropped(finding, reason))
    return checked, dropped


def _is_brought(finding: Finding, cause: Cause | None, change: Change) -> bool:
    """Whether the change touches its lines, or has code that causes it elsewhere."""
    if change.touches(finding.path, finding.start_line, finding.end_line):
        return True
    return cause is not None and change.has(cause.path, cause.quote)


def _against(memory: Memory | None, finding: Finding, at: int, matches: Matches) -> str | None:
    """Say why it is not told again, None where it is new, or back, or graver than what was settled."""
    if memory is None:
        return None
    known, echo = memory.known, at in matches.echoes
    if known.status == "open":
        return "told before, in other words"
    if known.status == "fixed":
        if memory.fix_stands:
            return "it was resolved, and what resolved it still stands"
        return "told in other words" if echo else None
    graver = SEVERITIES.index(finding.severity) < SEVERITIES.index(known.finding.severity)
    if known.status == "dismissed" and graver and finding.blocks and not echo:
        return None
    return f"settled by {known.settled_by or 'somebody'} ({known.status.replace('_', ' ')})"


def _below(finding: Finding, floor: Severity) -> str | None:
    is_below = SEVERITIES.index(finding.severity) > SEVERITIES.index(floor)
    return f"below the severity floor {floor}" if is_below else None


def _in_order(finding: Finding) -> Finding:
    """Make lines run forwards from 1, and a preference MEDIUM at most."""
    start, end = sorted((max(finding.start_line, 1), max(finding.end_line, 1)))
    graver = SEVERITIES.index(finding.severity) < SEVERITIES.index("MEDIUM")
    severity = "MEDIUM" if finding.kind == "preference" and graver else finding.severity
    return finding.model_copy(update={"start_line": start, "end_line": end, "severity": severity})


def _without_duplicates(ranked: Sequence[Finding]) -> tuple[list[Finding], list[tuple[Finding, int]]]:
    """Keep the gravest of those that say the same; each other goes with the place of the one that is kept.

    Whoever says the same as one of a group belongs to it: what two wordings share a third one links.
    """
    groups: list[list[Finding]] = []
    for finding in ranked:
        its = [group for group in groups if any(same_concern(member, finding) for member in group)]
        joined = [member for group in its for member in group]
        at = groups.index(its[0]) if its else len(groups)
        groups = [group for group in groups if group not in its]
        groups.insert(at, [*joined, finding])
    duplicates = [(finding, at) for at, group in enumerate(groups) for finding in group[1:]]
    return [group[0] for group in groups], duplicates


def _ids(findings: Sequence[Finding], taken: Collection[str]) -> list[str]:
    """Name each finding; those that are alike in all but their lines are counted in order of their lines."""
    alike: Counter[str] = Counter()
    ids = [""] * len(findings)
    for at in sorted(range(len(findings)), key=lambda at: (findings[at].start_line, findings[at].end_line)):
        first = finding_id(findings[at])
        while not ids[at] or ids[at] in taken:
            alike[first] += 1
            ids[at] = finding_id(findings[at], alike[first])
    return ids
