"""The payloads of the webhooks that we act on, cut down to the fields that we use."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AliasChoices, AliasPath, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from kodiai.core.github.names import (
    BranchName,
    CommitId,
    LabelName,
    Login,
    NodeId,
    Number,
    Owner,
    RepositoryName,
    Surface,
    Title,
)

MAX_BODY_BYTES = 5 * 1024 * 1024
"""The largest body that is read, in bytes.

An invocation's payload ends at 6 MB, and the body is an escaped JSON string in it, next to headers and request
context. A body that is less than 1 MB smaller would arrive only by luck, so it is refused in words instead.
Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""


# It is shown in the answer and in the log.
_Action = Annotated[str, Field(pattern=r"^[a-z_]{1,100}$")]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _Slim(BaseModel):
    """A part of a payload. What a job takes of it has the job's own limits: no job that is made of it is refused."""

    model_config = ConfigDict(
        frozen=True,
        strict=True,
        extra="ignore",
        hide_input_in_errors=True,
        defer_build=True,  # an event needs one of them
    )


class Account(_Slim):
    """A person, an organization, or a bot (`type` is then "Bot")."""

    login: Login
    type: str = "User"

    @property
    def is_bot(self) -> bool:
        """Whether it is a bot's."""
        return self.type == "Bot"


class _Event(_Slim):
    """`repository` is "owner/name", `repository_id` and `owner_id` are GitHub's numeric ids of it and of its owner.

    `installation` is the id of our App's installation, None where a token serves.
    """

    action: _Action
    sender: Account
    repository: RepositoryName = Field(validation_alias=AliasPath("repository", "full_name"))
    repository_id: Number = Field(validation_alias=AliasPath("repository", "id"))
    owner_id: Number = Field(validation_alias=AliasPath("repository", "owner", "id"))
    installation: Number | None = Field(default=None, validation_alias=AliasPath("installation", "id"))


class PullRequestEvent(_Event):
    """Something happened to a pull request.

    `author` is None where that account is gone, `requested_reviewer` where a team was asked. `label` is the one that
    was added or removed. `changed_base` is there where another base branch was chosen.
    `association` is GitHub's word for how the author belongs to the repository.
    """

    number: Number = Field(validation_alias=AliasPath("pull_request", "number"))
    author: Account | None = Field(validation_alias=AliasPath("pull_request", "user"))
    association: str | None = Field(default=None, validation_alias=AliasPath("pull_request", "author_association"))
    head: CommitId = Field(validation_alias=AliasPath("pull_request", "head", "sha"))
    requested_reviewer: Account | None = None
    label: LabelName | None = Field(default=None, validation_alias=AliasPath("label", "name"))
    changed_base: Mapping[str, Any] | None = Field(default=None, validation_alias=AliasPath("changes", "base"))


class PullRequestRef(_Slim):
    """A pull request by its number; `repository_id` is the repository that it goes into."""

    number: Number
    repository_id: Number | None = Field(default=None, validation_alias=AliasPath("base", "repo", "id"))


class _CheckEvent(_Event):
    """`pull_requests` are those from branches of the repository, into any one: GitHub names none from a fork."""

    pull_requests: tuple[PullRequestRef, ...]

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of those that go into this repository."""
        here = (None, self.repository_id)
        return frozenset(each.number for each in self.pull_requests if each.repository_id in here)


class CheckRunEvent(_CheckEvent):
    """A check run was created, completed, or requested again; `external_id` is what its App wrote there.

    `head` is the commit, `head_branch` its branch, None in a fork.
    """

    external_id: str | None = Field(default=None, validation_alias=AliasPath("check_run", "external_id"))
    head: CommitId | None = Field(default=None, validation_alias=AliasPath("check_run", "head_sha"))
    head_branch: BranchName | None = Field(
        default=None, validation_alias=AliasPath("check_run", "check_suite", "head_branch")
    )
    pull_requests: Annotated[tuple[PullRequestRef, ...], Field(strict=False)] = Field(
        default=(), validation_alias=AliasPath("check_run", "pull_requests")
    )


class CheckSuiteEvent(_CheckEvent):
    """All check runs of an App on a commit were completed, or requested again.

    `head` is the commit, `head_branch` its branch, None in a fork. `app` is the id of the App.
    """

    head: CommitId = Field(validation_alias=AliasPath("check_suite", "head_sha"))
    head_branch: BranchName | None = Field(default=None, validation_alias=AliasPath("check_suite", "head_branch"))
    app: Number | None = Field(default=None, validation_alias=AliasPath("check_suite", "app", "id"))
    pull_requests: Annotated[tuple[PullRequestRef, ...], Field(strict=False)] = Field(
        default=(), validation_alias=AliasPath("check_suite", "pull_requests")
    )


class MergeGroupEvent(_Event):
    """A commit of a merge queue waits for its checks, or is gone; `head_ref` is the git reference of its branch."""

    head: CommitId = Field(validation_alias=AliasPath("merge_group", "head_sha"))
    head_ref: BranchName = Field(validation_alias=AliasPath("merge_group", "head_ref"))


class WebhookComment(_Slim):
    """A comment or a review; `user` is None where that account is gone, `body` where a review has none.

    `created_at` is when it was created; a review, when it was submitted. `association` is GitHub's word for how the
    author belongs to the repository.
    """

    id: Number
    node_id: NodeId
    user: Account | None
    body: str | None
    created_at: Annotated[
        AwareDatetime, Field(strict=False, ge=_EPOCH, validation_alias=AliasChoices("created_at", "submitted_at"))
    ]
    in_reply_to_id: Number | None = None
    association: str | None = Field(default=None, validation_alias="author_association")


class CommentEvent(_Event):
    """A comment was written, or a review submitted, whose comments come as events of their own.

    `issue_pull_request` is there where an issue is a pull request.
    """

    surface: Surface
    comment: WebhookComment = Field(validation_alias=AliasChoices("comment", "review"))
    number: Number = Field(
        validation_alias=AliasChoices(AliasPath("pull_request", "number"), AliasPath("issue", "number"))
    )
    title: Title = Field(validation_alias=AliasChoices(AliasPath("pull_request", "title"), AliasPath("issue", "title")))
    issue_pull_request: Mapping[str, Any] | None = Field(
        default=None, validation_alias=AliasPath("issue", "pull_request")
    )


class RemovedRepository(_Slim):
    """A repository by its numeric id."""

    id: Number


class InstallationEvent(_Slim):
    """The App was installed or uninstalled, or repositories were added to its installation or removed from it.

    `owner` is the account that has the installation, `owner_id` its numeric id; both are None if that is an
    enterprise, which has no repositories.
    `repositories` are those that were removed. GitHub names none when "all" changes to "selected".
    """

    action: _Action
    sender: Account
    owner: Owner | None = Field(default=None, validation_alias=AliasPath("installation", "account", "login"))
    owner_id: Number | None = Field(default=None, validation_alias=AliasPath("installation", "account", "id"))
    installation: Number = Field(validation_alias=AliasPath("installation", "id"))
    repositories: Annotated[tuple[RemovedRepository, ...], Field(strict=False)] = Field(
        default=(), validation_alias="repositories_removed"
    )


@dataclass(frozen=True)
class OtherEvent:
    """An event that leads to nothing, whatever it holds."""

    name: str


KnownEvent = PullRequestEvent | CheckRunEvent | CheckSuiteEvent | MergeGroupEvent | CommentEvent | InstallationEvent
Event = KnownEvent | OtherEvent

_EVENTS: Mapping[str, type[KnownEvent]] = {
    "pull_request": PullRequestEvent,
    "check_run": CheckRunEvent,
    "check_suite": CheckSuiteEvent,
    "merge_group": MergeGroupEvent,
    "installation": InstallationEvent,
    "installation_repositories": InstallationEvent,
}
_SURFACES: Mapping[str, Surface] = {
    "issue_comment": "conversation",
    "pull_request_review_comment": "thread",
    "pull_request_review": "review",
}

SUBSCRIPTIONS = tuple(sorted((*(name for name in _EVENTS if not name.startswith("installation")), *_SURFACES)))
"""The events that the App has to subscribe to; every App gets those about its installations."""


@dataclass(frozen=True)
class Malformed:
    """A payload that cannot be read; the reason is shown in the webhook log and repeats nothing of the payload."""

    reason: str


def read_event(name: str, body: bytes) -> Event | Malformed:
    """Read the payload of the event of this name."""
    if body.startswith(b"payload="):
        return Malformed("The body is a form: set the webhook's content type to application/json.")
    try:
        payload = from_json(body, allow_inf_nan=False)
    except ValueError:
        return Malformed("The body is not JSON.")
    if not isinstance(payload, dict):
        return Malformed("The body is JSON, but not an object.")
    model = CommentEvent if name in _SURFACES else _EVENTS.get(name)
    if model is None:
        return OtherEvent(name)
    try:
        return model.model_validate({**payload, "surface": _SURFACES.get(name)})
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        return Malformed(f"The payload of “{name}” has no usable {field}.")
