"""What became of a job, for the one line that the door logs."""

from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.json_object import JsonObject

OutcomeStatus = Literal[
    "completed", "unchanged", "skipped", "superseded", "continued", "refused",  # of a review
    "answered", "done", "read",  # of what somebody said: the model spoke, something changed, nothing is to be done
]  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """How an event ended and why; `facts` are figures, never code and never a secret."""

    status: OutcomeStatus
    reason: str
    facts: JsonObject = field(default_factory=dict)
