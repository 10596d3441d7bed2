"""The payloads of the webhooks that we act on, cut down to the fields that we use."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Never

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kodiai.core.events.job import CommitId, Login, Number, RepositoryName

MAX_BODY_BYTES = 5 * 1024 * 1024
"""The largest body that is read, in bytes.

An invocation's payload ends at 6 MB, and the body travels in it as an escaped JSON string beside headers and
request context; what is nearer to that than 1 MB would arrive only by luck, so it is refused in words instead.
Source: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""


def _epoch(value: object) -> int:
    """Read GitHub's time, "2026-01-26T19:01:12Z"."""
    if not isinstance(value, str):
        raise ValueError("no time")  # noqa: TRY004 - what pydantic takes for a complaint
    moment = datetime.fromisoformat(value)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


class _Slim(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", hide_input_in_errors=True)


class Account(_Slim):
    """A person, an organization, or a bot (`type` is then "Bot")."""

    login: Login
    type: str = "User"


class Repository(_Slim):
    """A repository, "owner/name"."""

    full_name: RepositoryName


class Installation(_Slim):
    """The installation of our App through which the delivery came."""

    id: Number


class Head(_Slim):
    """The newest commit of a pull request."""

    sha: CommitId


class PullRequest(_Slim):
    """A pull request; `user` is None where its author's account is gone."""

    number: Number
    user: Account | None
    head: Head


class CheckRun(_Slim):
    """A check run; `external_id` is what its App wrote there."""

    external_id: str | None = None


class _Event(_Slim):
    action: str
    sender: Account
    installation: Installation | None = None


class Label(_Slim):
    """A label."""

    name: str


class Changes(_Slim):
    """What of a pull request was edited; `base` is there where it goes into another branch now."""

    base: Mapping[str, Any] | None = None


class PullRequestEvent(_Event):
    """Something happened to a pull request. `requested_reviewer` is None where a team was asked."""

    repository: Repository
    pull_request: PullRequest
    requested_reviewer: Account | None = None
    label: Label | None = None
    changes: Changes = Changes()


class CheckRunEvent(_Event):
    """A check run was created, completed, or asked for again."""

    repository: Repository
    check_run: CheckRun


class Comment(_Slim):
    """What somebody said; `user` is None where that account is gone, `body` where a review says nothing as a whole.

    `created_at` is in seconds since the epoch; of a review it is when it was submitted.
    """

    id: Number
    node_id: str
    user: Account | None
    body: str | None
    created_at: Annotated[
        int, BeforeValidator(_epoch), Field(validation_alias=AliasChoices("created_at", "submitted_at"))
    ]
    in_reply_to_id: Number | None = None


class Issue(_Slim):
    """An issue; it is a pull request where it has one."""

    number: Number
    title: str
    pull_request: Mapping[str, Any] | None = None


class TitledPullRequest(_Slim):
    """A pull request that something was said about."""

    number: Number
    title: str


class IssueCommentEvent(_Event):
    """Somebody said something in the conversation of an issue or a pull request."""

    repository: Repository
    issue: Issue
    comment: Comment


class ReviewCommentEvent(_Event):
    """Somebody said something in a thread on the code."""

    repository: Repository
    pull_request: TitledPullRequest
    comment: Comment


class ReviewEvent(_Event):
    """Somebody reviewed; the comments of a review come as events of their own."""

    repository: Repository
    pull_request: TitledPullRequest
    review: Comment


class InstallationEvent(_Event):
    """Our App was installed, removed, suspended, or given other permissions."""


class PingEvent(_Slim):
    """GitHub tries a new webhook."""

    hook_id: Number


@dataclass(frozen=True)
class OtherEvent:
    """An event that we know nothing about."""

    name: str


SaidEvent = IssueCommentEvent | ReviewCommentEvent | ReviewEvent
KnownEvent = PullRequestEvent | CheckRunEvent | SaidEvent | InstallationEvent | PingEvent
Event = KnownEvent | OtherEvent

_EVENTS: Mapping[str, type[KnownEvent]] = {
    "pull_request": PullRequestEvent,
    "check_run": CheckRunEvent,
    "issue_comment": IssueCommentEvent,
    "pull_request_review_comment": ReviewCommentEvent,
    "pull_request_review": ReviewEvent,
    "installation": InstallationEvent,
    "ping": PingEvent,
}


@dataclass(frozen=True)
class Malformed:
    """A payload that cannot be read; the reason is shown in the webhook log and repeats nothing of the payload."""

    reason: str


def read_event(name: str, body: bytes) -> Event | Malformed:
    """Read the payload of the event of this name."""
    payload = read_json(body)
    if isinstance(payload, Malformed):
        return payload
    model = _EVENTS.get(name)
    if model is None:
        return OtherEvent(name)
    try:
        return model.model_validate(payload)
    except ValidationError as error:
        field = ".".join(str(part) for part in error.errors()[0]["loc"])
        return Malformed(f"The payload of “{name}” has no usable {field}.")


def read_json(body: bytes) -> dict[str, Any] | Malformed:
    """Read a JSON object strictly: UTF-8, no key twice, no number that is none, no half of a surrogate pair."""
    if body.startswith(b"payload="):
        return Malformed("The body is a form: set the webhook's content type to application/json.")
    try:
        value = json.loads(
            body.decode(), object_pairs_hook=_each_key_once, parse_constant=_no_number, parse_float=_finite
        )
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode()  # where an escape can hide a lone surrogate
    except UnicodeDecodeError:
        return Malformed("The body is not UTF-8.")
    except UnicodeEncodeError:
        return Malformed("The body has half of a surrogate pair.")
    except RecursionError:
        return Malformed("The body is nested too deeply.")
    except ValueError:
        return Malformed("The body is not JSON.")
    return value if isinstance(value, dict) else Malformed("The body is JSON, but not an object.")


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> Never:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError("a number is too large")
    return number
