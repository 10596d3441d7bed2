"""Which findings are told, where, and why the others are not."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kodiai.core.findings.finding import SEVERITIES, Finding, Severity, rank
from kodiai.core.findings.ground import NotGrounded, ReadLines, ground
from kodiai.core.findings.identity import finding_id, same_concern


@dataclass(frozen=True)
class Kept:
    """A finding that is told. `inline` is whether GitHub takes it as a comment on its lines."""

    id: str
    finding: Finding
    inline: bool


@dataclass(frozen=True)
class Dropped:
    """A finding that is held back, with the reason that the details show."""

    finding: Finding
    reason: str


@dataclass(frozen=True)
class Judgement:
    """Every reported finding is in one of the two."""

    kept: tuple[Kept, ...]
    dropped: tuple[Dropped, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is told, the gravest first."""
        return tuple(kept.finding for kept in self.kept)


def judge(
    reported: Sequence[Finding],
    *,
    read_lines: ReadLines,
    takes_comment: Callable[[str, int, int], bool],
    floor: Severity,
    max_comments: int,
) -> Judgement:
    """Keep or drop each finding: grounded, no duplicate, at or above the floor, under the cap.

    `takes_comment(path, start, end)` says whether these lines of the head stand in a hunk.
    """
    grounded, dropped = _ground_all([_in_order(finding) for finding in reported], read_lines)
    distinct, duplicates = _without_duplicates(sorted(grounded, key=rank))
    ids = _ids(distinct)
    kept: list[Kept] = []
    for name, finding in zip(ids, distinct, strict=True):
        reason = _reason_against(finding, len(kept), floor, max_comments)
        if reason is None:
            inline = takes_comment(finding.path, finding.start_line, finding.end_line)
            kept.append(Kept(name, finding, inline))
        else:
            dropped.append(Dropped(finding, reason))
    dropped += [
        Dropped(finding, f"the same as what is said of {_place(distinct[twin])}") for finding, twin in duplicates
    ]
    return Judgement(tuple(kept), tuple(dropped))


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


def _ids(findings: Sequence[Finding]) -> list[str]:
    """Name each finding; those that are alike in all but their lines are counted in order of their lines."""
    alike: Counter[str] = Counter()
    ids = [""] * len(findings)
    for at in sorted(range(len(findings)), key=lambda at: (findings[at].start_line, findings[at].end_line)):
        first = finding_id(findings[at])
        alike[first] += 1
        ids[at] = finding_id(findings[at], alike[first])
    return ids


def _reason_against(finding: Finding, kept: int, floor: Severity, max_comments: int) -> str | None:
    if SEVERITIES.index(finding.severity) > SEVERITIES.index(floor):
        return f"below the severity floor {floor}"
    if kept >= max_comments:
        return f"over the cap of {max_comments} comments"
    return None
