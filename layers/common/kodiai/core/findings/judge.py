"""Which findings are told, where, and why the others are not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count

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
    kept: list[Kept] = []
    dropped: list[Dropped] = []
    for finding in sorted((_in_order(finding) for finding in reported), key=rank):
        try:
            grounded = ground(finding, read_lines)
        except NotGrounded as why:
            dropped.append(Dropped(finding, str(why)))
            continue
        reason = _reason_against(grounded, kept, floor, max_comments)
        if reason is not None:
            dropped.append(Dropped(grounded, reason))
            continue
        inline = takes_comment(grounded.path, grounded.start_line, grounded.end_line)
        kept.append(Kept(_new_id(grounded, kept), grounded, inline))
    return Judgement(tuple(kept), tuple(dropped))


def _in_order(finding: Finding) -> Finding:
    """Make lines run forwards from 1, and a preference MEDIUM at most."""
    start, end = sorted((max(finding.start_line, 1), max(finding.end_line, 1)))
    graver = SEVERITIES.index(finding.severity) < SEVERITIES.index("MEDIUM")
    severity = "MEDIUM" if finding.kind == "preference" and graver else finding.severity
    return finding.model_copy(update={"start_line": start, "end_line": end, "severity": severity})


def _new_id(finding: Finding, kept: Sequence[Kept]) -> str:
    """Name the finding, counting on where another one is alike in all but its lines."""
    taken = {other.id for other in kept}
    ids = (finding_id(finding, occurrence) for occurrence in count(1))
    return next(name for name in ids if name not in taken)


def _reason_against(finding: Finding, kept: Sequence[Kept], floor: Severity, max_comments: int) -> str | None:
    twin = next((other for other in kept if same_concern(other.finding, finding)), None)
    if twin is not None:
        return f"duplicate of {twin.id}"
    if SEVERITIES.index(finding.severity) > SEVERITIES.index(floor):
        return f"below the severity floor {floor}"
    if len(kept) >= max_comments:
        return f"over the cap of {max_comments} comments"
    return None
