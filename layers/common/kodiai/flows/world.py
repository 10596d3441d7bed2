"""What a flow is given: the edges of one pull request, the settings, the time that is left."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.events.attempt import DeliveryAttempt
from kodiai.core.settings import DeploymentSettings
from kodiai.flows.deadline import Deadline
from kodiai.ports import Clock, ConversationStore, GitHub, JobQueue, Ledger, Model


@dataclass(frozen=True)
class World:
    """The outside of one pull request, for one try at a message."""

    github: GitHub
    ledger: Ledger
    talk: ConversationStore
    model: Model
    queue: JobQueue
    clock: Clock
    new_id: Callable[[], str]
    settings: DeploymentSettings
    turn: DeliveryAttempt

    @property
    def deadline(self) -> Deadline:
        """The time that this try has."""
        return Deadline(self.turn, self.clock)
