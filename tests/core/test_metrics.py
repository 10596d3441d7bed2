"""The metrics of a job's outcome: what its line says, without zeros."""

from typing import Any

from kodiai.core.metrics import UNITS, Paid, job_metrics
from tests.tables import each_row

COMPLETED = {
    "outcome": "completed",
    "delta": {"new": 3, "resolved": 1, "still_open": 4, "settled": 2},
    "new_by_severity": {"CRITICAL": 1, "MINOR": 2},
    "review_seconds": 12.5,
}


def test_a_review_has_its_duration_its_findings_and_what_it_cost() -> None:
    """A severity of which there was nothing has no value: each hour with one costs a share of the metric's price."""
    found = job_metrics(COMPLETED, Paid(input_tokens=1_000, output_tokens=50, cost_usd=0.02))

    assert found == {
        "ReviewSeconds": 12.5,
        "CostUSD": 0.02,
        "InputTokens": 1_000,
        "OutputTokens": 50,
        "CriticalFindings": 1,
        "MinorFindings": 2,
        "ResolvedFindings": 1,
        "DismissedFindings": 2,
    }
    assert set(found) < set(UNITS)


FAILED = {"FailedJobs": 1}


@each_row(
    ("line", "metrics"),
    [
        ({"outcome": "broken", "buried": True}, FAILED),
        ({"outcome": "crashed"}, FAILED),
        ({"outcome": "retry", "buried": True}, FAILED),
        *(({"outcome": outcome}, {}) for outcome in ("retry", "waiting", "refused", "skipped")),
        ({"outcome": "done", "settled": 3}, {"DismissedFindings": 3}),  # a reply or `resolve`
    ],
)
def test_a_job_has_failed_if_it_crashed_or_was_given_up(line: dict[str, Any], metrics: dict[str, float]) -> None:
    """One that comes again as agreed has not failed yet; what an attempt paid counts in any case."""
    assert job_metrics(line, Paid()) == metrics
    assert job_metrics(line, Paid(cost_usd=0.5)) == {"CostUSD": 0.5, **metrics}
