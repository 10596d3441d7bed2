"""How a check run ends: what the repository's gate makes of what is open."""

from kodiai.core.config.keys import Gate
from kodiai.core.findings.finding import Severity
from kodiai.core.review.check import Conclusion, closing_check
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
def test_what_is_less_severe_than_the_gate_fails_nothing(
    gate: Gate, severity: Severity, conclusion: Conclusion
) -> None:
    """It leaves the check neutral, which a required check lets pass; what is still open counts as what is new."""
    found = a_finding(severity=severity)

    new, old = (closing_check("", "", changes, gate) for changes in (a_delta([found]), a_delta([], followed(found))))

    assert (new.conclusion, old.conclusion) == (conclusion, conclusion)


def test_nothing_open_is_a_success_whatever_the_gate() -> None:
    """Nobody has to do anything."""
    resolved = a_delta([], followed(a_finding(), "resolved"))

    assert closing_check("", "", resolved, "MAJOR").conclusion == "success"
