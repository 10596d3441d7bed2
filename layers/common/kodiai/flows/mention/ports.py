"""What answering a mention is given: the ports of one pull request, the settings, and the time that is left."""

from dataclasses import dataclass

from kodiai.core.settings import DeploymentSettings
from kodiai.flows.deadline import Deadline
from kodiai.ports import ConversationStore, GitHub, JobQueue, Ledger, Model


@dataclass(frozen=True)
class MentionPorts:
    """The outside of one pull request, for one attempt at a mention."""

    github: GitHub
    conversation: ConversationStore
    ledger: Ledger
    model: Model
    queue: JobQueue
    deadline: Deadline
    settings: DeploymentSettings
