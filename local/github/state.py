"""Everything that is known of a repository: people, pull requests, reviews, comments, checks, as plain data."""

from dataclasses import dataclass, field
from typing import Any, Literal

from local.github.hunks import Side

Role = Literal["admin", "maintain", "write", "triage", "read", "none"]
ROLES: tuple[Role, ...] = ("none", "read", "triage", "write", "maintain", "admin")
ReviewState = Literal["PENDING", "COMMENTED", "APPROVED", "CHANGES_REQUESTED", "DISMISSED"]
LockReason = Literal["off-topic", "too heated", "resolved", "spam"]
Ending = Literal["merged", "invalidated", "dequeued"]
SubjectKind = Literal["issue", "issue comment", "review comment", "review"]


@dataclass
class User:
    """A person, a bot or an organization, and what they may do in the one repository."""

    id: int
    login: str
    type: Literal["User", "Bot", "Organization"]
    role: Role

    def may(self, role: Role) -> bool:
        """Whether they hold that role or a stronger one."""
        return ROLES.index(self.role) >= ROLES.index(role)


@dataclass
class PullRequest:
    """A pull request. Times are epoch seconds; `base_sha` is the base branch's tip, not the merge base.

    `base_named` is the tip that a person named, which is below files that were committed on top of it.
    """

    id: int
    number: int
    title: str
    body: str | None
    author: str
    head_ref: str
    head_sha: str
    base_ref: str
    base_sha: str
    base_named: str
    draft: bool
    from_fork: bool
    created_at: float
    updated_at: float
    state: Literal["open", "closed"] = "open"
    body_edited_at: float | None = None
    closed_at: float | None = None
    merged_at: float | None = None
    merged_by: str | None = None
    requested_reviewers: list[str] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    locked: bool = False
    lock_reason: LockReason | None = None


@dataclass
class Label:
    """A label of the repository; pull requests carry it by its id."""

    id: int
    name: str


@dataclass
class Issue:
    """An issue, which shares its row of numbers with the pull requests."""

    id: int
    number: int
    title: str
    body: str
    author: str
    created_at: float
    state: Literal["open", "closed"] = "open"


@dataclass
class Review:
    """A review; a PENDING one is seen by its author only. `commit` is the head that it is about.

    `dismissed_with` is the reason that was given when it was dismissed.
    """

    id: int
    number: int
    author: str
    state: ReviewState
    body: str
    commit: str
    created_at: float
    submitted_at: float | None = None
    edited_at: float | None = None
    minimized: str | None = None
    dismissed_with: str | None = None


@dataclass(frozen=True)
class CommentPosition:
    """The position of a comment: lines are 1-based; `position` counts lines of the patch, as GitHub does."""

    path: str
    side: Side
    line: int
    position: int
    start_side: Side | None = None
    start_line: int | None = None


@dataclass
class ReviewComment:
    """A comment in a review thread, at the place and the commit for which it was written."""

    id: int
    review: int
    number: int
    author: str
    body: str
    place: CommentPosition
    commit: str
    hunk: str
    created_at: float
    in_reply_to: int | None = None
    edited_at: float | None = None
    minimized: str | None = None

    @property
    def thread(self) -> int:
        """The id of the comment that began the thread; threads are flat."""
        return self.in_reply_to or self.id


@dataclass
class IssueComment:
    """A comment in the conversation of a pull request. `by_app` marks what was written with the App's token."""

    id: int
    number: int
    author: str
    body: str
    created_at: float
    by_app: bool
    edited_at: float | None = None
    minimized: str | None = None


@dataclass(frozen=True)
class Resolution:
    """The user who resolved a thread, and the time."""

    by: str
    at: float


@dataclass(frozen=True)
class Reaction:
    """A reaction of one person to one thing."""

    id: int
    kind: SubjectKind
    subject: int
    author: str
    content: str
    at: float


@dataclass
class CheckRun:
    """A check run. `annotations` and `actions` have GitHub's own fields; annotations add up.

    `app` is the slug of another App that made it, None for ours.
    """

    id: int
    head: str
    name: str
    status: str
    conclusion: str | None
    external_id: str
    started_at: float | None
    completed_at: float | None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)
    app: str | None = None


@dataclass(frozen=True)
class CommitStatus:
    """A status that somebody gave a commit; of each context the newest counts."""

    id: int
    head: str
    context: str
    state: Literal["pending", "success", "failure", "error"]
    description: str
    creator: str
    at: float


@dataclass(frozen=True)
class BranchRules:
    """The rules of a base branch: required checks, each with the id of the App that must report it; a merge queue.

    `checks` are those of rulesets, `classic` those of its classic protection. With the `strategy` "HEADGREEN" an entry
    that failed is merged together with one behind it that passed.
    """

    id: int
    checks: dict[str, int | None] = field(default_factory=dict)
    classic: dict[str, int | None] = field(default_factory=dict)
    has_queue: bool = False
    strategy: Literal["ALLGREEN", "HEADGREEN"] = "ALLGREEN"

    @property
    def required(self) -> list[tuple[str, int | None]]:
        """All required checks."""
        return [*self.checks.items(), *self.classic.items()]


@dataclass(frozen=True)
class MergeGroup:
    """An entry of a branch's merge queue: the commit `head` on top of `base`, for a pull request with that head.

    `ended` is why it is no longer in the queue, None for one that is. What is built again is another one.
    """

    id: int
    number: int
    branch: str
    base: str
    head: str
    pull_head: str
    login: str
    at: float
    ended: Ending | None = None

    @property
    def ref(self) -> str:
        """The name of its branch."""
        return f"gh-readonly-queue/{self.branch}/pr-{self.number}-{self.base}"


@dataclass
class Installation:
    """An installation of the App on the owner's account, and whether it still exists and has the repository.

    `created_at` is in epoch seconds; 0 is the beginning. `accepted` are the permissions that the owner has accepted,
    None for all that the App has.
    """

    id: int
    exists: bool = True
    has_repository: bool = True
    created_at: float = 0.0
    accepted: dict[str, str] | None = None


@dataclass(frozen=True)
class Event:
    """One line of a pull request's timeline, for a reader who wants to see what happened when."""

    at: float
    number: int
    actor: str
    what: str
    subject: int | str | None = None


@dataclass
class State:
    """Everything, by id. One pull request's things are found by its number. `ids` is how far ids were given out."""

    users: dict[str, User] = field(default_factory=dict)
    pulls: dict[int, PullRequest] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    labels: dict[int, Label] = field(default_factory=dict)
    reviews: dict[int, Review] = field(default_factory=dict)
    comments: dict[int, ReviewComment] = field(default_factory=dict)
    issue_comments: dict[int, IssueComment] = field(default_factory=dict)
    resolutions: dict[int, Resolution] = field(default_factory=dict)
    reactions: dict[int, Reaction] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    statuses: dict[int, CommitStatus] = field(default_factory=dict)
    rules: dict[str, BranchRules] = field(default_factory=dict)
    groups: dict[int, MergeGroup] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    timeline: list[Event] = field(default_factory=list)
    ids: int = 2_100_000_000

    def new_id(self) -> int:
        """An id that nothing else has; above 31 bits, as GitHub's newer ones are."""
        self.ids += 1
        return self.ids * 2

    def new_number(self) -> int:
        """The next number of a pull request or an issue."""
        return max([0, *self.pulls, *self.issues]) + 1

    def user(self, login: str, role: Role | None = None, kind: Literal["User", "Bot"] = "User") -> User:
        """The user of that login, made at first sight; a given role is theirs from now on."""
        if login not in self.users:
            self.users[login] = User(self.new_id(), login, kind, role or "read")
        elif role is not None:
            self.users[login].role = role
        return self.users[login]

    def label(self, name: str) -> Label:
        """The label of that name, capitals or not, made at first sight."""
        found = next((each for each in self.labels.values() if each.name.casefold() == name.casefold()), None)
        if found is None:
            found = Label(self.new_id(), name)
            self.labels[found.id] = found
        return found

    def labels_of(self, pull: PullRequest) -> list[Label]:
        """The labels that a pull request carries, in order."""
        return [self.labels[each] for each in pull.labels]

    def reviews_of(self, number: int, viewer: str | None) -> list[Review]:
        """A pull request's reviews in order, a pending one only for its author."""
        own = [review for review in self.reviews.values() if review.number == number]
        return [review for review in own if review.state != "PENDING" or review.author == viewer]

    def comments_of(self, number: int, viewer: str | None) -> list[ReviewComment]:
        """A pull request's review comments in order, without those of other people's pending reviews."""
        seen = {review.id for review in self.reviews_of(number, viewer)}
        return [comment for comment in self.comments.values() if comment.number == number and comment.review in seen]

    def issue_comments_of(self, number: int) -> list[IssueComment]:
        """The conversation of a pull request, in order."""
        return [comment for comment in self.issue_comments.values() if comment.number == number]

    def checks_of(self, head: str) -> list[CheckRun]:
        """A head's check runs, in order."""
        return [check for check in self.checks.values() if check.head == head]

    def latest_checks_of(self, head: str) -> list[CheckRun]:
        """A head's newest check run of each name and App, in order."""
        return list({(check.app, check.name): check for check in self.checks_of(head)}.values())

    def statuses_of(self, head: str) -> list[CommitStatus]:
        """A head's newest status of each context, in order."""
        return list({each.context: each for each in self.statuses.values() if each.head == head}.values())

    def reactions_to(self, kind: SubjectKind, subject: int) -> list[Reaction]:
        """Everybody's reactions to one thing, in order."""
        return [r for r in self.reactions.values() if (r.kind, r.subject) == (kind, subject)]
