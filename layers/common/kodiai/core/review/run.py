"""A run of a review as the ledger has it, and the state of its pull request."""

from dataclasses import dataclass, field
from typing import Annotated, Literal, Self

from pydantic import Field

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.keys import Config
from kodiai.core.events.job import Trigger
from kodiai.core.gate.standing import Mirror, OpenedGate, Standing
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.delta import ReviewVerdict
from kodiai.core.judge.judgement import KeptFinding, SuppressedFinding
from kodiai.core.plan.input import AwaitsCi
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.check import Check
from kodiai.core.review.review import Review, ThreadAction

_FULL_SECONDS = 3_600
_FRUITLESS_SECONDS = 600


@dataclass(frozen=True)
class PendingReview:
    """The outbox: what is about to be posted and done, and what is remembered once it is; the ledger keeps it as JSON.

    `review` is None if there is nothing to post. `findings` are new, `updates` are about earlier ones.
    `dismisses_own_reviews` is whether our reviews that request changes have no reason any more,
    `withdraws_approval` whether those that approve have none, because something was not read.
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


@dataclass(frozen=True)
class ReviewState:
    """The state of a pull request's reviews, for programs that ask.

    `head` is the reviewed one, None before the first review, `at` when that was done. `verdict` is its verdict, None
    where there is none, `resolved` how many earlier findings it resolved, and `unread` are the paths of the files that
    it did not read and should have.
    `running` is the head of the review under way, None if there is none, `since` when it began.
    Times are in seconds since the epoch.
    """

    head: str | None = None
    at: float = 0.0
    verdict: ReviewVerdict | None = None
    unread: tuple[str, ...] = ()
    running: str | None = None
    since: float = 0.0
    resolved: int = 0

    @classmethod
    def of(cls, completed: Run | None, running: Run | None) -> Self:
        """The state by the last completed run and the one under way."""
        facts = completed.facts if completed is not None else {}
        skipped = facts.get("skipped") or ()
        return cls(
            head=completed.head if completed is not None else None,
            at=(completed.ended or completed.started) if completed is not None else 0.0,
            verdict=facts.get("verdict"),
            unread=tuple(str(each["path"]) for each in skipped if not each.get("excused")),
            running=running.head if running is not None else None,
            since=running.started if running is not None else 0.0,
            resolved=(facts.get("delta") or {}).get("resolved", 0),
        )


class UnreadableFindings(Exception):
    """The stored findings cannot be read."""


def again_at(trigger: Trigger, last: Run, snapshot: Snapshot, config: Config, base: str) -> float | None:
    """Say from when on a request has a reviewed head reviewed again, None if it has at once, or never.

    `last` is the last review of the head, `snapshot` what it saw. Other settings and another base are reasons to do it
    again, and so are files that were not read. The same again takes an hour, or some minutes where files are left that
    the last request did not get read either.
    """
    if last.ended is None or (last.base, snapshot.config) != (base, config.key):
        return None
    if snapshot.waits:
        return last.ended + _FRUITLESS_SECONDS if 0 < last.left_unread <= len(snapshot.left_out) else None
    is_repeat = trigger == "full_review" and last.facts.get("reason") == "requested"
    return last.ended + _FULL_SECONDS if is_repeat else None
