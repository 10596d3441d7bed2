"""The findings of earlier reviews by their places: those that a reported one may be."""

from collections import defaultdict
from collections.abc import Sequence

from kodiai.core.changes.line_ranges import LineRanges
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.identity import NEAR_LINES, PriorFinding

_ANYWHERE = (1, 1_000_000_000)


class PriorFindings:
    """The findings of earlier reviews by path and lines; the code of some is nowhere, or at an unclear place."""

    def __init__(self, prior: Sequence[PriorFinding]) -> None:
        found = defaultdict(list)
        for each in prior:
            found[each.finding.path].append((*(each.place or _ANYWHERE), each))
        self._by_path = {path: LineRanges(ranges) for path, ranges in found.items()}

    def near(self, finding: Finding) -> list[PriorFinding]:
        """Those of the same path that are near to its lines, or may be anywhere, in their order."""
        here = self._by_path.get(finding.path)
        return here.on(finding.start_line - NEAR_LINES, finding.end_line + NEAR_LINES) if here else []
