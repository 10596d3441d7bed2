"""What a flow is given: the edges of one pull request, the settings, the time that is left."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.errors import OutOfTime
from kodiai.core.events.attempt import DeliveryAttempt
from kodiai.core.settings import DeploymentSettings
from kodiai.ports import Clock, GitHub, JobQueue, Ledger, Model, Talk


@dataclass(frozen=True)
class World:
    """The outside of one pull request, for one try at a message."""

    github: GitHub
    ledger: Ledger
    talk: Talk
    model: Model
    queue: JobQueue
    clock: Clock
    new_id: Callable[[], str]
    settings: DeploymentSettings
    turn: DeliveryAttempt

    def time_left(self) -> float:
        """Seconds until the invocation is over."""
        return self.turn.deadline - self.clock.now()

    def need(self, seconds: float) -> None:
        """Look at the time before a step that takes so long. Raises OutOfTime where it no longer fits."""
        if self.time_left() < seconds:
            raise OutOfTime("the time of this invocation is up", after_seconds=0)
