"""The ports of one pull request, as a door opens them for one attempt at a message."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.settings import DeploymentSettings
from kodiai.flows.deadline import Deadline
from kodiai.ports import ConversationStore, GitHub, JobQueue, Ledger, Model


@dataclass(frozen=True)
class PullRequestPorts:
    """Everything outside that concerns one pull request. Only a flow itself sees all of it; each step gets its part.

    `new_id` gives the id of a new run.
    """

    github: GitHub
    ledger: Ledger
    conversation: ConversationStore
    model: Model
    queue: JobQueue
    new_id: Callable[[], str]
    settings: DeploymentSettings
    deadline: Deadline
