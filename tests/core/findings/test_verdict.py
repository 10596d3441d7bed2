"""What the findings come to."""

import pytest

from kodiai.core.findings.verdict import Verdict, verdict
from tests.builders import a_finding


@pytest.mark.parametrize(
    ("severity", "kind", "result"),
    [
        ("CRITICAL", "impact", "address-before-merging"),
        ("MAJOR", "impact", "address-before-merging"),
        ("MEDIUM", "impact", "minor-items"),
        ("MINOR", "impact", "minor-items"),
        ("MEDIUM", "preference", "minor-items"),
        ("MAJOR", "preference", "minor-items"),
    ],
)
def test_one_grave_finding_with_impact_blocks(severity: str, kind: str, result: Verdict) -> None:
    """Everything else is minor, and no number of minor findings blocks."""
    minor = [a_finding(severity="MINOR")] * 9

    assert verdict([*minor, a_finding(severity=severity, kind=kind)]) == result


def test_without_findings_it_is_ready() -> None:
    """Nothing found, nothing to do."""
    assert verdict([]) == "ready"


@pytest.mark.parametrize(("start", "end", "text"), [(12, 12, "12"), (12, 14, "12-14")])
def test_lines_are_written_as_people_do(start: int, end: int, text: str) -> None:
    """One number for one line."""
    assert a_finding(start_line=start, end_line=end).lines == text
