"""What the findings come to."""

from collections.abc import Iterable
from typing import Literal

from kodiai.core.findings.finding import Finding

Verdict = Literal["address-before-merging", "minor-items", "ready"]


def verdict(findings: Iterable[Finding]) -> Verdict:
    """Sum up: a blocking finding asks to be addressed, any other is minor, none is ready."""
    found = list(findings)
    if any(finding.blocks for finding in found):
        return "address-before-merging"
    return "minor-items" if found else "ready"
