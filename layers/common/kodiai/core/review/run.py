"""A run: one review of one head, as the ledger has it."""

from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.json_object import JsonObject
from kodiai.core.review.review import PendingReview

RunStatus = Literal["running", "completed", "superseded", "failed"]


@dataclass(frozen=True)
class Run:
    """One review of one head, as the ledger has it.

    `delivery` is the GUID of the webhook that began it.
    `staged` is the review as it will be posted, stored before it is.
    `ended` is when it ended (seconds since the epoch), `ended_why` why it ended without a review.
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
    ended: float | None = None
    ended_why: str | None = None


@dataclass(frozen=True)
class PullRequestState:
    """The runs of a pull request: which one is under way, which one completed last, and what head that one read.

    `completed_delivery` is the GUID of the webhook that began it, `completed_at` when it was done, in seconds since
    the epoch. `ended_run` is the last one that ended without a review.
    `paused_by` is the login of the person who paused reviews, None while they are not paused.
    """

    running: str | None
    completed_run: str | None
    completed_head: str | None
    ended_run: str | None = None
    completed_delivery: str | None = None
    completed_at: float = 0.0
    paused_by: str | None = None


class UnreadableFindings(Exception):
    """The stored findings cannot be read."""


@dataclass(frozen=True)
class Spending:
    """The cost of the models so far, in US dollars: of this pull request, and of its repository this month (UTC)."""

    pull_request_usd: float
    repository_month_usd: float
