"""A run: the review that it posts, what it does on GitHub next to it, and how the ledger keeps it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

from kodiai.core.findings.judgement import KeptFinding, SuppressedFinding
from kodiai.core.findings.lifecycle import FindingUpdate
from kodiai.core.json_object import JsonObject
from kodiai.core.review.check import Check
from kodiai.core.review.standing import Mirror, OpenedGate, Standing


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
AwaitsCi = Literal["approval", "ready"]
"""The part that a head gets once CI is green: our approval, or only the conclusion of its check run."""


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
    """What we do in a finding's thread: say something, resolve it or open it again, or both.

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


@dataclass(frozen=True)
class PendingReview:
    """The outbox: what is about to be posted and done, and what is remembered once it is; the ledger keeps it as JSON.

    `review` is None if there is nothing to post. `findings` are new, `updates` are about earlier ones.
    `dismisses_own_reviews` is whether our reviews that request changes have no reason any more,
    `withdraws_approval` whether those that approve have none, because something was not read.
    `summary_alone` is the check run's summary where the review cannot be posted.
    `awaits_ci` is what is withheld because a required check failed, None if nothing is.
    """

    review: Review | None
    findings: tuple[KeptFinding, ...]
    facts: JsonObject
    check: Check
    updates: Annotated[tuple[FindingUpdate, ...], Field(alias="followed")] = ()
    thread_actions: Annotated[tuple[ThreadAction, ...], Field(alias="acts")] = ()
    dismisses_own_reviews: Annotated[bool, Field(alias="lifts")] = False
    withdraws_approval: bool = False
    summary_alone: str = ""
    suppressed: Annotated[tuple[SuppressedFinding, ...], Field(alias="dropped")] = ()
    awaits_ci: AwaitsCi | None = None


RunStatus = Literal["running", "completed", "superseded", "failed"]


@dataclass(frozen=True)
class Run:
    """One review of one head, as the ledger has it.

    `delivery` is the GUID of the webhook that began it.
    `staged` is the review as it will be posted, stored before it is.
    `kept` is why its review is only kept, None if it was posted: it was a dry run, or a preview for an operator.
    `ended` is when it ended (seconds since the epoch), `ended_why` why it ended without a review.
    `left_unread` is how many files an earlier review of the head had not read when a person asked for this one.
    """

    id: str
    head: str
    base: str
    status: RunStatus
    started: float
    delivery: str = ""
    check_id: str | None = None
    review_id: str | None = None
    staged: PendingReview | None = None
    facts: JsonObject = field(default_factory=dict)
    kept: Literal["dry-run", "preview"] | None = None
    ended: float | None = None
    ended_why: str | None = None
    left_unread: int = 0


@dataclass(frozen=True)
class PullRequestState:
    """The runs of a pull request: which one is under way, which one completed last, and what head that one read.

    `completed_delivery` is the GUID of the webhook that began it, `completed_at` when it was done, in seconds since
    the epoch. `ended_run` is the last one that ended without a review,
    `unposted_run` the last one since the completed one whose review was not posted.
    `paused_by` is the login of the person who paused reviews, None while they are not paused.
    `awaits_ci` is what the completed run withheld because a required check of its head failed.
    `standing` is what the newest check run says, `mirrors` are the commits that show it too, and `opened` is the head
    that a person lets pass.
    """

    running: str | None
    completed_run: str | None
    completed_head: str | None
    ended_run: str | None = None
    unposted_run: str | None = None
    completed_delivery: str | None = None
    completed_at: float = 0.0
    paused_by: str | None = None
    awaits_ci: AwaitsCi | None = None
    standing: Standing | None = None
    mirrors: tuple[Mirror, ...] = ()
    opened: OpenedGate | None = None


class UnreadableFindings(Exception):
    """The stored findings cannot be read."""
