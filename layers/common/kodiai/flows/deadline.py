"""The time that an attempt at a message has."""

from dataclasses import dataclass

from kodiai.core.errors import OutOfTime
from kodiai.core.events.job import DeliveryAttempt
from kodiai.ports import Clock


@dataclass(frozen=True)
class Deadline:
    """When the invocation that makes an attempt is over."""

    attempt: DeliveryAttempt
    clock: Clock

    def left(self) -> float:
        """Seconds until then."""
        return self.attempt.deadline - self.clock.now()

    def need(self, seconds: float) -> None:
        """Look at the time before a step that takes so long. Raises OutOfTime where it no longer fits."""
        if self.left() < seconds:
            raise OutOfTime("the time of this invocation is up", after_seconds=0)
