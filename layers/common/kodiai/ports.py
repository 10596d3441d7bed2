"""Every way in which the flows reach the outside."""

from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from typing import Literal, Protocol

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.contents import Entry
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.read import OwnerFile
from kodiai.core.config.spending import Spending
from kodiai.core.conversation.decision import Counted, PersonDecision, ReachedLimit
from kodiai.core.diffs.tree import TreeEntry
from kodiai.core.events.job import ItemKey, QueuedJob
from kodiai.core.events.missed import KnownRuns, LastEvents, OpenPullRequest
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.gate.standing import Heads, Member, Mirror, OpenedGate, Standing
from kodiai.core.github.comment import Comment, CommentPayload, Discussion, Permission, Reaction
from kodiai.core.github.names import RepositoryRef
from kodiai.core.json_object import JsonObject
from kodiai.core.memory.forgetting import StoredItem, StoredItems
from kodiai.core.memory.remembered import Neighbor, RememberedFinding, StoredMemory, Vector
from kodiai.core.memory.rule import Rule
from kodiai.core.model.messages import ModelAnswer, ModelRequest
from kodiai.core.outcome import Outcome
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent
from kodiai.core.proposals.protocol import Transition
from kodiai.core.proposals.target import Caller, ProposalTarget
from kodiai.core.repository.kept_surroundings import Prepared
from kodiai.core.repository.tree import Tree
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults, Review
from kodiai.core.review.run import PendingReview, PullRequestState, Run, RunStatus

QueueName = Literal["reviews", "mentions"]

EmbeddingPurpose = Literal["document", "query"]
"""What a text is embedded for: to be found later, or to find others."""


class JobQueue(Protocol):
    """The queues of jobs, in order for each pull request."""

    def send(self, queue: QueueName, job: QueuedJob) -> None:
        """Send a job; the queue drops the same delivery for five minutes. Raises Retry or Broken."""


class Clock(Protocol):
    """The time."""

    def now(self) -> float:
        """Seconds since the epoch."""


class GitHub(Protocol):
    """One pull request on GitHub. Raises Retry where GitHub is busy, Refused where we lack access."""

    def calls(self) -> Mapping[str, int]:
        """The number of requests so far, by route: "GET /repos/{owner}/{repo}/pulls/{pull_number}"."""

    def snapshot(self, *, briefly: bool = False) -> PullRequestSnapshot:
        """The pull request, its settings file, our threads and our reviews; `briefly` without what it is for."""

    def head(self) -> str:
        """The head as it is now."""

    def permission(self, login: str) -> Permission:
        """The permission of a person in the repository."""

    def may_write(self, login: str) -> bool:
        """Whether somebody may write to the repository."""

    def react(self, comment: CommentPayload, content: Reaction) -> bool:
        """React to a comment, once; False where it is gone."""

    def discussion(self, comment: CommentPayload) -> Discussion | None:
        """The review thread of a comment, at most 100 comments of it; None where the comment was deleted."""

    def conversation(self) -> tuple[Comment, ...]:
        """The newest comments and reviews' texts of the pull request, at most 100, oldest first."""

    def changed_files(self) -> tuple[ChangedFile, ...]:
        """Its files, at most 3,000."""

    def merge_base(self, base: str, head: str) -> str:
        """The commit from which both began, with which GitHub compares the head."""

    def entries(self, commit: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """The files of a commit at these paths, by path; without those that it does not have."""

    def blob(self, oid: str) -> bytes | None:
        """The content with this id, None where GitHub does not have it."""

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's bytes at a commit, None where there is no such file."""

    def tree(self, sha: str, limit_bytes: int) -> Tree:
        """All files at a commit, from one archive of at most so many bytes, or file by file."""

    def find_review(self, run: str) -> PostedReview | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""

    def post_review(self, head: str, review: Review) -> PostedReview:
        """Post a review; `update_threads` gives its comments' ids. Raises UnplaceableComment."""

    def update_threads(self, actions: PublishActions) -> PublishResults:
        """Post replies, resolve threads, collapse and dismiss our older reviews, and close the check run.

        Raises Refused where the check run may not be closed.
        """

    def answer(self, key: str, text: str, *, thread: int | None = None, since: float | None = None) -> None:
        """Answer once: in the thread that a review comment began, else in the conversation.

        `key` names what is answered: a comment, or a head. `since` (epoch seconds) is before the first try.
        """

    def merge_group(self, base: str, commit: str, numbers: Sequence[int]) -> Heads:
        """The pull requests that a commit of the merge queue of a branch holds, with these numbers at least."""

    def find_check(self, head: str, external_id: str) -> str | None:
        """The id of the check run of this external id, None where there is none or checks are not permitted."""

    def start_check(self, head: str, external_id: str, check: Check) -> str | None:
        """Open a check run; its id, None where checks are not permitted."""

    def update_check(self, check_id: str, check: Check) -> None:
        """Show how far the work is, or how it ended."""


class Model(Protocol):
    """Claude."""

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Ask. Raises Retry where the API is busy or slow, Broken where the request or the key is wrong.

        Overloaded is the Retry of a model that has no room, whatever the others have.
        """


class Ledger(Protocol):
    """The runs and findings of one pull request.

    Every write that depends on a read is conditional; a condition that no longer holds raises Retry.
    """

    def claim(self, owner: str, until: float) -> PullRequestState:
        """Take the lease until then (seconds since the epoch). Raises Retry while somebody else holds it."""

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

    def keep_surroundings(self, run_id: str, prepared: Prepared) -> None:
        """Store for the run's next message the code around the changes that it has prepared."""

    def surroundings(self, run_id: str) -> Prepared:
        """Read what earlier messages of a run have prepared; nothing where it is missing or cannot be read."""

    def stage(self, run_id: str, staged: PendingReview, *, lasting: bool = False) -> None:
        """Store the review that is about to be posted, or to be kept: a `lasting` one as long as findings are."""

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


class ConversationStore(Protocol):
    """The conversation about one pull request; `key` names a comment."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        """Take the lease of a comment until then (epoch seconds); False where it was answered before.

        Raises Retry while another try holds it.
        """

    def release(self, key: str, owner: str) -> None:
        """Give the lease back if it is still ours."""

    def begin(self, key: str, thread: str, most: int, counted: Counted = "turns") -> ReachedLimit | None:
        """Count an answer or a reading in a thread, once, of at most so many; the limit that is reached, else None."""

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


class Embeddings(Protocol):
    """The model that turns texts into vectors."""

    def embed(self, text: str, purpose: EmbeddingPurpose) -> Vector:
        """Embed a text: to be found later (document), or to find others (query). Raises Retry and Broken."""


class VectorIndex(Protocol):
    """The index of remembered findings, of all repositories. Raises Retry and Broken."""

    @property
    def name(self) -> str:
        """Its name, which has the model of its vectors and their length."""

    def nearest(
        self, vector: Vector, repository_ids: Sequence[int], most: int, *, only_judged: bool = False
    ) -> tuple[Neighbor, ...]:
        """Find the nearest findings of these repositories, and of no others, nearest first, at most 100.

        With `only_judged` they are those that were fixed, or that somebody accepted or dismissed.
        """

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
        """Write findings, each under its key: writing again overwrites."""

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Read the vectors that there are of these keys."""

    def delete(self, keys: Sequence[str]) -> None:
        """Delete what there is of these keys."""


class RepositoryMemory(Protocol):
    """The ledger's record of one repository's memory, and of its vectors in the index."""

    def rules(self) -> tuple[Rule, ...]:
        """Read its rules, oldest first."""

    def add_rule(self, rule: Rule) -> bool:
        """Store a rule, once for each id; False if there are as many as may be."""

    def remove_rule(self, rule_id: str, key: str) -> bool:
        """Remove a rule as a comment asks for it; False if there is none, unless the same comment has removed it."""

    def remembered(self, number: int | None = None) -> tuple[StoredMemory, ...]:
        """Read what is remembered of a pull request, or of all (None)."""

    def kept(self, findings: Sequence[RememberedFinding]) -> Set[str]:
        """The keys in the index of those that are still remembered, also of other repositories."""

    def store(self, findings: Sequence[StoredMemory]) -> None:
        """Store what is remembered, each under its name. What a person had forgotten stays as it is."""

    def share(self, *, is_private: bool, shares: bool) -> None:
        """Put the repository into its owner's pool, or take it out."""

    def shared(self, *, with_private: bool) -> Sequence[int]:
        """The ids of the repositories of the owner's pool; private ones only where asked for."""


class ProposalStore(Protocol):
    """The proposals of all repositories. Raises Retry and Broken."""

    def serves(self, repository_id: int) -> bool:
        """Whether this deployment has worked for a repository before: a model was asked something about it."""

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        """Store a new proposal with its content; the one that is there if there is one of this id."""

    def get(self, proposal_id: str) -> Proposal | None:
        """Read a proposal as it was last written, None if there is none."""

    def content(self, proposal: Proposal) -> Content:
        """Read the content that it has now."""

    def write(self, before: Proposal, changed: Transition, content: Content | None = None) -> bool:
        """Store what an action led to, with the new content of a revision; False if somebody else wrote first."""

    def events(self, proposal_id: str) -> tuple[ProposalEvent, ...]:
        """Read its history, oldest entry first."""

    def of_repository(self, repository_id: int) -> tuple[Proposal, ...]:
        """Read the proposals of a repository as they were last written, newest first, at most 500."""


class Code(Protocol):
    """The code of one repository on GitHub, with the rights of one token.

    Raises Retry where GitHub is busy, Refused where the token has no access.
    """

    def calls(self) -> Mapping[str, int]:
        """The number of requests so far, by route."""

    def caller(self, *, writes: bool) -> Caller:
        """The owner of the token, with the permission in the repository; at most "read" unless they want to write.

        Raises NotAuthenticated.
        """

    def target(self, number: int | None, base: str | None) -> ProposalTarget:
        """The target of a proposal: a pull request, or a commit. Raises Refused if there is no such thing."""

    def settings_file(self, branch: str) -> bytes | None:
        """The settings file of a branch, None if there is none."""

    def owner_file(self) -> OwnerFile | None:
        """The settings file of the owner's `.github` repository, None if there is none, or if it is this repository."""

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        """The entries at these paths of a commit: files with their bytes, folders, links, submodules.

        If a part of a path before its end is no folder, that part is an entry too.
        """

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        """Make a commit on top of another, on no branch, and return its id; None removes a file."""

    def contains(self, branch: str, commit: str) -> bool:
        """Whether a branch has a commit, also below its tip."""

    def advance(self, branch: str, commit: str) -> bool:
        """Move a branch forward to a commit, or begin it there; False if the branch has moved elsewhere."""


class App(Protocol):
    """Our App, as itself and not as one of its installations."""

    def installation(self, repository_id: int) -> int | None:
        """The id of the App's installation on a repository, None where there is none.

        Raises Retry, and Refused without an App.
        """


class StoredVectors(Protocol):
    """The vectors of every index that the deployment has, also of one that it no longer uses."""

    def delete(self, keys: Sequence[str]) -> None:
        """Delete what there is of these keys, in every index. Raises Retry and Broken."""

    def repositories_left(self, repository_ids: Sequence[int]) -> Set[int]:
        """The ids of some of these repositories that have vectors, of none if none has. Raises Retry and Broken."""

    def delete_rest(self, repository_ids: Sequence[int]) -> int:
        """Delete what vectors are left of these repositories, in every index, and return how many were found.

        Raises Retry and Broken, Retry also where there are too many for one attempt.
        """


class RepositoryData(Protocol):
    """Every item of the table that is about a repository. Raises Retry and Broken."""

    def repositories_of(self, owner_id: int) -> Set[int]:
        """Read the ids of the repositories that an owner has had while something was stored about them."""

    def look(self, after: ItemKey | None) -> StoredItems:
        """Look at the next part of the whole table."""

    def of_pull_request(self, repository_id: int, number: int) -> tuple[StoredItem, ...]:
        """Read the keys of everything about one pull request, also what is remembered of its findings."""

    def delete(self, items: Sequence[StoredItem]) -> None:
        """Delete what there is of these items."""


class WebhookLog(Protocol):
    """GitHub's log of the App's webhooks. Raises Retry where GitHub is busy, Refused where it refuses."""

    def deliveries(self, since: float) -> Iterable[LoggedDelivery]:
        """Read what was delivered since then (seconds since the epoch), newest first."""

    def redeliver(self, delivery_id: int) -> None:
        """Have a delivery sent again. Raises Retry also where it may have been sent."""


class OpenPullRequests(Protocol):
    """The open pull requests of all repositories of an installation. Raises Retry and Refused."""

    def repositories(self) -> Sequence[RepositoryRef]:
        """List its repositories, without those that are archived."""

    def updated(self, repositories: Sequence[RepositoryRef], since: float) -> Iterable[OpenPullRequest]:
        """Read the open pull requests of these repositories in which something happened since then."""

    def last_events(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[LastEvents]:
        """Read when each of up to 100 pull requests got its head and left draft."""


class SweepStore(Protocol):
    """The records of sweeps about each other, and about heads that have a run. Raises Retry and Broken."""

    def claim(self, owner: str, until: float) -> float:
        """Take the lease until then; since when deliveries are not settled, 0 if nobody knows.

        Raises Retry while another sweep is at work.
        """

    def release(self, owner: str, settled_until: float) -> None:
        """Give the lease back if it is still ours, and store until when all deliveries are settled."""

    def worked_for(self, repositories: Sequence[RepositoryRef]) -> Set[int]:
        """The ids of those repositories for which this deployment has worked before."""

    def runs_of(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[KnownRuns]:
        """Read what there is of each of up to 50 pull requests."""

    def note(self, pull_request: OpenPullRequest) -> None:
        """Store that a job was queued for the head of a pull request."""
