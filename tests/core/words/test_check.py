"""What the check run says."""

import pytest

from kodiai.core.findings.finding import Finding
from kodiai.core.words import check
from tests.builders import a_finding


@pytest.mark.parametrize(
    ("findings", "said"),
    [
        ([], ("Ready to merge", "Findings: none. The review says more.")),
        (
            [a_finding(severity="MINOR"), a_finding(severity="MINOR"), a_finding(severity="MEDIUM")],
            ("Ready to merge with minor items", "Findings: 1 MEDIUM, 2 MINOR. The review says more."),
        ),
        (
            [a_finding(severity="CRITICAL")],
            ("Address before merging", "Findings: 1 CRITICAL. The review says more."),
        ),
    ],
)
def test_a_review_is_summed_up_in_the_check(findings: list[Finding], said: tuple[str, str]) -> None:
    """The verdict is its title, the counts are its summary."""
    assert check.reviewed(findings) == said


def test_a_check_says_how_it_ended_without_a_review() -> None:
    """Seven digits name a head."""
    head = "0123456789" * 4

    assert check.unchanged(head, open_findings=0) == (
        "Nothing new to review",
        "Every change of this pull request was reviewed at 0123456.",
    )
    assert check.unchanged(head, open_findings=2)[1].endswith(" Findings still open: 2.")
    assert check.superseded("the head moved on to 0123456") == (
        "Superseded",
        "No review of this head: the head moved on to 0123456.",
    )
    assert check.refused("Mend `.kodiai.yml`.") == ("Not reviewed", "Mend `.kodiai.yml`.")
