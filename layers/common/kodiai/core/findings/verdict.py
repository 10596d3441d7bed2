"""What the findings come to."""

from collections.abc import Iterable
from typing import Literal

from kodiai.core.changes.coverage import Coverage
from kodiai.core.findings.finding import Finding

Verdict = Literal[
    "address-before-merging", "not-fully-reviewed", "nothing-to-read", "minor-items", "ready", "no-verdict"
]
"""What the findings come to; there is no verdict where checks ran and no model read the change."""

WHOLE = Coverage(read=1, unread=0)
"""Something was read, and nothing is left to read."""


def verdict(findings: Iterable[Finding], coverage: Coverage = WHOLE, *, offline: bool = False) -> Verdict:
    """Sum up: a blocking finding asks to be addressed, any other is minor, none is ready, if everything was read."""
    if offline:
        return "no-verdict"
    found = list(findings)
    if any(finding.blocks for finding in found):
        return "address-before-merging"
    if not coverage.is_whole:
        return "not-fully-reviewed" if coverage.unread else "nothing-to-read"
    return "minor-items" if found else "ready"
