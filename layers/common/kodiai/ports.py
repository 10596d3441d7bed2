"""Every way in which we touch the world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.conversation.comment import Comment, Discussion
from kodiai.core.conversation.thread import Thread
from kodiai.core.events.job import Job, Mention, Said
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Dropped, Kept
from kodiai.core.findings.known import KnownFinding, Past, Status
from kodiai.core.findings.lifecycle import Followed
from kodiai.core.settings import Effort

QueueName = Literal["reviews", "mentions"]
JsonObject = Mapping[str, Any]
Permission = Literal["admin", "write", "read", "none"]
Reaction = Literal["eyes", "+1", "heart", "confused"]


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


@dataclass(frozen=True)
class PullRequest:
    """A pull request as it is now. `head` and `base` are commit ids, `base_ref` the branch that it goes into.

    `url` is its page.
    `body_edited` is when its description was last edited, in seconds since the epoch, None where it never was.
    `labels` are the names of its labels.
    """

    repository: str
    number: int
    url: str
    title: str
    body: str
    author: str
    author_is_bot: bool
    state: Literal["open", "closed"]
    draft: bool
    head: str
    base: str
    base_ref: str
    body_edited: float | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class OwnReview:
    """A review that we wrote, by GitHub's global id, with the run and the head that its marker names.

    `submitted` is when, in seconds since the epoch. `listed` are the findings that it tells without a comment, by id.
    """

    id: str
    run: str
    requests_changes: bool
    collapsed: bool
    head: str = ""
    submitted: float = 0.0
    listed: Mapping[str, Finding] = field(default_factory=dict)


@dataclass(frozen=True)
class LinkedIssue:
    """An issue that the pull request closes; `repository` is "owner/name", which may be another one."""

    number: int
    title: str
    body: str
    repository: str


@dataclass(frozen=True)
class Guidance:
    """A file of the base branch in which the repository says how it wants things done."""

    path: str
    text: str


@dataclass(frozen=True)
class Standing:
    """How things stand on GitHub: the pull request, a file of its base branch, our threads and our latest reviews.

    The rest tells what the change is for: messages of its latest commits, oldest first; the first issues that it
    closes; what the base branch says of how to work, closest to reviewing first; the forms for descriptions.
    `unseen` says what of that GitHub did not tell, and why: "linked issues: not permitted".
    """

    pull_request: PullRequest
    config: bytes | None
    threads: tuple[Thread, ...] = ()
    reviews: tuple[OwnReview, ...] = ()
    commits: tuple[str, ...] = ()
    issues: tuple[LinkedIssue, ...] = ()
    guidance: tuple[Guidance, ...] = ()
    templates: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Tree(Protocol):
    """The repository's files at one commit, read-only."""

    @property
    def searchable(self) -> bool:
        """Whether reading every file is cheap."""

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file."""


@dataclass(frozen=True)
class ReviewComment:
    """An inline comment: on the new side, on `line`, or from `start_line` to `line`."""

    path: str
    line: int
    start_line: int | None
    body: str
    side: Literal["RIGHT"] = "RIGHT"


ReviewEvent = Literal["COMMENT", "APPROVE", "REQUEST_CHANGES"]


@dataclass(frozen=True)
class Review:
    """What one run posts: one review, all or nothing."""

    event: ReviewEvent
    body: str
    comments: tuple[ReviewComment, ...]


@dataclass(frozen=True)
class Posted:
    """A review that stands on GitHub: its id, and its comments' ids by finding id."""

    review_id: str
    comment_ids: Mapping[str, str]


class Unplaceable(Exception):
    """GitHub refused the review because of a comment's place; it stored nothing and names no culprit."""


Conclusion = Literal["success", "neutral", "failure"]


@dataclass(frozen=True)
class Check:
    """What the check run of a head says. `conclusion` is None while the work goes on."""

    title: str
    summary: str
    conclusion: Conclusion | None = None
    annotations: tuple["Annotation", ...] = ()


@dataclass(frozen=True)
class Annotation:
    """A finding's place in the check run, on any line of the head."""

    path: str
    start_line: int
    end_line: int
    level: Literal["notice", "warning", "failure"]
    title: str
    message: str


@dataclass(frozen=True)
class ThreadAct:
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
class Settlement:
    """Everything that a run does on GitHub beside its review, in one request where there is a check run to close.

    `collapsed` and `lifted` are reviews of ours: those that are out of date, and those that asked for changes, which
    are dismissed with `lifted_why`.
    `posted` is the review whose comments' ids are to be read, `commented` the findings that it has comments about.
    `again` is whether an earlier try may have begun this.
    """

    check_id: str | None
    check: Check
    acts: tuple[ThreadAct, ...] = ()
    collapsed: tuple[str, ...] = ()
    lifted: tuple[str, ...] = ()
    posted: Posted | None = None
    commented: frozenset[str] = frozenset()
    again: bool = False
    lifted_why: str = "No finding that was asked to be addressed is left."


@dataclass(frozen=True)
class Settled:
    """What came of it: the findings whose threads were resolved, and comments' ids by finding id."""

    resolved: tuple[str, ...]
    comment_ids: Mapping[str, str]


class GitHub(Protocol):
    """One pull request on GitHub. Raises Retry where GitHub is busy, Refused where we lack access."""

    def calls(self) -> Mapping[str, int]:
        """How many requests were sent so far, by route: "GET /repos/{owner}/{repo}/pulls/{pull_number}" → times."""

    def standing(self, config_path: str, *, briefly: bool = False) -> Standing:
        """How things stand now; `briefly` without what tells what the change is for."""

    def head(self) -> str:
        """The head as it is now."""

    def permission(self, login: str) -> Permission:
        """What somebody may do in the repository."""

    def may_write(self, login: str) -> bool:
        """Whether somebody may write to the repository."""

    def react(self, said: Said, content: Reaction) -> bool:
        """React to what somebody said, once; False where it is gone."""

    def discussion(self, said: Said) -> Discussion | None:
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

    def find_review(self, run: str) -> Posted | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""

    def post_review(self, head: str, review: Review) -> Posted:
        """Post a review; its comments' ids are known once it is settled. Raises Unplaceable."""

    def settle(self, settlement: Settlement) -> Settled:
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


@dataclass(frozen=True)
class Usage:
    """What calls to the model consumed, in tokens; prompt characters are those of everything sent."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    prompt_characters: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.prompt_characters + other.prompt_characters,
        )


@dataclass(frozen=True)
class Question:
    """One request to the model, in the Messages API's JSON.

    `schema` is a JSON schema that the answer must fill, None for free text.
    `tools_allowed` is False for the last turn of a conversation that has used its tools up.
    `effort` is how much the model thinks, None for its own default.
    `passing` are texts of the first message that may be others without making it another question.
    Source: https://platform.claude.com/docs/en/api/messages
    """

    model: str
    system: Sequence[JsonObject]
    messages: Sequence[JsonObject]
    max_tokens: int
    tools: Sequence[JsonObject] = ()
    tools_allowed: bool = True
    schema: JsonObject | None = None
    effort: Effort | None = None
    passing: tuple[str, ...] = ()


StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "model_context_window_exceeded"]


@dataclass(frozen=True)
class Answer:
    """What a model said: content blocks in the Messages API's JSON, why it stopped, what it cost in tokens."""

    model: str
    content: Sequence[JsonObject]
    stop_reason: StopReason
    usage: Usage

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def tool_uses(self) -> Sequence[JsonObject]:
        """The tools that it wants to use."""
        return [block for block in self.content if block["type"] == "tool_use"]


class Model(Protocol):
    """Claude."""

    def answer(self, question: Question, timeout_seconds: float) -> Answer:
        """Ask. Raises Retry where the API is busy or slow, Broken where the request or the key is wrong.

        Overloaded is the Retry of a model that has no room, whatever the others have.
        """


RunStatus = Literal["running", "completed", "superseded", "failed"]


@dataclass(frozen=True)
class Staged:
    """The outbox: what is about to be posted and done, and what is remembered of it once it is.

    `review` is None where there is nothing to post. `findings` are new, `followed` were told before.
    `lifts` is whether a review of ours that asks for changes has no reason any more.
    `dropped` are the findings that were held back.
    """

    review: Review | None
    findings: tuple[Kept, ...]
    facts: JsonObject
    check: Check
    followed: tuple[Followed, ...] = ()
    acts: tuple[ThreadAct, ...] = ()
    lifts: bool = False
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True)
class Run:
    """One review of one head, as the ledger has it.

    `delivery` is the GUID of the webhook that began it.
    `staged` is the review as it will be posted, written down before it is, with the findings that it tells.
    `ended` is when (seconds since the epoch), `ended_why` why it did without a review.
    """

    id: str
    head: str
    base: str
    status: RunStatus
    started: float
    delivery: str = ""
    check_id: str | None = None
    review_id: str | None = None
    staged: Staged | None = None
    facts: JsonObject = field(default_factory=dict)
    ended: float | None = None
    ended_why: str | None = None


@dataclass(frozen=True)
class PullRequestState:
    """Where a pull request stands: which run is under way, which one completed last and what head it read.

    `completed_delivery` is the GUID of the webhook that began that one, `completed_at` when it was done, in seconds
    since the epoch. `ended_run` is the last one that ended without a review.
    `paused_by` is the login of who asked that nothing is reviewed until somebody resumes it.
    """

    running: str | None
    completed_run: str | None
    completed_head: str | None
    ended_run: str | None = None
    completed_delivery: str | None = None
    completed_at: float = 0.0
    paused_by: str | None = None


class UnreadableFindings(Exception):
    """What was written down about findings cannot be read."""


@dataclass(frozen=True)
class Spending:
    """What the model has cost so far, in US dollars: for this pull request, and for its repository this month (UTC)."""

    pull_request_usd: float
    repository_month_usd: float


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

    def stage(self, run_id: str, staged: Staged) -> None:
        """Write down what is about to be posted."""

    def complete(self, owner: str, run: Run, staged: Staged, posted: Posted | None) -> None:
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


Limit = Literal["turns", "pace", "pull request's budget", "month's budget"]
"""What a turn may run into: too many answers, too many in a minute, money."""


@dataclass(frozen=True)
class TurnLimits:
    """What one more answer may not exceed: answers on the pull request, and US dollars (None: no limit).

    `reserve_usd` is what is set aside for this one until it is known what it costs.
    """

    turns: int
    pull_request_usd: float | None
    month_usd: float | None
    reserve_usd: float


@dataclass(frozen=True)
class Decision:
    """What a person decided about a finding: how it stands from now on, who said so, and in which comment.

    `status` None leaves it open: what was said was heard and answered. `resolved_thread` is whether we resolved its
    thread for them.
    """

    by: str
    key: str
    status: Status | None
    why: str
    head: str
    reply: str | None = None
    resolved_thread: bool = False


class Talk(Protocol):
    """What the ledger knows of the conversation about one pull request. `key` names what somebody said."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        """Take it for one try until then (seconds since the epoch); False where everything was done before.

        Raises Retry while another try holds it.
        """

    def release(self, key: str, owner: str) -> None:
        """Let go of it, if it is still held by this try."""

    def begin(self, key: str, thread: str, limits: TurnLimits) -> Limit | None:
        """Count an answer in a thread as begun, once; the limit that does not allow it, None where all do."""

    def finish(self, key: str, facts: JsonObject) -> None:
        """Write down that everything was done, with what came of it; what was set aside and not spent is freed."""

    def tells(self, what: str, key: str) -> bool:
        """Whether it is this comment that gets to be told something which is said once."""

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[Past, ...]] | None:
        """The finding that a comment of ours is about, with its history, None where it is about none.

        Raises UnreadableFindings.
        """

    def decide(self, finding_id: str, decision: Decision) -> bool:
        """Write down what a person decided about an open finding, once; False where something else was decided."""

    def reopen(self, finding_id: str, decision: Decision) -> bool:
        """Write down that a person takes back what closed a finding, once; False where it is open."""

    def paused_by(self) -> str | None:
        """Read who asked that nothing is reviewed, None where nobody did."""

    def pause(self, by: str | None) -> None:
        """Have nothing reviewed until it is resumed (None)."""
