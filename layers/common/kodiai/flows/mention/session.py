"""The session: one attempt at a comment, which no other attempt works on at the same time."""

from types import TracebackType

from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.ports import ConversationStore


class MentionEnded(Exception):
    """Nothing more is done about a comment, and nothing is posted."""

    def __init__(self, status: OutcomeStatus, reason: str, facts: JsonObject | None = None) -> None:
        super().__init__(reason)
        self.outcome = Outcome(status, reason, facts or {})


class MentionSession:
    """Claims a comment for one attempt, and gives it back at the end. `key` names the comment."""

    def __init__(self, key: str, conversation: ConversationStore, attempt: DeliveryAttempt) -> None:
        self._key = key
        self._conversation = conversation
        self._attempt = attempt
        self._is_claimed = False

    def claim(self) -> None:
        """Claim the comment until the invocation is over.

        Raises MentionEnded where everything was done before, Retry while another attempt holds it.
        """
        if not self._conversation.claim(self._key, self._attempt.owner, until=self._attempt.deadline):
            raise MentionEnded("skipped", "it was served before", {"key": self._key})
        self._is_claimed = True

    def __enter__(self) -> "MentionSession":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._is_claimed:
            self._conversation.release(self._key, self._attempt.owner)
