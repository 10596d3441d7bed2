"""The session of a review: the lease, the run with its check run, and how both end, whatever happens to the review."""

from contextlib import suppress
from dataclasses import replace
from types import TracebackType

from kodiai.core.config.keys import Config
from kodiai.core.errors import Broken, OutOfTime, Refused
from kodiai.core.events.job import Job
from kodiai.core.gate.gate import PASSING, Result
from kodiai.core.gate.standing import Standing
from kodiai.core.github.pull_request import PullRequest
from kodiai.core.outcome import Ended, Outcome, OutcomeStatus
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.review.check import Check, unreviewed_check
from kodiai.core.review.reconcile import Reconciliation
from kodiai.core.review.review import PostedReview
from kodiai.core.review.run import PendingReview, PullRequestState, Run, RunStatus
from kodiai.core.words import check as words
from kodiai.flows.gate import Gate
from kodiai.flows.pull_request_ports import PullRequestPorts

_MOST_CONTINUATIONS = 50


class ReviewSession:
    """Everything about the run, and nothing about the review.

    Leaving it gives the lease back. `Ended`, and a time that is up, become the `outcome`; so does a refusal of a run
    that has begun, which its check run shows. Everything else is raised again, so that a redelivery continues.
    """

    def __init__(self, job: Job, ports: PullRequestPorts) -> None:
        self.job = job
        self._ports = ports
        self._github = ports.github
        self._ledger = ports.ledger
        self._deadline = ports.deadline
        self.attempt = ports.deadline.attempt
        self.bot_login = ports.bot_login
        self.is_dry_run = ports.settings.github.dry_run
        self._has_lease = False
        self._run: Run | None = None
        self._gate: Gate | None = None
        self.is_resumed = False
        self._has_begun = False
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
            if self.job.preview:
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

    @property
    def gate(self) -> Gate:
        """The gate of the pull request, once it was looked at."""
        if self._gate is None:
            raise Broken("the pull request was not looked at")
        return self._gate

    def look_at(self, pull_request: PullRequest, config: Config, state: PullRequestState) -> None:
        """Note the pull request as it is now, with its settings and its state."""
        fail_on, ports = config.review.check.fail_on, self._ports
        self._gate = Gate(pull_request, fail_on, state.opened, ports.github, ports.gates, state.mirrors)

    def begin(self, pull_request: PullRequest, state: PullRequestState, *, left_unread: int = 0) -> None:
        """Begin a run. A head that has not been reviewed keeps its check run."""
        ended, shown = self._ended_run(pull_request, state), _standing_at(pull_request.head, state)
        check_id = ended.check_id if ended is not None else None
        if shown is not None and state.completed_head != pull_request.head:
            check_id = shown.check_id
        run = Run(
            id=self._ports.new_id(),
            head=pull_request.head,
            base=pull_request.base,
            status="running",
            started=self._deadline.clock.now(),
            delivery=self.job.origin,
            check_id=check_id,
            left_unread=left_unread,
        )
        self._ledger.start(self.attempt.owner, run)
        self._run, self.posted, self.is_resumed, self._has_begun = run, None, False, False

    def unreviewed(self, result: Result, text: tuple[str, str]) -> Check:
        """The check run of a head that is not reviewed; `text` is its title and why."""
        return unreviewed_check(result, text, self.gate.fail_on, self._ports.bot_login.removesuffix("[bot]"))

    def show_unreviewed(self, state: PullRequestState, result: Result, text: tuple[str, str]) -> None:
        """Show why a head is not reviewed, once, unless its check run shows more than that."""
        pull_request, check = self.gate.pull_request, self.unreviewed(result, text)
        head, shown = pull_request.head, _standing_at(pull_request.head, state)
        if self.is_dry_run or (
            shown is None and (state.completed_head == head or self._ended_run(pull_request, state))
        ):
            return
        may_change = shown is None or shown.conclusion == "skipped" or shown.title == words.DRAFT[0]
        if not may_change or (shown is not None and shown.title == check.title):
            return
        check_id = shown.check_id if shown is not None else None
        check = self.gate.settle(check, head, check_id)
        if check_id is not None:
            with suppress(Refused):
                self._github.update_check(check_id, check)
        else:
            external_id = _external_id(pull_request, f"waiting-{head}")
            found = self._github.find_check(head, external_id) if self.attempt.attempt > 1 else None
            check_id = found or self._github.start_check(head, external_id, check)
            self.gate.note_check(check_id)
        self.gate.show_elsewhere()

    def show_opened(self, state: PullRequestState) -> None:
        """Show that a person lets a head pass that is not reviewed."""
        shown = _standing_at(self.gate.pull_request.head, state)
        opens = state.opened is not None and shown is not None and state.opened.head == shown.head
        if shown is None or shown.check_id is None or not opens or shown.conclusion in PASSING:
            return
        self.gate.show(Check(shown.title, "", shown.conclusion), shown.head, shown.check_id)

    def resume(self, run: Run, pull_request: PullRequest) -> None:
        """Resume a run that an earlier attempt has not finished, with its check run and the review that it has posted.

        Neither may have been stored: the attempt may have been killed right after it did them.
        """
        self._run, self.is_resumed, self._has_begun = run, True, False
        if run.check_id is None and not self.is_dry_run:
            self._note_check(self._github.find_check(run.head, _external_id(pull_request, run.id)))
        if self.attempt.is_last:
            self.show_start(pull_request)
        self.posted = self._github.find_review(run.id)

    def show_start(self, pull_request: PullRequest) -> None:
        """Show in the check run that the work has begun.

        On the last attempt the check run is closed before the work: nobody could close it if this one is killed too.
        """
        is_last, run = self.attempt.is_last, self.run
        if self.is_dry_run or self._has_begun:
            return
        self._has_begun = True
        last = self.unreviewed("failed", words.LAST_TRY)
        check = self.gate.settle(last, run.head, run.check_id) if is_last else Check(*words.STARTED)
        if run.check_id is None:
            self._note_check(self._github.start_check(run.head, _external_id(pull_request, run.id), check))
        else:
            with suppress(Refused):  # the review does not depend on it
                self._github.update_check(run.check_id, check)
        if is_last:
            self.gate.note_check(self.run.check_id)
            self.gate.show_elsewhere()

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
        if self.is_dry_run:
            self._ledger.keep_unposted(self.attempt.owner, run.id, unposted)
        if pending.thread_actions or pending.review or not is_unchanged or self.is_dry_run:
            self._ledger.stage(run.id, pending, reconciled.seen, lasting=self.is_dry_run)
            self._deadline.need(self._ports.settings.limits.publish_seconds)
        else:
            self._ledger.keep_snapshot(run.id, reconciled.seen)

    def supersede(self, why: str, excluded: tuple[Result, tuple[str, str]] | None = None) -> None:
        """End the run without a review; `excluded` is what its check run says if the settings exclude it."""
        check = self.unreviewed(*(excluded or ("superseded", words.superseded(why))))
        with suppress(Refused):  # a check run that may no longer be written does not stop the next head
            self._close_check(check)
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

    def _close_check(self, check: Check) -> None:
        """Show why there is no review."""
        if self.run.check_id is not None and not self.is_dry_run:
            self.gate.show(check, self.run.head, self.run.check_id)

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
                    self._close_check(self.unreviewed("refused", words.refused(str(error))))
                    self._end_run("failed", str(error))
            case Broken() if self._run is not None:
                with suppress(Refused):
                    self._close_check(self.unreviewed("failed", words.BROKEN))
                return False
            case _:
                return False
        return True

    def _note_preview(self, error: BaseException | None) -> None:
        """Store for the operator who waits for a preview how this message ended; `error` is raised again."""
        if error is None and self.outcome.status == "completed":
            return  # it is noted with the run
        outcome = Outcome(self.outcome.status, self.outcome.reason)
        if error is not None:
            is_final = isinstance(error, Broken) or self.attempt.is_last
            ended: OutcomeStatus = "refused" if isinstance(error, Refused) else "failed" if is_final else "retry"
            outcome = Outcome(ended, str(error) or type(error).__name__)
        self._ledger.note_preview(self.job.origin, outcome)

    def _release(self) -> None:
        if self._has_lease:
            self._ledger.release(self.attempt.owner)
            self._has_lease = False

    def _continue(self) -> None:
        """Have a fresh message look at the pull request again; after 50 only while each got a new answer."""
        if self.job.continuations >= _MOST_CONTINUATIONS and not self.has_progressed:
            raise Broken(f"the review was continued {self.job.continuations} times and is still not done")
        self._ports.queue.send("reviews", self.job.continued())


def _standing_at(head: str, state: PullRequestState) -> Standing | None:
    return state.standing if state.standing is not None and state.standing.head == head else None


def _external_id(pull_request: PullRequest, run: str) -> str:
    return f"{pull_request.repository_id}#{pull_request.number}@{run}"
