"""What the check run says."""

from collections.abc import Sequence

from kodiai.core.findings.finding import SEVERITIES, Finding
from kodiai.core.findings.verdict import Verdict, verdict

STARTED = ("Reading the changes", "The review is on its way.")
_TITLES: dict[Verdict, str] = {
    "address-before-merging": "Address before merging",
    "minor-items": "Ready to merge with minor items",
    "ready": "Ready to merge",
}


def reviewed(findings: Sequence[Finding]) -> tuple[str, str]:
    """Title and summary of a check run whose review was posted."""
    counts = [
        f"{number} {severity}"
        for severity in SEVERITIES
        if (number := sum(finding.severity == severity for finding in findings))
    ]
    return _TITLES[verdict(findings)], f"Findings: {', '.join(counts) or 'none'}. The review says more."


def unchanged(previous_head: str, open_findings: int) -> tuple[str, str]:
    """Title and summary where every hunk was reviewed before."""
    still_open = f" Findings still open: {open_findings}." if open_findings else ""
    said = f"Every change of this pull request was reviewed at {previous_head[:7]}.{still_open}"
    return "Nothing new to review", said


def superseded(why: str) -> tuple[str, str]:
    """Title and summary where the review of this head was given up, for example "the head moved on to <sha>"."""
    return "Superseded", f"No review of this head: {why}."


def refused(reason: str) -> tuple[str, str]:
    """Title and summary where the person has to mend something first."""
    return "Not reviewed", reason


BROKEN = ("Not reviewed", "The review failed for a reason that is ours. It is looked into.")
LAST_TRY = ("Not reviewed", "The review failed several times. If the last try fails too, it is looked into.")
