"""The session of a review: the lease, the run with its check run, and how both end, whatever happens to the review."""

from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.events.job import Job
from kodiai.core.outcome import Ended, Outcome
from kodiai.core.pull_request import PullRequest
from kodiai.core.review.check import Check
from kodiai.core.review.reconcile import Reconciliation
from kodiai.core.review.review import PendingReview, PostedReview, PullRequestState, Run, RunStatus
from kodiai.core.review.unposted import UnpostedReview
from kodiai.core.words import check as words
from kodiai.flows.pull_request_ports import PullRequestPorts

_MOST_CONTINUATIONS = 50


class ReviewSession:
    """Everything about the run, and nothing about the review.

    Leaving it gives the lease back. `Ended`, and a time that is up, become the `outcome`; so does a refusal of a run
    that has begun, which its check run shows. Everything else is raised again, so that a redelivery continues.
    """

    def __init__(self, job: Job, ports: PullRequestPorts) -> None:
        self._job = job
        self._ports = ports
        self._github = ports.github
        self._ledger = ports.ledger
        self._deadline = ports.deadline
        self.attempt = ports.deadline.attempt
        self.bot_login = ports.bot_login
        self.is_dry_run = ports.settings.github.dry_run
        self._has_lease = False
        self._run: Run | None = None
        self.is_resumed = False
        self.posted: PostedReview | None = None
        self.has_progressed = False
        self.outcome = Outcome("skipped", "nothing was done")

    def __enter__(self) -> "ReviewSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        has_ended = error is None
        try:
            has_ended = self._end_with(error)
            return has_ended
        finally:
            self._release()
            if self._job.preview:
                self._note_preview(None if has_ended else error)

    @property
    def run(self) -> Run:
        """The run of this session, once it has begun."""
        if self._run is None:
            raise Broken("the run has not begun")
        return self._run

    def claim(self) -> PullRequestState:
        """Take the lease until the invocation is over. Raises Retry while another invocation holds it."""
        state = self._ledger.claim(self.attempt.owner, until=self.attempt.deadline)
        self._has_lease = True
        return state

    def begin(
        self,
        pull_request: PullRequest,
        state: PullRequestState,
        waiting_check: str | None = None,
        *,
        left_unread: int = 0,
    ) -> None:
        """Begin a run; a head on which one ended without a review keeps its check run, or `waiting_check`."""
        ended = self._ended_run(pull_request, state)
        run = Run(
            id=self._ports.new_id(),
            head=pull_request.head,
            base=pull_request.base,
            status="running",
            started=self._deadline.clock.now(),
            delivery=self._job.origin,
            check_id=ended.check_id if ended is not None else waiting_check,
            left_unread=left_unread,
        )
        self._ledger.start(self.attempt.owner, run)
        self._run, self.posted, self.is_resumed = run, None, False

    def show_waiting(self, pull_request: PullRequest, state: PullRequestState, check: Check) -> None:
        """Show on the head, once, that its review waits for a request, unless a check run shows more than that."""
        is_shown = state.completed_head == pull_request.head or self._ended_run(pull_request, state) is not None
        if not self.is_dry_run and not is_shown and self.waiting_check(pull_request) is None:
            self._github.start_check(pull_request.head, _waiting_id(pull_request), check)

    def waiting_check(self, pull_request: PullRequest) -> str | None:
        """The id of the check run that shows that the head's review waits for a request, None if there is none."""
        return None if self.is_dry_run else self._github.find_check(pull_request.head, _waiting_id(pull_request))

    def resume(self, run: Run, pull_request: PullRequest) -> None:
        """Resume a run that an earlier attempt has not finished, with its check run and the review that it has posted.

        Neither may have been stored: the attempt may have been killed right after it did them.
        """
        self._run, self.is_resumed = run, True
        if run.check_id is None and not self.is_dry_run:
            self._note_check(self._github.find_check(run.head, _external_id(run, pull_request)))
        self.posted = self._github.find_review(run.id)

    def show_start(self, pull_request: PullRequest) -> None:
        """Show in the check run that the work has begun.

        On the last attempt the check run is closed before the work: nobody could close it if this one is killed too.
        """
        is_last, run = self.attempt.is_last, self.run
        check = Check(*words.LAST_TRY, conclusion="neutral") if is_last else Check(*words.STARTED)
        if self.is_dry_run:
            return
        if run.check_id is None:
            self._note_check(self._github.start_check(run.head, _external_id(run, pull_request), check))
        else:
            with suppress(Refused):  # the review does not depend on it
                self._github.update_check(run.check_id, check)

    def stage(self, pending: PendingReview, reconciled: Reconciliation, unposted: UnpostedReview) -> None:
        """Store what is about to be posted. Raises OutOfTime.

        Raises Ended if the head has moved on meanwhile: then the `unposted` review is kept for the next run. So is that
        of a dry run: whatever is posted next has its findings too.
        """
        run, is_unchanged = self.run, reconciled.scope.mode == "unchanged"
        head = run.head if is_unchanged else self._github.head()
        if head != run.head:
            self._ledger.keep_unposted(self.attempt.owner, run.id, unposted)
            self._continue()
            self.supersede(words.moved_on(head))
            raise Ended("superseded", words.moved_on(head), {"head": run.head, "base": run.base})
        self._ledger.keep_snapshot(run.id, reconciled.seen)
        if self.is_dry_run:
            self._ledger.keep_unposted(self.attempt.owner, run.id, unposted)
        if pending.thread_actions or pending.review or not is_unchanged or self.is_dry_run:
            self._ledger.stage(run.id, pending, lasting=self.is_dry_run)
            self._deadline.need(self._ports.settings.limits.publish_seconds)

    def supersede(self, why: str) -> None:
        """End the run without a review."""
        with suppress(Refused):  # a check run that may no longer be written does not stop the next head
            self._close_check(words.superseded(why))
        self._end_run("superseded", why)

    def complete(self, pending: PendingReview, posted: PostedReview | None, outcome: Outcome) -> None:
        """Store that the run is done, with everything that is remembered about it: nothing if it was not to post."""
        if self.is_dry_run and posted is None:
            self._ledger.keep(self.attempt.owner, self.run, pending)
        else:
            self._ledger.complete(self.attempt.owner, self.run, pending, posted)
        self._has_lease, self._run = False, None
        self.outcome = outcome

    def _ended_run(self, pull_request: PullRequest, state: PullRequestState) -> Run | None:
        """The run of the head that ended without a review, None if there is none."""
        ended = self._ledger.run(state.ended_run) if state.ended_run else None
        return ended if ended is not None and ended.head == pull_request.head else None

    def _note_check(self, check_id: str | None) -> None:
        if check_id is not None:
            self._ledger.note_check(self.run.id, check_id)
            self._run = replace(self.run, check_id=check_id)

    def _close_check(self, text: tuple[str, str]) -> None:
        """Show why there is no review."""
        if self.run.check_id is not None:
            self._github.update_check(self.run.check_id, Check(*text, conclusion="neutral"))

    def _end_run(self, status: RunStatus, why: str) -> None:
        self._ledger.end(self.attempt.owner, self.run.id, status, why)
        self._has_lease, self._run = False, None

    def _end_with(self, error: BaseException | None) -> bool:
        """Turn an early end of the review into an outcome, as far as it is one."""
        match error:
            case Ended():
                self.outcome = error.outcome
            case OutOfTime():
                self._release()
                self._continue()
                self.outcome = Outcome("continued", str(error))
            case Refused() if self._run is not None:
                self.outcome = Outcome("refused", str(error), {"head": self._run.head, "base": self._run.base})
                with suppress(Refused):  # then the run stays until access is granted again
                    self._close_check(words.refused(str(error)))
                    self._end_run("failed", str(error))
            case Broken() if self._run is not None:
                with suppress(Refused):
                    self._close_check(words.BROKEN)
                return False
            case _:
                return False
        return True

    def _note_preview(self, error: BaseException | None) -> None:
        """Store for the operator who waits for a preview how this message ended; `error` is raised again."""
        match error:
            case None if self.outcome.status == "completed":
                return  # it is noted with the run
            case None:
                outcome = Outcome(self.outcome.status, self.outcome.reason)
            case Refused():
                outcome = Outcome("refused", str(error))
            case Broken():
                outcome = Outcome("failed", str(error))
            case Retry() if not self.attempt.is_last:
                outcome = Outcome("retry", str(error))
            case _:
                outcome = Outcome("failed" if self.attempt.is_last else "retry", str(error) or type(error).__name__)
        self._ledger.note_preview(self._job.origin, outcome)

    def _release(self) -> None:
        if self._has_lease:
            self._ledger.release(self.attempt.owner)
            self._has_lease = False

    def _continue(self) -> None:
        """Have a fresh message look at the pull request again; after 50 only while each got a new answer."""
        if self._job.continuations >= _MOST_CONTINUATIONS and not self.has_progressed:
            raise Broken(f"the review was continued {self._job.continuations} times and is still not done")
        self._ports.queue.send("reviews", self._job.continued())


def _waiting_id(pull_request: PullRequest) -> str:
    return f"{pull_request.repository}#{pull_request.number}@waiting-{pull_request.head}"


def _external_id(run: Run, pull_request: PullRequest) -> str:
    return f"{pull_request.repository}#{pull_request.number}@{run.id}"
