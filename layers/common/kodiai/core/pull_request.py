"""A pull request as GitHub shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kodiai.core.ci import NO_CI, CiResults, OwnCheck
from kodiai.core.config import BranchFile, Config, OwnerFile, read_settings
from kodiai.core.conversation.comment import Thread
from kodiai.core.findings.finding import Finding

REVIEW_GUIDE = "REVIEW.md"
"""The guidance that is for reviewers only."""


@dataclass(frozen=True)
class PullRequest:
    """A pull request as it is now. `head` and `base` are commit ids, `base_ref` is its base branch.

    `repository` is "owner/name", `repository_id` GitHub's numeric id, which stays when it is renamed.
    `url` is its page, `labels` are the names of its labels. A merged one is closed too.
    `is_locked` is whether its conversation is locked for us.
    `body_edited` is when its description was last edited, in seconds since the epoch, None if it never was.
    """

    repository: str
    repository_id: int
    is_private: bool
    number: int
    url: str
    title: str
    body: str
    author: str
    author_is_bot: bool
    state: Literal["open", "closed"]
    is_merged: bool
    draft: bool
    head: str
    base: str
    base_ref: str
    body_edited: float | None = None
    labels: tuple[str, ...] = ()
    is_locked: bool = False


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
class LinkedIssue:
    """An issue that the pull request closes; `repository` is "owner/name", which may be another one."""

    number: int
    title: str
    body: str
    repository: str


@dataclass(frozen=True)
class Guidance:
    """A file of the base branch that says how to work in the repository."""

    path: str
    text: str


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
    def newest_review(self) -> OwnReview | None:
        """Our newest review, None if there is none; of two at once the later one."""
        return max(reversed(self.reviews), key=lambda review: review.submitted, default=None)
