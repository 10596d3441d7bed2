"""The outcome of a job, for the one line that the door logs."""

from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.json_object import JsonObject

OutcomeStatus = Literal[
    "completed", "unchanged", "skipped", "superseded", "continued", "refused",  # of a review
    "retry", "failed",  # of a request for a preview: it is tried again, or not any more
    "answered", "done", "read",  # of a comment: the model answered, something changed (also of other jobs), nothing
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """The end of a job, with the reason; `facts` are figures, never code and never a secret."""

    status: OutcomeStatus
    reason: str
    facts: JsonObject = field(default_factory=dict)


class Ended(Exception):
    """The job ends here, with this outcome."""

    def __init__(self, status: OutcomeStatus, reason: str, facts: JsonObject | None = None) -> None:
        super().__init__(reason)
        self.outcome = Outcome(status, reason, facts or {})
