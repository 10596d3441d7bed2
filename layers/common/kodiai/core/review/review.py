"""The review that a run posts, and what is done on GitHub next to it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.judgement import KeptFinding, SuppressedFinding
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.json_object import JsonObject
from kodiai.core.review.check import Check


@dataclass(frozen=True)
class ReviewComment:
    """An inline comment: on the new side, on `line`, or from `start_line` to `line`."""

    path: str
    line: int
    start_line: int | None
    body: str
    side: Literal["RIGHT"] = "RIGHT"


_NO_CHECK = Check("", "")
ReviewEvent = Literal["COMMENT", "APPROVE", "REQUEST_CHANGES"]


@dataclass(frozen=True)
class Review:
    """What one run posts: one review, all or nothing."""

    event: ReviewEvent
    body: str
    comments: tuple[ReviewComment, ...]


@dataclass(frozen=True)
class PostedReview:
    """A review that stands on GitHub: its id, and its comments' ids by finding id."""

    review_id: str
    comment_ids: Mapping[str, str]


class UnplaceableComment(Exception):
    """GitHub refused the review because of a comment's place; it stored nothing and names no culprit."""


@dataclass(frozen=True)
class ThreadAction:
    """What we do in a finding's thread: say something, resolve it or open it again, or both.

    `otherwise` is said where it may not be resolved. `once` names what it answers, where the conversation may have
    answered that meanwhile.
    """

    thread: str
    finding: str
    say: str | None = None
    resolve: bool = False
    otherwise: str | None = None
    unresolve: bool = False
    once: str | None = None


@dataclass(frozen=True)
class PublishActions:
    """Everything that a run does on GitHub beside its review, in one request where there is a check run to close.

    `collapsed` and `lifted` are reviews of ours: those that are out of date, and those that asked for changes, which
    are dismissed with `lifted_why`.
    `posted` is the review whose comments' ids are to be read, `commented` the findings that it has comments about.
    `again` is whether an earlier try may have begun this.
    """

    check_id: str | None = None
    check: Check = _NO_CHECK
    acts: tuple[ThreadAction, ...] = ()
    collapsed: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    posted: PostedReview | None = None
    commented: frozenset[str] = frozenset()
    again: bool = False
    lifted_why: str = "No finding that was asked to be addressed is left."


@dataclass(frozen=True)
class PublishResults:
    """What came of it: the findings whose threads were resolved, and comments' ids by finding id."""

    resolved: tuple[str, ...]
    comment_ids: Mapping[str, str]


@dataclass(frozen=True)
class PendingReview:
    """The outbox: what is about to be posted and done, and what is remembered of it once it is.

    `review` is None where there is nothing to post. `findings` are new, `followed` were told before.
    `lifts` is whether a review of ours that asks for changes has no reason any more.
    `dropped` are the findings that were held back.
    """

    review: Review | None
    findings: tuple[KeptFinding, ...]
    facts: JsonObject
    check: Check
    followed: tuple[FindingUpdate, ...] = ()
    acts: tuple[ThreadAction, ...] = ()
    lifts: bool = False
    dropped: tuple[SuppressedFinding, ...] = ()
