"""The stores of a pull request: its runs, findings, conversation and standing."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.spending import Spending
from kodiai.core.conversation.decision import Counted, PersonDecision, ReachedLimit
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.gate.standing import Member, Mirror, OpenedGate, Standing
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.review.review import PostedReview
from kodiai.core.review.run import PendingReview, PullRequestState, ReviewState, Run, RunStatus


class Ledger(Protocol):
    """The runs and findings of one pull request.

    Every write that depends on a read is conditional; a condition that no longer holds raises Retry.
    """

    def claim(self, owner: str, until: float) -> PullRequestState:
        """Take the lease until then (epoch seconds).

        Raises Retry while somebody else holds it, after the seconds that it still has.
        """

    def awaits_ci(self) -> bool:
        """Read whether a review has withheld something because a required check failed."""

    def release(self, owner: str) -> None:
        """Give the lease back if it is still ours."""

    def start(self, owner: str, run: Run) -> None:
        """Store a new run as the one under way. Raises Retry where there is one."""

    def run(self, run_id: str) -> Run | None:
        """Read a run."""

    def note_check(self, run_id: str, check_id: str) -> None:
        """Store which check run shows this run."""

    def kept_answer(self, question: str) -> JsonObject | None:
        """Read the answer to a question, None where none is kept; every run of the pull request may use it."""

    def before_question(self, question: str) -> tuple[JsonObject | None, Spending]:
        """Read the answer to a question, None where none is kept, and what was spent."""

    def keep_answer(self, question: str, answer: JsonObject, cost_usd: float, *, lasting: bool = False) -> None:
        """Keep an answer for a week, so that it is not paid for twice, and count its cost.

        A `lasting` one is kept as long as everything else about the pull request.
        """

    def spend(self, cost_usd: float) -> None:
        """Count the cost of an answer that is not worth keeping."""

    def keep_snapshot(self, run_id: str, snapshot: Snapshot) -> None:
        """Store what a run read; it counts once the run is completed."""

    def keep(self, owner: str, run: Run, staged: PendingReview) -> None:
        """Complete a run whose review, which was staged, is not posted. Frees the lease."""

    def note_preview(self, delivery: str, outcome: Outcome) -> None:
        """Store for a week what came of a request for a preview so far; one that is done stays so."""

    def preview_outcome(self, delivery: str) -> Outcome | None:
        """Read what came of a request for a preview so far, None if nothing has yet."""

    def keep_unposted(self, owner: str, run_id: str, unposted: UnpostedReview) -> None:
        """Store for the next run what a run has read and decided that is not posted."""

    def unposted(self, run_id: str) -> UnpostedReview | None:
        """Read what a run has read and decided that was not posted, None where it is missing or cannot be read."""

    def stage(self, run_id: str, staged: PendingReview, snapshot: Snapshot, *, lasting: bool = False) -> None:
        """Store the review that is about to be posted, or to be kept, and what the run read.

        A `lasting` review is kept as long as findings are.
        """

    def complete(self, owner: str, run: Run, staged: PendingReview, posted: PostedReview | None) -> None:
        """Store the findings with their comments and the new states of earlier ones, and complete the run.

        Frees the lease.
        """

    def end(self, owner: str, run_id: str, status: RunStatus, reason: str) -> None:
        """Store that the run ended without a review; frees the lease."""

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Read what a completed run read, None where it is missing or cannot be read."""

    def findings(self) -> tuple[KnownFinding, ...]:
        """Read the findings reported so far. Raises UnreadableFindings."""

    def spending(self) -> Spending:
        """Read what was spent."""


class GateStore(Protocol):
    """The standings of a repository's pull requests. Raises Retry and Broken."""

    def stand(self, number: int, standing: Standing) -> tuple[Mirror, ...]:
        """Store the standing of a pull request; the mirrors that show it."""

    def members(self, pull_requests: Collection[int]) -> Mapping[int, Member]:
        """Read what is known of pull requests."""

    def watch(self, mirror: Mirror) -> None:
        """Have each pull request of a mirror know of it."""

    def forget(self, number: int, mirrors: Sequence[Mirror]) -> None:
        """Have a pull request no longer know of mirrors."""


class FindingReader(Protocol):
    """The findings of one pull request, to be read. Raises UnreadableFindings."""

    def findings(self) -> tuple[KnownFinding, ...]:
        """Read the findings reported so far."""

    def history(self, finding_id: str) -> tuple[HistoryEntry, ...]:
        """Read the history of a finding, oldest entry first."""

    def review_state(self) -> ReviewState:
        """Read which head was reviewed last, with which result, and whether a review is under way."""


class ConversationStore(Protocol):
    """The conversation about one pull request; `key` names a comment."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        """Take the lease of a comment until then (epoch seconds); False where it was answered before.

        Raises Retry while another try holds it, after the seconds that it still has.
        """

    def release(self, key: str, owner: str) -> None:
        """Give the lease back if it is still ours."""

    def begin(self, key: str, thread: str, most: int, counted: Counted = "turns") -> ReachedLimit | None:
        """Count an answer or a reading in a thread, once, up to `most`; the limit that is reached, else None."""

    def finish(self, key: str, facts: JsonObject) -> None:
        """Store that the comment is done, with the outcome."""

    def is_first_to_post(self, what: str, key: str, most: int = 1) -> bool:
        """Whether this comment is among the first to ask for something that is posted at most so often."""

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[HistoryEntry, ...]] | None:
        """The finding that a comment of ours is about, with its history, None where it is about none.

        Raises UnreadableFindings.
        """

    def decide(self, finding_id: str, decision: PersonDecision) -> bool:
        """Store a person's decision about an open finding, once; False where something else was decided."""

    def reopen(self, finding_id: str, decision: PersonDecision) -> bool:
        """Store that a person reopened a finding, once; False where it is open."""

    def is_under_review(self) -> bool:
        """Whether a run has begun and is not complete: the findings of its review are not known yet."""

    def paused_by(self) -> str | None:
        """Read who paused the reviews, None where nobody did."""

    def pause(self, by: str | None) -> None:
        """Pause the reviews, or resume them (None)."""

    def open_gate(self, opened: OpenedGate) -> bool:
        """Store that a person lets a head pass, if its check run lets nothing pass, or is still open; else False."""
