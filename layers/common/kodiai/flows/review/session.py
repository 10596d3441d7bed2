"""The session of a review: the lease, the run with its check run, and how both end, whatever happens to the review."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from kodiai.core.errors import Broken, OutOfTime, Refused
from kodiai.core.events.job import Job
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome, OutcomeStatus
from kodiai.core.pull_request import PullRequest
from kodiai.core.review.check import Check
from kodiai.core.review.reconcile import Reconciliation
from kodiai.core.review.review import PendingReview, PostedReview
from kodiai.core.review.run import PullRequestState, Run, RunStatus
from kodiai.core.words import check as words
from kodiai.flows.deadline import Deadline
from kodiai.flows.pull_request_ports import PullRequestPorts
from kodiai.ports import GitHub, JobQueue, Ledger

_MOST_CONTINUATIONS = 50


class Ended(Exception):
    """The run ends here, with this outcome."""

    def __init__(self, status: OutcomeStatus, reason: str, facts: JsonObject | None = None) -> None:
        super().__init__(reason)
        self.outcome = Outcome(status, reason, facts or {})


class ReviewSession:
    """What concerns the run, not the review.

    Leaving it gives the lease back. `Ended`, and a time that is up, become the `outcome`; so does a refusal of a run
    that has begun, which its check run shows. Everything else is raised again, so that a redelivery goes on.
    """

    def __init__(self, job: Job, ports: PullRequestPorts) -> None:
        self._job = job
        self._github: GitHub = ports.github
        self._ledger: Ledger = ports.ledger
        self._queue: JobQueue = ports.queue
        self._new_id: Callable[[], str] = ports.new_id
        self._deadline: Deadline = ports.deadline
        self.bot_login = ports.settings.bot_login
        self.is_dry_run = ports.settings.github.dry_run
        self._publish_seconds = ports.settings.limits.publish_seconds
        self._has_lease = False
        self._run: Run | None = None
        self.is_resumed = False
        self.posted: PostedReview | None = None
        self.outcome = Outcome("skipped", "nothing was done")

    def __enter__(self) -> "ReviewSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            return self._end_with(error)
        finally:
            self._release()

    @property
    def run(self) -> Run:
        """The run of this session, once it has begun."""
        if self._run is None:
            raise Broken("the run has not begun")
        return self._run

    @property
    def owner(self) -> str:
        """Who holds the lease."""
        return self._deadline.attempt.owner

    @property
    def salt(self) -> str:
        """What sets the questions of a review that a person wants in full apart from those of other runs."""
        return self.run.id if self._job.trigger == "full_review" else ""

    @property
    def is_first_attempt(self) -> bool:
        """Whether the message was not tried before."""
        return self._deadline.attempt.attempt == 1

    @property
    def seconds(self) -> float:
        """How long the run took so far."""
        return self._deadline.clock.now() - self.run.started

    def claim(self) -> PullRequestState:
        """Take the lease until the invocation is over. Raises Retry while somebody else holds it."""
        state = self._ledger.claim(self.owner, until=self._deadline.attempt.deadline)
        self._has_lease = True
        return state

    def unfinished(self, state: PullRequestState) -> Run | None:
        """The run that an earlier attempt has left unfinished."""
        return self._ledger.run(state.running) if state.running else None

    def begin(self, pull_request: PullRequest, state: PullRequestState, unfinished: Run | None) -> None:
        """Begin the run, or resume the unfinished one, and show in its check run that it has begun."""
        self.is_resumed = unfinished is not None
        run = unfinished or self._new_run(pull_request, state)
        self._run = self._open_check(run, pull_request)
        self.posted = self.find_review(run) if self.is_resumed else None

    def resume(self, run: Run, pull_request: PullRequest, posted: PostedReview | None) -> None:
        """Take up a run of another head whose review stands, to end it."""
        self.is_resumed = True
        self._run = self._open_check(run, pull_request)
        self.posted = posted

    def find_review(self, run: Run) -> PostedReview | None:
        """The review that an earlier attempt has posted, though it may not have lived to write that down."""
        return None if self.is_dry_run else self._github.find_review(run.id)

    def stage(self, pending: PendingReview, reconciled: Reconciliation) -> None:
        """Write down what is about to be posted, unless the head has moved on meanwhile. Raises Ended and OutOfTime."""
        run = self.run
        if reconciled.scope.mode != "unchanged":
            self._give_way_to(self._github.head())
        self._ledger.keep_snapshot(run.id, reconciled.seen)
        if pending.acts or reconciled.scope.mode != "unchanged":
            self._ledger.stage(run.id, pending)
            self._deadline.need(self._publish_seconds)

    def supersede(self, run: Run, pull_request: PullRequest, why: str) -> None:
        """End a run that an earlier event left without a review."""
        self._supersede(self._find_check(run, pull_request), why)

    def complete(self, pending: PendingReview, posted: PostedReview | None, outcome: Outcome) -> None:
        """Write down that the run is done, with all that is remembered of it."""
        self._ledger.complete(self.owner, self.run, pending, posted)
        self._has_lease, self._run = False, None
        self.outcome = outcome

    def _new_run(self, pull_request: PullRequest, state: PullRequestState) -> Run:
        """Begin a run; a head on which one ended without a review keeps its check run."""
        ended = self._ledger.run(state.ended_run) if state.ended_run else None
        run = Run(
            id=self._new_id(),
            head=pull_request.head,
            base=pull_request.base,
            status="running",
            started=self._deadline.clock.now(),
            delivery=self._job.origin,
            check_id=ended.check_id if ended is not None and ended.head == pull_request.head else None,
        )
        self._ledger.start(self.owner, run)
        return run

    def _open_check(self, run: Run, pull_request: PullRequest) -> Run:
        """Show that the work has begun, in the check run that an earlier attempt has opened or in a new one.

        On the last attempt the check run is closed before the work: should this one be killed too, nobody is left to
        do it.
        """
        is_last = self._deadline.attempt.is_last
        check = Check(*words.LAST_TRY, conclusion="neutral") if is_last else Check(*words.STARTED)
        if self.is_resumed:
            run = self._find_check(run, pull_request)
        if self.is_dry_run:
            return run
        if run.check_id is None:
            return self._noted(run, self._github.start_check(run.head, _external_id(run, pull_request), check))
        with suppress(Refused):  # who may not show it may still review
            self._github.update_check(run.check_id, check)
        return run

    def _find_check(self, run: Run, pull_request: PullRequest) -> Run:
        """Know the check run of a run: it may have been opened without having been written down."""
        if run.check_id is not None or self.is_dry_run:
            return run
        return self._noted(run, self._github.find_check(run.head, _external_id(run, pull_request)))

    def _noted(self, run: Run, check_id: str | None) -> Run:
        if check_id is None:
            return run
        self._ledger.note_check(run.id, check_id)
        return replace(run, check_id=check_id)

    def _close_check(self, run: Run, text: tuple[str, str]) -> None:
        """Show why there is no review."""
        if run.check_id is not None:
            self._github.update_check(run.check_id, Check(*text, conclusion="neutral"))

    def _give_way_to(self, head: str) -> None:
        """Post nothing for a head that is not the head any more; the newer one is looked at next."""
        run = self.run
        if head != run.head:
            self._continue()
            why = words.moved_on(head)
            self._supersede(run, why)
            raise Ended("superseded", why, {"head": run.head, "base": run.base})

    def _supersede(self, run: Run, why: str) -> None:
        with suppress(Refused):  # a check that may no longer be written keeps nobody from the next head
            self._close_check(run, words.superseded(why))
        self._end_run(run, "superseded", why)

    def _end_run(self, run: Run, status: RunStatus, why: str) -> None:
        self._ledger.end(self.owner, run.id, status, why)
        self._has_lease, self._run = False, None

    def _end_with(self, error: BaseException | None) -> bool:
        """Turn what ends the review early into an outcome, as far as it is one."""
        match error:
            case Ended():
                self.outcome = error.outcome
            case OutOfTime():
                self._release()
                self._continue()
                self.outcome = Outcome("continued", str(error))
            case Refused() if self._run is not None:
                self._refuse(self._run, str(error))
            case Broken() if self._run is not None:
                with suppress(Refused):
                    self._close_check(self._run, words.BROKEN)
                return False
            case _:
                return False
        return True

    def _refuse(self, run: Run, reason: str) -> None:
        """Say what people can fix; where even that is not permitted, the run waits for whoever permits it again."""
        with suppress(Refused):
            self._close_check(run, words.refused(reason))
            self._end_run(run, "failed", reason)
        self.outcome = Outcome("refused", reason, {"head": run.head, "base": run.base})

    def _release(self) -> None:
        if self._has_lease:
            self._ledger.release(self.owner)
            self._has_lease = False

    def _continue(self) -> None:
        """Have a fresh message look at the pull request again, though not for ever."""
        if self._job.continuations >= _MOST_CONTINUATIONS:
            raise Broken(f"the review was continued {self._job.continuations} times and is still not done")
        self._queue.send("reviews", self._job.continued())


def _external_id(run: Run, pull_request: PullRequest) -> str:
    return f"{pull_request.repository}#{pull_request.number}@{run.id}"
