"""The metrics of an outcome: what the dashboard draws and alarms watch. Everything else is asked of the log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

WEBHOOKS_REFUSED = "WebhooksRefused"
"""A webhook that names an event and a delivery as GitHub does, and was not taken."""

UNITS: Mapping[str, str] = {
    WEBHOOKS_REFUSED: "Count",
    "FailedJobs": "Count",  # given up, or crashed
    "ReviewSeconds": "Seconds",  # of completed reviews, from their beginning; how many values there are is how many
    "CostUSD": "None",  # the models' of an attempt, however that ended
    "InputTokens": "Count",  # the same, those of the cache too
    "OutputTokens": "Count",
    "CriticalFindings": "Count",  # posted for the first time
    "MajorFindings": "Count",
    "MediumFindings": "Count",
    "MinorFindings": "Count",
    "ResolvedFindings": "Count",  # by a change of the code
    "DismissedFindings": "Count",  # by people
}
"""All metrics with their units: each one that has a value in an hour costs a share of a month's price."""


@dataclass
class Paid:
    """The cost of the models in one attempt at a message, with answers that led to nothing."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


def job_metrics(line: Mapping[str, Any], paid: Paid) -> dict[str, float]:
    """The metrics of a job's outcome by name, from the line that is logged about it, without those that are 0."""
    delta, found = line.get("delta", {}), line.get("new_by_severity", {})
    values = {
        "FailedJobs": line.get("outcome") in ("broken", "crashed") or line.get("buried", False),
        "ReviewSeconds": line.get("review_seconds", 0),
        "CostUSD": paid.cost_usd,
        "InputTokens": paid.input_tokens,
        "OutputTokens": paid.output_tokens,
        **{f"{severity.capitalize()}Findings": number for severity, number in found.items()},
        "ResolvedFindings": delta.get("resolved", 0),
        "DismissedFindings": delta.get("settled", 0) or line.get("settled", 0),
    }
    return {name: +value for name, value in values.items() if value}
