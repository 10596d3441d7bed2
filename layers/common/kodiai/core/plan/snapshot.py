"""A pull request as GitHub shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kodiai.core.config.keys import Config
from kodiai.core.config.read import BranchFile, OwnerFile, read_settings
from kodiai.core.findings.finding import Finding
from kodiai.core.github.ci import NO_CI, CiResults, OwnCheck
from kodiai.core.github.comment import Thread
from kodiai.core.github.pull_request import Guidance, LinkedIssue, PullRequest

REVIEW_GUIDE = "REVIEW.md"
"""The guidance that is for reviewers only."""

FOR_REVIEWERS = frozenset({".kodiai/guidance.md", REVIEW_GUIDE})
"""The guidance that is written for reviewers."""

# Closest to reviewing first: written for us, for any reviewer, for another one, for agents of any kind, for people.
ROOT_GUIDANCE = (
    ".kodiai/guidance.md",
    REVIEW_GUIDE,
    ".github/copilot-instructions.md",
    "AGENTS.md",
    "CLAUDE.md",
    "CONTRIBUTING.md",
)
"""The guidance that counts for all files."""

LINKED_ISSUES = "linked issues"
"""The name of the issues that the pull request closes, where they could not be read."""


@dataclass(frozen=True)
class OwnReview:
    """A review that we wrote, by GitHub's global id, with the run and the head that its marker names.

    `submitted` is in seconds since the epoch. `listed` are the findings that it reports without a comment, by id.
    """

    id: str
    run: str
    requests_changes: bool
    collapsed: bool
    head: str = ""
    submitted: float = 0.0
    listed: Mapping[str, Finding] = field(default_factory=dict)
    approves: bool = False


@dataclass(frozen=True)
class PullRequestSnapshot:
    """GitHub's state: the pull request, the settings file of its base branch, our threads and our latest reviews.

    `default_file` is the settings file of the default branch, None if that is the base branch; `owner_file` that of the
    owner's `.github` repository, None if there is no such repository, or if it is this one. `misnamed` are paths of the
    base branch that are taken for its settings file.
    The rest explains the change: messages of its latest commits, oldest first; the first issues that it closes; the
    base branch's guidance, closest to reviewing first; templates of descriptions.
    `unseen` says which of that could not be read, and why: "linked issues: not permitted".
    `ci` is what other Apps say of the head, `own_checks` are our check runs on it, of every pull request that has it;
    `same_head` are the numbers of the other open ones.
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
    default_file: BranchFile | None = None
    owner_file: OwnerFile | None = None
    misnamed: tuple[str, ...] = ()
    ci: CiResults = NO_CI
    own_checks: tuple[OwnCheck, ...] = ()
    same_head: tuple[int, ...] = ()

    def settings(self) -> Config:
        """Read the settings that count for the pull request."""
        base = BranchFile(self.pull_request.base_ref, self.config, self.misnamed)
        return read_settings(base, self.default_file, self.owner_file)

    @property
    def may_close_issues(self) -> bool:
        """Whether it closes issues, or nobody knows."""
        return bool(self.issues) or any(each.startswith(LINKED_ISSUES) for each in self.unseen)

    @property
    def newest_review(self) -> OwnReview | None:
        """Our newest review, None if there is none; of two at once the later one."""
        return max(reversed(self.reviews), key=lambda review: review.submitted, default=None)
