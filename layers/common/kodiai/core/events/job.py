"""Jobs: what ingest queues and a review or an answer takes up, and the attempts at them."""

import hashlib
from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kodiai.core.errors import Broken

Trigger = Literal[
    "opened",
    "reopened",
    "ready_for_review",
    "review_requested",
    "synchronize",
    "labeled",
    "unlabeled",
    "edited",
    "closed",
    "rerequested",
    "full_review",
]

MOST_SAID = 16_000
"""How many characters of a comment are read: a message of SQS has room for them however they are encoded."""

_GROUP_CHARACTERS = 128
_DIGEST_CHARACTERS = 16


# No name of a repository is of dots alone, which would be a step in a path.
RepositoryName = Annotated[
    str, Field(max_length=201, pattern=r"^[A-Za-z0-9_-]{1,100}/\.*[A-Za-z0-9_-][A-Za-z0-9._-]*$")
]
Login = Annotated[str, Field(min_length=1, max_length=100)]
Number = Annotated[int, Field(gt=0, lt=2**53)]
DeliveryId = Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,128}$")]
CommitId = Annotated[str, Field(pattern=r"^[0-9a-f]{40,64}$")]


Surface = Literal["thread", "conversation", "review"]
"""Where a comment is: in a thread on the code, in the pull request's conversation, or in the body of a review."""


class _Queued(BaseModel):
    """A job for a pull request.

    `delivery` is the GUID of the webhook that asked for it and keeps its repeats out of the queue.
    `installation` is None where a token serves instead of a GitHub App. `sender` is the login of who caused it.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    delivery: DeliveryId
    repository: RepositoryName
    number: Number
    installation: Number | None
    sender: Login

    @property
    def group_id(self) -> str:
        """The SQS message group: jobs of one pull request are done one after the other.

        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        """
        name = f"{self.repository}#{self.number}"
        if len(name) <= _GROUP_CHARACTERS:
            return name
        digest = hashlib.sha256(name.encode()).hexdigest()[:_DIGEST_CHARACTERS]
        return f"{name[: _GROUP_CHARACTERS - 1 - _DIGEST_CHARACTERS]}-{digest}"

    @property
    def deduplication_id(self) -> str:
        """Its name for SQS, which drops a second message of that name for five minutes."""
        return self.delivery

    def to_message(self) -> str:
        """Write it as the body of a message."""
        return self.model_dump_json()

    @classmethod
    def from_message(cls, body: str) -> Self:
        """Read the body of a message. Raises Broken where it is not exactly one of these."""
        try:
            return cls.model_validate_json(body)
        except ValidationError as error:
            where = ", ".join(sorted({".".join(map(str, each["loc"])) or "JSON" for each in error.errors()}))
            raise Broken(f"The message is not a job: {where[:200]}.") from error


class Job(_Queued):
    """Look at a pull request: the head is reviewed as it is when the job is processed.

    `head` is the one that a push brought; the job waits until no newer push came for some time.
    `label` is the one that was added or removed. `by_bot` is whether the pull request is a bot's, by the type of
    its author's account, and nobody asked us to review it.
    """

    kind: Literal["review"] = "review"
    trigger: Trigger
    head: CommitId | None = None
    label: Annotated[str, Field(max_length=1_000)] | None = None
    by_bot: bool = False

    @property
    def origin(self) -> str:
        """The GUID of the webhook that began it, however often it was continued."""
        return self.delivery.partition(".")[0]

    @property
    def continuations(self) -> int:
        """How many times it was continued so far."""
        return int(self.delivery.partition(".")[2] or 0)

    def continued(self) -> "Job":
        """The same job again, under an id of its own: SQS drops a repeated id for five minutes.

        The id follows from this job's id, so a job that is done twice is continued once. It does not wait again.
        """
        return self.model_copy(update={"delivery": f"{self.origin}.{self.continuations + 1}", "head": None})

    def overtaken_by(self, head: str) -> "Job":
        """The job that waits in place of this one, since a newer push brought another head."""
        return self.continued().model_copy(update={"head": head})

    @property
    def deduplication_id(self) -> str:
        """Its name for SQS: where one push overtakes several, one job continues for all of them.

        Only the first job after a push is named by its head. Later ones have names of their own, so that the job that
        continues is never dropped itself.
        """
        return f"head-{self.head}" if self.head is not None and self.continuations == 1 else self.delivery


class CommentPayload(BaseModel):
    """A comment as it was when it was written: nobody can change it afterwards.

    `id` and `node_id` are GitHub's ids of the comment, or of the review; `reply_to` is the review comment that it
    answers. `text` is Markdown, cut at MOST_SAID characters. `at` is in seconds since the epoch.
    `title` is the pull request's title then.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    surface: Surface
    id: Number
    node_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9_=+/-]{1,200}$")]
    reply_to: Number | None
    text: str
    at: Annotated[int, Field(ge=0, lt=2**53)]
    title: str

    @property
    def key(self) -> str:
        """Its name among all comments of a repository: "thread-123"."""
        return f"{self.surface}-{self.id}"


class Mention(_Queued):
    """Read a comment, and answer it where it is meant for us."""

    kind: Literal["mention"] = "mention"
    said: CommentPayload

    @property
    def trigger(self) -> Surface:
        """Where it was written, for the log."""
        return self.said.surface


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
        """Whether there is no attempt after this one."""
        return self.attempt >= self.attempts
