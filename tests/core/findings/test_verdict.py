"""What the findings come to."""

import pytest

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.findings.delta import Verdict, verdict
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


@pytest.mark.parametrize(
    ("read", "unread", "result"),
    [(7, 1, "not-fully-reviewed"), (0, 1, "not-fully-reviewed"), (0, 0, "nothing-to-read")],
)
def test_what_was_not_read_is_not_called_ready(read: int, unread: int, result: Verdict) -> None:
    """Nor is a pull request of which nothing needs to be read; what blocks does so all the same."""
    coverage = Coverage(read, unread)

    assert verdict([], coverage) == result
    assert verdict([a_finding(severity="MINOR")], coverage) == result
    assert verdict([a_finding()], coverage) == "address-before-merging"


@pytest.mark.parametrize(("start", "end", "text"), [(12, 12, "12"), (12, 14, "12-14")])
def test_lines_are_written_as_people_do(start: int, end: int, text: str) -> None:
    """One number for one line."""
    assert a_finding(start_line=start, end_line=end).lines == text
