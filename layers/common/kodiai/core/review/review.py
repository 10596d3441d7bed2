"""A run: the review that it posts, what it does on GitHub next to it, and how the ledger keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kodiai.core.review.check import Check


@dataclass(frozen=True)
class ReviewComment:
    """An inline comment: on the new side, on `line`, or from `start_line` to `line`."""

    path: str
    line: int
    start_line: int | None
    body: str
    side: Literal["RIGHT"] = "RIGHT"


ReviewEvent = Literal["COMMENT", "APPROVE", "REQUEST_CHANGES"]


@dataclass(frozen=True)
class Review:
    """The one review that a run posts, all or nothing; `replaces` is whether our older ones are out of date then."""

    event: ReviewEvent
    body: str
    comments: tuple[ReviewComment, ...]
    replaces: bool = True


@dataclass(frozen=True)
class PostedReview:
    """A review that is on GitHub: its id, and its comments' ids by finding id."""

    review_id: str
    comment_ids: Mapping[str, str]


class UnplaceableComment(Exception):
    """GitHub refused the review because of a comment's place; it stored nothing and does not say which comment."""


@dataclass(frozen=True)
class ThreadAction:
    """An action in a finding's thread: say something, resolve it or open it again, or both.

    `otherwise` is said if it may not be resolved. `once` names the reply that it answers, which the conversation may
    have answered meanwhile.
    """

    thread: str
    finding: str
    say: str | None = None
    resolve: bool = False
    otherwise: str | None = None
    unresolve: bool = False
    once: str | None = None


NO_CHECK = Check("", "")


@dataclass(frozen=True)
class PublishActions:
    """Everything that a run does on GitHub next to its review, in one request if there is a check run to close.

    `minimized` and `dismissed` are reviews of ours, by id: those that are out of date, and those whose verdict no
    longer holds, which are dismissed with the `dismissal_message`.
    `posted` is the review whose comments' ids are to be read, `commented` the findings that it has comments about.
    `is_retry` is whether an earlier attempt may have begun this.
    """

    check_id: str | None = None
    check: Check = NO_CHECK
    thread_actions: tuple[ThreadAction, ...] = ()
    minimized: tuple[str, ...] = ()
    dismissed: tuple[str, ...] = ()
    posted: PostedReview | None = None
    commented: frozenset[str] = frozenset()
    is_retry: bool = False
    dismissal_message: str = "No finding that was asked to be addressed is left."


@dataclass(frozen=True)
class PublishResults:
    """The findings whose threads were resolved, and comments' ids by finding id."""

    resolved: tuple[str, ...]
    comment_ids: Mapping[str, str]
