"""The ports of one pull request, as a door opens them for one attempt at a message, and the time of the attempt."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.code.parser import CodeParser
from kodiai.core.config.settings import DeploymentSettings
from kodiai.core.errors import OutOfTime
from kodiai.core.events.job import DeliveryAttempt
from kodiai.ports.github import Code, GitHub
from kodiai.ports.jobs import Clock, JobQueue
from kodiai.ports.ledger import ConversationStore, GateStore, Ledger
from kodiai.ports.models import Embeddings, Model
from kodiai.ports.stores import ProposalStore, RepositoryMemory, VectorIndex


@dataclass(frozen=True)
class Deadline:
    """The end of the invocation that makes an attempt."""

    attempt: DeliveryAttempt
    clock: Clock

    def left(self) -> float:
        """Seconds until then."""
        return self.attempt.deadline - self.clock.now()

    def need(self, seconds: float) -> None:
        """Check the time before a step that takes this number of seconds. Raises OutOfTime if it no longer fits."""
        if self.left() < seconds:
            raise OutOfTime("the time of this invocation is up", after_seconds=0)


@dataclass(frozen=True)
class ModelPorts:
    """Everything outside that a question to a model needs."""

    ledger: Ledger
    model: Model
    settings: DeploymentSettings
    deadline: Deadline


@dataclass(frozen=True)
class PullRequestPorts(ModelPorts):
    """Everything outside that concerns one pull request; a session carries it from step to step.

    `embeddings` and `index` are None where the deployment does not remember findings. Answers to mentions have no
    `embeddings` either: what has no vector yet gets it at the next review. `new_id` gives the id of a run.
    `bot_login` is the login under which we write.
    """

    github: GitHub
    gates: GateStore
    conversation: ConversationStore
    queue: JobQueue
    embeddings: Embeddings | None
    index: VectorIndex | None
    memory: RepositoryMemory
    proposals: ProposalStore
    code: Code
    parser: CodeParser
    new_id: Callable[[], str]
    bot_login: str


@dataclass(frozen=True)
class ProposalReviewPorts(ModelPorts):
    """Everything outside that the review of a proposal needs, with the rights of our App.

    `github` is the pull request that it is for; without one only its files are asked for. `bot_login` is the login
    under which we write.
    """

    code: Code
    store: ProposalStore
    github: GitHub
    bot_login: str
    parser: CodeParser
