"""An attempt at a message."""

from dataclasses import dataclass


@dataclass(frozen=True)
class DeliveryAttempt:
    """One try at a message.

    `owner` names the invocation; `started`, `deadline` and when the message was `sent` are in seconds since the epoch.
    `attempt` counts from 1; after as many as `attempts` the message goes to the dead letters.
    """

    owner: str
    started: float
    deadline: float
    attempt: int
    attempts: int
    sent: float = 0.0

    @property
    def is_last(self) -> bool:
        """Whether nobody tries again after this."""
        return self.attempt >= self.attempts
