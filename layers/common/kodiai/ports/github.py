"""GitHub, as the flows reach it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Protocol

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.contents import Entry
from kodiai.core.config.read import OwnerFile
from kodiai.core.diffs.tree import TreeEntry
from kodiai.core.events.missed import LastEvents, OpenPullRequest
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.core.gate.standing import Heads
from kodiai.core.github.comment import Comment, CommentPayload, Discussion, Permission, Reaction
from kodiai.core.github.names import RepositoryRef
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.proposals.target import Caller, ProposalTarget
from kodiai.core.repository.tree import Tree
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults, Review


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
        """Its files, at most 3,000, and another one for all that GitHub does not list."""

    def merge_base(self, base: str, head: str) -> str:
        """The commit from which both began, with which GitHub compares the head."""

    def entries(self, commit: str, paths: Sequence[str]) -> Mapping[str, Entry]:
        """The files of a commit at these paths, by path; without those that it does not have."""

    def blob(self, oid: str) -> bytes | None:
        """The content with this id, None where GitHub does not have it."""

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's bytes at a commit, None where there is no such file."""

    def contents(self, names: Collection[str]) -> Mapping[str, bytes | None]:
        """The contents with these names, None where there is no such file; a hundred texts take one request.

        A name is a blob's id, or git's "commit:path". What is over LARGEST_FILE is None by its path.
        """

    def tree(self, sha: str, limit_bytes: int, check_time: Callable[[], None] = ...) -> Tree:
        """All files at a commit, read by blob, or from one archive of at most `limit_bytes` if much of it is wanted.

        `check_time` is called before the listing and before the archive is fetched, and may raise.
        """

    def find_review(self, run: str) -> PostedReview | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""

    def post_review(self, head: str, review: Review) -> PostedReview:
        """Post a review, all or nothing; `update_threads` gives its comments' ids.

        Raises UnplaceableComment where GitHub says that a line is not in the diff.
        """

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
        """The target of a proposal: a pull request, or a commit. Raises NoTarget if there is no such thing."""

    def settings_file(self, branch: str) -> bytes | None:
        """The settings file of a branch, None if there is none."""

    def owner_file(self) -> OwnerFile | None:
        """The settings file of the owner's `.github` repository, None if there is none, or if it is this repository."""

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        """The entries at these paths of a commit: files with their bytes, folders, links, submodules.

        If a part of a path before its end is no folder, that part is an entry too. Raises Refused without the commit.
        """

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        """Make a commit on top of another, on no branch, and return its id; None removes a file.

        Its author is whom the token belongs to. Raises Refused where the token may not write.
        """

    def contains(self, branch: str, commit: str) -> bool:
        """Whether a branch has a commit, also below its tip; one that does not exist has none."""

    def advance(self, branch: str, commit: str) -> bool:
        """Move a branch forward to a commit, or begin it there if it is one of ours ("kodiai/…").

        False if the branch has moved elsewhere. Raises Refused where GitHub does not let the token do it.
        """


class App(Protocol):
    """Our App, as itself and not as one of its installations."""

    def installation(self, repository_id: int) -> int | None:
        """The id of the App's installation on a repository, None where there is none.

        Raises Retry, and Refused without an App.
        """


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
