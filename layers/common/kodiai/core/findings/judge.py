"""Which findings are told, where, and why the others are not."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from kodiai.core.findings.finding import SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.ground import NotGrounded, ReadLines, ground
from kodiai.core.findings.identity import finding_id
from kodiai.core.findings.known import KnownFinding
from kodiai.core.findings.match import Told, match, same_concern


@dataclass(frozen=True)
class Kept:
    """A finding that is told. `inline` is whether GitHub takes it as a comment on its lines.

    `hunk` is the key of the hunk that its lines stand in, None where they stand in none.
    """

    id: str
    finding: Finding
    inline: bool
    hunk: str | None = None


@dataclass(frozen=True)
class Dropped:
    """A finding that is held back, with the reason that the details show."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Judgement:
    """Every reported finding is in one of the three.

    `kept` has the gravest first.
    `repeated` are those that were told before and are still open, by the id under which they were told.
    """

    kept: tuple[Kept, ...]
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


def judge(
    reported: Sequence[Finding],
    *,
    read_lines: ReadLines,
    takes_comment: Callable[[str, int, int], bool],
    floor: Severity,
    max_comments: int,
    memories: Sequence[Memory] = (),
) -> Judgement:
    """Keep or drop each finding: grounded, no duplicate, not told before, at or above the floor, under the cap.

    `takes_comment(path, start, end)` says whether these lines of the head stand in a hunk.
    What was told before and is back though it was mended is told again, under its own id.
    """
    grounded, dropped = _ground_all([_in_order(finding) for finding in reported], read_lines)
    distinct, duplicates = _without_duplicates(sorted(grounded, key=rank))
    known = {memory.known.id: memory for memory in memories}
    matches = match([memory.told for memory in memories], distinct)
    ids = _ids(distinct, taken=known)
    kept: list[Kept] = []
    repeated: dict[str, Finding] = {}
    for at, finding in enumerate(distinct):
        before = known.get(matches.same.get(at) or matches.echoes.get(at, ""))
        if before is not None and before.known.status == "open" and at in matches.same:
            repeated[before.known.id] = finding
            continue
        told = None if before is None else _told_before(before, finding, echo=at in matches.echoes)
        reason = told or _reason_against(finding, len(kept), floor, max_comments)
        if reason is None:
            inline = takes_comment(finding.path, finding.start_line, finding.end_line)
            kept.append(Kept(before.known.id if before else ids[at], finding, inline))
        else:
            dropped.append(Dropped(finding, reason))
    dropped += [
        Dropped(finding, f"the same as what is said of {_place(distinct[twin])}") for finding, twin in duplicates
    ]
    return Judgement(tuple(kept), tuple(dropped), repeated)


def _told_before(memory: Memory, finding: Finding, *, echo: bool) -> str | None:
    """Say why it is not told again, None where it is back, or graver than what was settled."""
    known = memory.known
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


def _place(finding: Finding) -> str:
    return f"line {finding.lines}" if finding.start_line == finding.end_line else f"lines {finding.lines}"


def _in_order(finding: Finding) -> Finding:
    """Make lines run forwards from 1, and a preference MEDIUM at most."""
    start, end = sorted((max(finding.start_line, 1), max(finding.end_line, 1)))
    graver = SEVERITIES.index(finding.severity) < SEVERITIES.index("MEDIUM")
    severity = "MEDIUM" if finding.kind == "preference" and graver else finding.severity
    return finding.model_copy(update={"start_line": start, "end_line": end, "severity": severity})


def _ground_all(findings: Sequence[Finding], read_lines: ReadLines) -> tuple[list[Finding], list[Dropped]]:
    grounded: list[Finding] = []
    dropped: list[Dropped] = []
    for finding in findings:
        try:
            grounded.append(ground(finding, read_lines))
        except NotGrounded as why:
            dropped.append(Dropped(finding, str(why)))
    return grounded, dropped


def _without_duplicates(ranked: Sequence[Finding]) -> tuple[list[Finding], list[tuple[Finding, int]]]:
    """Keep the gravest of those that say the same; each other goes with the place of the one that is kept."""
    distinct: list[Finding] = []
    duplicates: list[tuple[Finding, int]] = []
    for finding in ranked:
        twin = next((at for at, other in enumerate(distinct) if same_concern(other, finding)), None)
        if twin is None:
            distinct.append(finding)
        else:
            duplicates.append((finding, twin))
    return distinct, duplicates


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


def _reason_against(finding: Finding, kept: int, floor: Severity, max_comments: int) -> str | None:
    if SEVERITIES.index(finding.severity) > SEVERITIES.index(floor):
        return f"below the severity floor {floor}"
    if kept >= max_comments:
        return f"over the cap of {max_comments} comments"
    return None
