"""The session of a mention: its ports, and its claim on the comment, which ends with it."""

from types import TracebackType

from kodiai.core.config.keys import Config
from kodiai.core.events.job import Mention
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import CommentPayload
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Ended, Outcome, OutcomeStatus
from kodiai.flows.memory import Memory
from kodiai.flows.model.answers import ModelAnswers
from kodiai.flows.pull_request_ports import PullRequestPorts


class MentionSession:
    """Everything outside that concerns one comment, for one attempt at answering it.

    Leaving it gives the comment back if it was claimed. `Ended` becomes the `outcome`; every other error is raised
    again, so that a redelivery continues.
    """

    def __init__(self, mention: Mention, ports: PullRequestPorts) -> None:
        self.mention = mention
        self.ports = ports
        self.memory = Memory(ports.embeddings, ports.index, ports.memory)
        self.outcome = Outcome("skipped", "nothing was done")
        self._has_claim = False

    def __enter__(self) -> "MentionSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._has_claim:
            self.ports.conversation.release(self.key, self.ports.deadline.attempt.owner)
        if not isinstance(error, Ended):
            return False
        self.outcome = error.outcome
        return True

    @property
    def comment(self) -> CommentPayload:
        """The comment as it was written."""
        return self.mention.comment

    @property
    def key(self) -> str:
        """The comment's name in the conversation store."""
        return self.comment.key

    def claim(self) -> None:
        """Take the comment for this attempt. Raises Ended if it was answered, Retry while another attempt has it."""
        attempt = self.ports.deadline.attempt
        if not self.ports.conversation.claim(self.key, attempt.owner, until=attempt.deadline):
            raise self.ended("skipped", "the comment was answered before")
        self._has_claim = True

    def ended(self, status: OutcomeStatus, reason: str, **facts: str) -> Ended:
        """An early end, with the comment's name among its facts."""
        named: JsonObject = {"key": self.key, **facts}
        return Ended(status, reason, named)

    def can_decide(self, finding: KnownFinding) -> bool:
        """Whether a finding is open, or an earlier attempt at this very comment has closed it."""
        return finding.status == "open" or finding.decided == self.key

    def model_answers(self, config: Config) -> ModelAnswers:
        """The models' answers, within the budget of the repository's settings."""
        return ModelAnswers(self.ports, budget=config.budget)
