"""Jobs: what ingest queues and a review or an answer takes up, and the attempts at them."""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kodiai.core.errors import Broken
from kodiai.core.github.comment import CommentPayload
from kodiai.core.github.names import (
    MESSAGE,
    BranchName,
    CommitId,
    DeliveryId,
    LabelName,
    Login,
    Number,
    Owner,
    RepositoryName,
    RepositoryRef,
    Surface,
)
from kodiai.core.metrics import Paid

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
    "checks_completed",
    "decided",
]

OPERATOR = "(operator)"
"""The sender of a request that an operator makes on the command line; no login on GitHub has parentheses.

Only somebody who knows the webhook's secret can send it.
"""

MOST_NAMED = 2_400
"""The most repositories that a message names."""

MOST_NUMBERS = 100
"""The most pull requests that a message names."""

_GROUP_CHARACTERS = 128
_DIGEST_CHARACTERS = 16


ProposalId = Annotated[str, Field(pattern=r"^P-[0-9a-f]{20}$")]


class _Queued(BaseModel):
    """A job.

    `delivery` is the GUID of the webhook that asked for it and keeps its repeats out of the queue.
    `installation` is None where a token serves instead of a GitHub App. `sender` is the login of who caused it.
    """

    model_config = MESSAGE

    delivery: DeliveryId
    installation: Number | None
    sender: Login

    @property
    def origin(self) -> str:
        """The GUID of the webhook that began it, however often it was continued."""
        return self.delivery.partition(".")[0]

    @property
    def continuations(self) -> int:
        """The number of continuations so far."""
        return int(self.delivery.partition(".")[2] or 0)

    @property
    def deduplication_id(self) -> str:
        """Its name for SQS, which drops a second message of that name for five minutes."""
        return self.delivery

    def _next(self, **changes: object) -> Self:
        """The job that follows, under an id of its own: SQS drops a repeated id for five minutes.

        The id follows from this job's id, so a job that is done twice is followed by one.
        """
        return self.model_copy(update={"delivery": f"{self.origin}.{self.continuations + 1}", **changes})

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


class _RepositoryJob(_Queued):
    """A job about one repository: its name as it was in the webhook, GitHub's id of it, and its owner's id."""

    repository: RepositoryName
    repository_id: Number
    owner_id: Number

    @property
    def ref(self) -> RepositoryRef:
        """The repository."""
        return RepositoryRef(name=self.repository, id=self.repository_id, owner_id=self.owner_id)


class _PullRequestJob(_RepositoryJob):
    """A job for a pull request.

    `outsider` is the login of somebody who is no member of the repository and caused it, None for everybody else.
    """

    number: Number
    outsider: Login | None = None

    @property
    def subject(self) -> str:
        """The subject, for people."""
        return f"{self.repository}#{self.number}"

    @property
    def facts(self) -> dict[str, str | int]:
        """The subject, for the log."""
        return {"repository": self.repository, "pull_request": self.number}

    @property
    def _group(self) -> str:
        return self.subject if self.outsider is None else f"{self.repository}@{self.outsider}"

    @property
    def group_id(self) -> str:
        """The SQS message group: jobs of one pull request are done one after the other, and all jobs of one outsider.

        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
        """
        group = self._group
        if len(group) <= _GROUP_CHARACTERS:
            return group
        digest = hashlib.sha256(group.encode()).hexdigest()[:_DIGEST_CHARACTERS]
        return f"{group[: _GROUP_CHARACTERS - 1 - _DIGEST_CHARACTERS]}-{digest}"


class Job(_PullRequestJob):
    """Look at a pull request: the head is reviewed as it is when the job is processed.

    `head` is the one that a push brought; the job waits until no newer push came for some time.
    `label` is the one that was added or removed, `requested` the login whose review was requested. `by_bot` is
    whether the pull request is a bot's, by the type of its author's account, and nobody asked us to review it.
    A `preview` shows an operator what a first review would post, and leaves everything as it is.
    `others` are the numbers of further pull requests that the same event is about.
    """

    kind: Literal["review"] = "review"
    trigger: Trigger
    head: CommitId | None = None
    label: LabelName | None = None
    requested: Login | None = None
    by_bot: bool = False
    preview: bool = False
    others: Annotated[tuple[Number, ...], Field(max_length=MOST_NUMBERS)] = ()

    @property
    def facts(self) -> dict[str, str | int]:
        """The subject, for the log."""
        return {**super().facts, **({"preview": True} if self.preview else {})}

    @property
    def _group(self) -> str:
        """No review waits behind a preview."""
        return f"{self.subject}#preview" if self.preview else super()._group

    def to_message(self) -> str:
        """Write it as the body of a message, which says nothing of previews and others unless there are any.

        During an upgrade a function of the release before may read it.
        """
        return self.model_dump_json(exclude={name for name in ("preview", "others") if not getattr(self, name)})

    @property
    def is_doubtful(self) -> bool:
        """Whether most such jobs lead to nothing: those of labels, and of bots' pull requests that nobody asked for."""
        return self.by_bot or self.label is not None

    def for_others(self) -> Iterator["Job"]:
        """The jobs of the further pull requests; each has an id of its own that follows from this one's."""
        for number in self.others:
            yield self.model_copy(update={"delivery": f"{self.origin}-{number}", "number": number, "others": ()})

    def continued(self) -> "Job":
        """The same job again, which does not wait."""
        return self._next(head=None)

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


class MergeGroupJob(_PullRequestJob):
    """Show on a commit of a merge queue what the reviews of its pull requests say.

    `head` is the commit, `base` the branch with the queue. `numbers` are the pull requests that the commit's branch
    names, `number` is the last of them.
    """

    kind: Literal["merge_group"] = "merge_group"
    trigger: Literal["checks_requested", "destroyed"]
    head: CommitId
    base: BranchName
    numbers: Annotated[tuple[Number, ...], Field(min_length=1, max_length=MOST_NUMBERS)]

    @property
    def _group(self) -> str:
        """The queue does not wait for a review."""
        return f"{self.subject}#queue"


class Mention(_PullRequestJob):
    """Read a comment, and answer it where it is meant for us. In messages the comment is called `said`."""

    model_config = MESSAGE | ConfigDict(serialize_by_alias=True)

    kind: Literal["mention"] = "mention"
    comment: CommentPayload = Field(alias="said")

    @property
    def trigger(self) -> Surface:
        """The place of the comment, for the log."""
        return self.comment.surface


class ItemKey(BaseModel):
    """The key of an item in the table."""

    model_config = MESSAGE

    pk: str
    sk: str


class ForgetJob(_Queued):
    """Delete what is stored about repositories of an owner on which the App is no longer installed.

    `owner` is the login of the owner, `owner_id` GitHub's id of the account. `repositories` are the ids of those
    that GitHub named. Without any, all repositories of the owner are looked at.
    `after` is the last item of the table that was looked at, None at the beginning. `again` is whether this is the
    second look, which finds what was written during the first one; `waits_left` is how many more messages wait before
    it begins.
    """

    kind: Literal["forget"] = "forget"
    trigger: Literal["uninstalled", "repositories_removed"]
    owner: Owner
    owner_id: Number
    repositories: Annotated[tuple[Number, ...], Field(max_length=MOST_NAMED)] = ()
    after: ItemKey | None = None
    again: bool = False
    waits_left: Annotated[int, Field(ge=0)] = 0

    @property
    def subject(self) -> str:
        """The subject, for people."""
        return f"repositories of {self.owner}"

    @property
    def facts(self) -> dict[str, str | int]:
        """The subject, for the log."""
        return {"owner": self.owner, "named_repositories": len(self.repositories)}

    @property
    def group_id(self) -> str:
        """The SQS message group: an owner's jobs are done one after the other; those that wait are in nobody's way."""
        return f"{self.owner}#{'again' if self.again else 'forget'}"

    @property
    def waits(self) -> bool:
        """Whether it begins only some time after it was sent."""
        return self.again and self.after is None

    def continued(self, after: ItemKey) -> "ForgetJob":
        """The rest of this look."""
        return self._next(after=after)

    def second_look(self, waits: int) -> "ForgetJob":
        """The look that follows this one, after this number of messages that wait, it included."""
        return self._next(after=None, again=True, waits_left=waits - 1)

    def waited(self) -> "ForgetJob":
        """The message that waits after this one."""
        return self._next(waits_left=self.waits_left - 1)


class ProposalJob(_RepositoryJob):
    """Review a revision of a proposal. `number` is the pull request that it is for, None if it is for a commit.

    `delivery` is the proposal's id with the revision, so each revision is queued once.
    """

    kind: Literal["proposal"] = "proposal"
    trigger: Literal["proposed"] = "proposed"
    number: Number | None
    proposal: ProposalId
    revision: Annotated[int, Field(ge=1)]

    @property
    def subject(self) -> str:
        """The subject, for people."""
        return f"{self.proposal} of {self.repository}"

    @property
    def facts(self) -> dict[str, str | int]:
        """The subject, for the log."""
        number = {} if self.number is None else {"pull_request": self.number}
        return {"repository": self.repository, **number, "proposal": self.proposal, "revision": self.revision}

    @property
    def group_id(self) -> str:
        """The SQS message group: revisions of one proposal are reviewed one after the other."""
        return self.proposal


class RerunJob(_RepositoryJob):
    """Request the review of every pull request that has a check run of ours on a commit, the `head`, again.

    `numbers` are those that GitHub names.
    """

    kind: Literal["rerun"] = "rerun"
    trigger: Literal["rerequested"] = "rerequested"
    head: CommitId
    numbers: Annotated[tuple[Number, ...], Field(max_length=MOST_NUMBERS)] = ()

    @property
    def subject(self) -> str:
        """The commit, for people."""
        return f"{self.head[:7]} of {self.repository}"

    @property
    def facts(self) -> dict[str, str | int]:
        """The repository and the commit, for the log."""
        return {"repository": self.repository, "head": self.head}

    @property
    def group_id(self) -> str:
        """The SQS message group."""
        return self.head

    def request(self, number: int) -> Job:
        """The request for one of them, under an id that follows from this job's, so a repeat leads to nothing."""
        given = self.model_dump(exclude={"kind", "head", "numbers"})
        return Job.model_validate(given | {"delivery": f"{self.delivery}-{number}", "number": number})


ReviewJob = Job | ForgetJob | ProposalJob | MergeGroupJob | RerunJob
"""The messages of the queue of reviews."""

QueuedJob = ReviewJob | Mention
"""The messages of both queues."""


def read_review_job(body: str) -> ReviewJob:
    """Read a message of the queue of reviews. Raises Broken where it is none of its jobs."""
    for kind in (ForgetJob, ProposalJob, MergeGroupJob, RerunJob):
        with suppress(Broken):
            return kind.from_message(body)
    return Job.from_message(body)


@dataclass(frozen=True)
class DeliveryAttempt:
    """One try at a message.

    `owner` names the invocation; `started`, `deadline` and when the message was `sent` are in seconds since the epoch.
    `attempt` counts from 1; after as many as `attempts` the message goes to the dead letters.
    Each question to a model adds to what was `paid`, which is logged however the attempt ends.
    """

    owner: str
    started: float
    deadline: float
    attempt: int
    attempts: int
    sent: float = 0.0
    paid: Paid = field(default_factory=Paid)

    @property
    def is_last(self) -> bool:
        """Whether there is no attempt after this one."""
        return self.attempt >= self.attempts
