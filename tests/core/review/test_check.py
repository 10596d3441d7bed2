"""The conclusion of a check run, by the repository's gate and the open findings."""

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.config.keys import FailOnSetting
from kodiai.core.findings.finding import Severity
from kodiai.core.gate.gate import Conclusion
from kodiai.core.review.check import closing_check
from tests.builders import a_delta, a_finding, followed
from tests.tables import each_row


@each_row(
    ("gate", "severity", "conclusion"),
    [
        ("never", "CRITICAL", "neutral"),
        ("CRITICAL", "MAJOR", "neutral"),
        ("CRITICAL", "CRITICAL", "failure"),
        ("MAJOR", "MEDIUM", "neutral"),
        ("MAJOR", "MAJOR", "failure"),
        ("MAJOR", "CRITICAL", "failure"),
    ],
)
def test_a_finding_less_severe_than_the_gate_fails_nothing(
    gate: FailOnSetting, severity: Severity, conclusion: Conclusion
) -> None:
    """It leaves the check neutral, which a required check lets pass; what is still open counts as what is new."""
    found = a_finding(severity=severity)

    new, old = (
        closing_check("", "", changes, gate, "kodiai") for changes in (a_delta([found]), a_delta([], followed(found)))
    )

    assert (new.conclusion, old.conclusion) == (conclusion, conclusion)


def test_nothing_open_is_a_success_whatever_the_gate() -> None:
    """Nobody has to do anything."""
    resolved = a_delta([], followed(a_finding(), "resolved"))

    assert closing_check("", "", resolved, "MAJOR", "kodiai").conclusion == "success"


@each_row(
    ("coverage", "gate", "conclusion"),
    [
        (Coverage(1, 1), "never", "neutral"),
        (Coverage(1, 1), "CRITICAL", "action_required"),
        (Coverage(1, 0, not_read=(("logo.png", "binary file"),)), "MAJOR", "neutral"),
        (Coverage(1, 0, hidden=(("a.txt", "it is UTF-16"),)), "MAJOR", "neutral"),
        (Coverage(0, 0), "MAJOR", "neutral"),
    ],
)
def test_a_gate_stays_closed_while_a_file_that_has_to_be_read_is_unread(
    coverage: Coverage, gate: FailOnSetting, conclusion: Conclusion
) -> None:
    """Files that no review reads do not close it: they are named, and nobody could ever open it."""
    below = a_finding(severity="MEDIUM")

    ends = [
        closing_check("", "", a_delta(found, coverage=coverage), gate, "kodiai").conclusion for found in ([], [below])
    ]

    assert ends == [conclusion] * 2
