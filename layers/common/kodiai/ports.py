"""Every way in which we touch the world."""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.conversation.comment import Comment, Discussion, Permission, Reaction
from kodiai.core.conversation.decision import PersonDecision, ReachedLimit, TurnLimits
from kodiai.core.events.job import CommentPayload, Job, Mention
from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.json_object import JsonObject
from kodiai.core.model.messages import ModelAnswer, ModelRequest
from kodiai.core.pull_request import PullRequestSnapshot
from kodiai.core.repository.tree import Tree
from kodiai.core.review.check import Check
from kodiai.core.review.review import (
    PendingReview,
    PostedReview,
    PublishActions,
    PublishResults,
    PullRequestState,
    Review,
    Run,
    RunStatus,
    Spending,
)

QueueName = Literal["reviews", "mentions"]


class JobQueue(Protocol):
    """Where jobs wait, in order for each pull request."""

    def send(self, queue: QueueName, job: Job | Mention) -> None:
        """Put a job in line; the same delivery again within five minutes is dropped by the queue.

        Raises Retry where the queue cannot be reached, Broken where it refuses us.
        """


class Clock(Protocol):
    """The time."""

    def now(self) -> float:
        """Seconds since the epoch."""


class GitHub(Protocol):
    """One pull request on GitHub. Raises Retry where GitHub is busy, Refused where we lack access."""

    def calls(self) -> Mapping[str, int]:
        """How many requests were sent so far, by route: "GET /repos/{owner}/{repo}/pulls/{pull_number}" → times."""

    def standing(self, config_path: str, *, briefly: bool = False) -> PullRequestSnapshot:
        """How things stand now; `briefly` without what tells what the change is for."""

    def head(self) -> str:
        """The head as it is now."""

    def permission(self, login: str) -> Permission:
        """What somebody may do in the repository."""

    def may_write(self, login: str) -> bool:
        """Whether somebody may write to the repository."""

    def react(self, said: CommentPayload, content: Reaction) -> bool:
        """React to what somebody said, once; False where it is gone."""

    def discussion(self, said: CommentPayload) -> Discussion | None:
        """The review thread that something was said in, at most 100 comments; None where it was deleted."""

    def conversation(self) -> tuple[Comment, ...]:
        """The newest comments and reviews' texts of the pull request, at most 100, oldest first."""

    def resolve_threads(self, threads: Sequence[str]) -> frozenset[str]:
        """Resolve threads, as far as we may; those that are resolved."""

    def unresolve_thread(self, thread: str) -> None:
        """Open a resolved thread again, where we may."""

    def changed_files(self) -> tuple[ChangedFile, ...]:
        """Its files, at most 3,000."""

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's bytes at a commit, None where there is no such file."""

    def tree(self, sha: str, limit_bytes: int) -> Tree:
        """All files at a commit, from one archive of at most so many bytes, or file by file."""

    def find_review(self, run: str) -> PostedReview | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""

    def post_review(self, head: str, review: Review) -> PostedReview:
        """Post a review; its comments' ids are known once it is settled. Raises Unplaceable."""

    def settle(self, settlement: PublishActions) -> PublishResults:
        """Do what is to be done beside the review. Raises Refused where the check run may not be closed."""

    def answer(self, key: str, text: str, *, thread: int | None = None, since: float | None = None) -> None:
        """Answer something once: in the thread of a review comment, else in the conversation.

        `key` names what is answered: the GUID of a webhook, or what was said. `since` (epoch seconds) is before the
        first try.
        """

    def find_check(self, head: str, external_id: str) -> str | None:
        """The id of the check run that was opened under this external id, None where there is none to be seen."""

    def start_check(self, head: str, external_id: str, check: Check) -> str | None:
        """Open a check run; its id, None where checks are not permitted."""

    def update_check(self, check_id: str, check: Check) -> None:
        """Say how far the work is, or how it ended."""


class Model(Protocol):
    """Claude."""

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Ask. Raises Retry where the API is busy or slow, Broken where the request or the key is wrong.

        Overloaded is the Retry of a model that has no room, whatever the others have.
        """


class Ledger(Protocol):
    """The truth about the runs and findings of one pull request.

    Every write that depends on a read is conditional; a condition that no longer holds raises Retry.
    """

    def claim(self, owner: str, until: float) -> PullRequestState:
        """Take the lease until then (seconds since the epoch). Raises Retry while somebody else holds it."""

    def release(self, owner: str) -> None:
        """Give the lease back if it is still ours."""

    def start(self, owner: str, run: Run) -> None:
        """Write a new run down as the one under way, where there is none."""

    def run(self, run_id: str) -> Run | None:
        """Read a run."""

    def note_check(self, run_id: str, check_id: str) -> None:
        """Write down which check run shows this run."""

    def kept_answer(self, question: str) -> JsonObject | None:
        """Read what a question was answered, None where nothing is kept; it serves every run of the pull request."""

    def keep_answer(self, question: str, answer: JsonObject, cost_usd: float, *, lasting: bool = False) -> None:
        """Keep an answer, so that it is not paid for twice, and write down what it cost.

        A `lasting` one is kept as long as what is known of the pull request.
        """

    def spend(self, cost_usd: float) -> None:
        """Write down what an answer cost that is not worth keeping."""

    def keep_snapshot(self, run_id: str, snapshot: Snapshot) -> None:
        """Keep what a run saw; it counts once the run is completed."""

    def stage(self, run_id: str, staged: PendingReview) -> None:
        """Write down what is about to be posted."""

    def complete(self, owner: str, run: Run, staged: PendingReview, posted: PostedReview | None) -> None:
        """Write down the findings with their comments and what became of the others, and that the run is done.

        Frees the lease.
        """

    def end(self, owner: str, run_id: str, status: RunStatus, reason: str) -> None:
        """Write down that the run ended without a review; frees the lease."""

    def snapshot(self, run_id: str) -> Snapshot | None:
        """Read what a completed run saw, None where it is missing or cannot be read."""

    def findings(self) -> tuple[KnownFinding, ...]:
        """Read the findings told so far. Raises UnreadableFindings."""

    def spending(self) -> Spending:
        """Read what was spent, whatever came of it."""


class ConversationStore(Protocol):
    """What the ledger knows of the conversation about one pull request. `key` names what somebody said."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        """Take it for one try until then (seconds since the epoch); False where everything was done before.

        Raises Retry while another try holds it.
        """

    def release(self, key: str, owner: str) -> None:
        """Let go of it, if it is still held by this try."""

    def begin(self, key: str, thread: str, limits: TurnLimits) -> ReachedLimit | None:
        """Count an answer in a thread as begun, once; the limit that does not allow it, None where all do."""

    def finish(self, key: str, facts: JsonObject) -> None:
        """Write down that everything was done, with what came of it; what was set aside and not spent is freed."""

    def tells(self, what: str, key: str) -> bool:
        """Whether it is this comment that gets to be told something which is said once."""

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[Past, ...]] | None:
        """The finding that a comment of ours is about, with its history, None where it is about none.

        Raises UnreadableFindings.
        """

    def decide(self, finding_id: str, decision: PersonDecision) -> bool:
        """Write down what a person decided about an open finding, once; False where something else was decided."""

    def reopen(self, finding_id: str, decision: PersonDecision) -> bool:
        """Write down that a person takes back what closed a finding, once; False where it is open."""

    def paused_by(self) -> str | None:
        """Read who asked that nothing is reviewed, None where nobody did."""

    def pause(self, by: str | None) -> None:
        """Have nothing reviewed until it is resumed (None)."""
