"""What a flow is given: the edges of one pull request, the settings, the time that is left."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.settings import DeploymentSettings
from kodiai.ports import Clock, GitHub, JobQueue, Ledger, Model


@dataclass(frozen=True)
class World:
    """The outside of one pull request, for one invocation.

    `owner` names the invocation, `deadline` is when it is over, in seconds since the epoch.
    """

    github: GitHub
    ledger: Ledger
    model: Model
    queue: JobQueue
    clock: Clock
    new_id: Callable[[], str]
    settings: DeploymentSettings
    owner: str
    deadline: float

    def time_left(self) -> float:
        """Seconds until the invocation is over."""
        return self.deadline - self.clock.now()
