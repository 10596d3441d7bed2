"""A pull request on GitHub: what is read of it and written to it.

REST reference: https://docs.github.com/en/rest/pulls?apiVersion=2026-03-10
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.conversation.comment import Comment, Discussion, Permission, Reaction
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.job import CommentPayload
from kodiai.core.pull_request import PullRequestSnapshot
from kodiai.core.repository.tree import Tree
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, PublishActions, PublishResults, Review, UnplaceableComment
from kodiai.core.settings import GitHubSettings
from kodiai.core.words.markers import finding_of, review_run
from kodiai.edges.github_answers import Missing, Unprocessable
from kodiai.edges.github_comments import Comments
from kodiai.edges.github_connection import PAUSE_SECONDS, Connection
from kodiai.edges.github_graphql import GraphQL
from kodiai.edges.github_queries import DISPENSABLE
from kodiai.edges.github_settlement import Settler
from kodiai.edges.trees import ArchiveTree, ContentsTree

_MOST_FILES = 3_000
# Not symbolic links (120000) and not submodules (160000).
_FILE_MODES = frozenset({"100644", "100755"})
_CHECK_NAME = "Kodiai"
_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"
_PERMISSIONS: dict[str, Permission] = {"admin": "admin", "write": "write", "read": "read"}

# How GitHub has refused reviews over the years: a sentence for each comment, several in one, or a field's name.
_ABOUT_PLACE = re.compile(
    r"\b(?:line|path|position|side) could not be resolved"
    r"|review[ _]thread[ .](?:start[ _])?(?:line|side|path|position|diff[ _]hunk)\b"
    r"|must be part of the (?:diff|same hunk)|is not part of the diff|must precede the end line"
    r"|review threads is invalid",
    re.IGNORECASE,
)
_ONE_PENDING = "only have one pending review"
_OTHER_COMMIT = "is not part of the pull request"


class GitHubPullRequest:
    """One pull request, spoken to as an installation of our App or with a token.

    `pause_seconds` is how long to wait before a read is tried again, the first time; the second time twice as long.
    """

    def __init__(
        self,
        settings: GitHubSettings,
        bot_login: str,
        repository: str,
        number: int,
        installation: int | None,
        *,
        pause_seconds: float = PAUSE_SECONDS,
    ) -> None:
        owner, _, repo = repository.partition("/")
        names: dict[str, str | int] = {"owner": owner, "repo": repo, "pull_number": number}
        self._connection = Connection(settings, installation, names, pause_seconds)
        # With a token we write under a person's login, and what is pending there may be the person's.
        self._login_is_ours = settings.token is None
        self._bot_login = bot_login
        self._queries = GraphQL(self._connection, repository, number, bot_login)
        self._comments = Comments(self._connection, bot_login)
        self._settler = Settler(self._connection, self._queries, number)

    def __enter__(self) -> "GitHubPullRequest":
        self._connection.open()
        return self

    def __exit__(self, *why: Any) -> None:
        self._connection.close()

    def calls(self) -> Mapping[str, int]:
        """How often each route was called so far."""
        return self._connection.calls()

    def standing(self, config_path: str, *, briefly: bool = False) -> PullRequestSnapshot:
        """How things stand now, in one query; what it cannot tell of a file is read apart.

        `briefly` without what tells what the change is for.
        """
        return self._queries.standing(config_path, self.file, DISPENSABLE if briefly else ())

    def head(self) -> str:
        """The head as it is now."""
        return str(self._connection.get(_PULL)["head"]["sha"])

    def permission(self, login: str) -> Permission:
        """What somebody may do: https://docs.github.com/en/rest/collaborators/collaborators ."""
        found = self._connection.find("/repos/{owner}/{repo}/collaborators/{username}/permission", username=login)
        return _PERMISSIONS.get(str(found.get("permission")), "none") if isinstance(found, dict) else "none"

    def may_write(self, login: str) -> bool:
        """Whether somebody may write."""
        return self.permission(login) in ("write", "admin")

    def react(self, said: CommentPayload, content: Reaction) -> bool:
        """React to what somebody said, once; False where it is gone. Where we may not, that is left."""
        return self._comments.react(said, content)

    def discussion(self, said: CommentPayload) -> Discussion | None:
        """The review thread that something was said in, at most 100 comments; None where it was deleted."""
        return self._comments.discussion(said)

    def conversation(self) -> tuple[Comment, ...]:
        """The newest comments and reviews' texts of the pull request, at most 100, oldest first."""
        return self._queries.conversation()

    def resolve_threads(self, threads: Sequence[str]) -> frozenset[str]:
        """Resolve threads, as far as we may; those that are resolved."""
        return self._settler.resolve(threads)

    def unresolve_thread(self, thread: str) -> None:
        """Open a resolved thread again, where we may."""
        self._settler.unresolve(thread)

    def changed_files(self) -> tuple[ChangedFile, ...]:
        """Its files, at most 3,000: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files ."""
        return tuple(
            ChangedFile(
                path=entry["filename"],
                status=entry["status"],
                blob=entry["sha"] or "",
                additions=entry["additions"],
                deletions=entry["deletions"],
                patch=entry.get("patch"),
                previous_path=entry.get("previous_filename"),
            )
            for entry in self._connection.pages(f"{_PULL}/files", most=_MOST_FILES)
        )

    def file(self, path: str, ref: str) -> bytes | None:
        """A file's content at a ref, None where it does not exist or is no file."""
        content = self._connection.find("/repos/{owner}/{repo}/contents/{path}", {"ref": ref}, path=path)
        if not isinstance(content, dict) or content.get("type") != "file":
            return None
        if content.get("encoding") == "base64":
            return base64.b64decode(content["content"])
        return self._blob(content["sha"])

    def tree(self, sha: str, limit_bytes: int) -> Tree:
        """All files at a commit: from one archive, or file by file where the archive is over the limit."""
        archive = self._connection.download("/repos/{owner}/{repo}/tarball/{ref}", limit_bytes, ref=sha)
        if archive is not None:
            return ArchiveTree(archive, limit_bytes)
        listing = self._connection.find("/repos/{owner}/{repo}/git/trees/{tree_sha}", {"recursive": "1"}, tree_sha=sha)
        entries = listing["tree"] if listing else []
        blobs = {entry["path"]: entry["sha"] for entry in entries if entry["mode"] in _FILE_MODES}
        return ContentsTree(blobs, self._blob)

    def find_review(self, run: str) -> PostedReview | None:
        """The review that a run has already posted, found by its marker in what our own login wrote."""
        for review in self._own_reviews():
            if review["state"] != "PENDING" and review_run(review["body"] or "") == run:
                return self._posted(review["id"])
        return None

    def post_review(self, head: str, review: Review) -> PostedReview:
        """Post a review: all or nothing. Raises UnplaceableComment where GitHub says that a line is not in the diff."""
        try:
            created = self._create_review(head, review)
        except _OnePending:
            self._discard_pending()
            created = self._create_review(head, review)
        return PostedReview(str(created["id"]), {})

    def settle(self, settlement: PublishActions) -> PublishResults:
        """Do what is to be done besides the review; the comments' ids are read apart where they do not come along."""
        resolved, found = self._settler.settle(settlement)
        posted = settlement.posted
        if posted is None:
            return PublishResults(resolved, {})
        missing = settlement.commented - found.keys()
        return PublishResults(resolved, self._posted(int(posted.review_id)).comment_ids if missing else found)

    def answer(self, key: str, text: str, *, thread: int | None = None, since: float | None = None) -> None:
        """Answer something once: in the thread that a review comment began, else in the conversation.

        `since` (epoch seconds) is before the first try: nothing older is looked at for an answer that stands.
        """
        self._comments.answer(key, text, thread, since)

    def find_check(self, head: str, external_id: str) -> str | None:
        """The id of the check run of this external id, None where there is none or checks are not permitted."""
        route, query = "/repos/{owner}/{repo}/commits/{ref}/check-runs", {"check_name": _CHECK_NAME, "filter": "all"}
        with suppress(Refused):
            for check in self._connection.pages(route, query, key="check_runs", ref=head):
                if check["external_id"] == external_id:
                    return str(check["node_id"])
        return None

    def start_check(self, head: str, external_id: str, check: Check) -> str | None:
        """Open a check run; its id, None where checks are not permitted."""
        body = {"name": _CHECK_NAME, "head_sha": head, "external_id": external_id, **_check_body(check)}
        with suppress(Refused):
            return str(self._connection.write("POST", "/repos/{owner}/{repo}/check-runs", body)["node_id"])
        return None

    def update_check(self, check_id: str, check: Check) -> None:
        """Say how far the work is, or how it ended."""
        self._settler.update(check_id, check)

    def _create_review(self, head: str, review: Review) -> Any:
        try:
            return self._connection.write("POST", f"{_PULL}/reviews", _review_body(head, review))
        except Unprocessable as error:
            raise _review_refusal(error, review) from error

    def _discard_pending(self) -> None:
        """Delete the review that we began and did not submit, which GitHub allows one of; nobody else sees it."""
        for review in [review for review in self._own_reviews() if review["state"] == "PENDING"]:
            if not self._login_is_ours and review_run(review["body"] or "") is None:
                raise Refused(f"`{self._bot_login}` has a pending review here: submit it or discard it first")
            with suppress(Missing):
                self._connection.write("DELETE", f"{_PULL}/reviews/{{review_id}}", review_id=review["id"])

    def _own_reviews(self) -> Iterator[Any]:
        for review in self._connection.pages(f"{_PULL}/reviews"):
            if review["user"] and review["user"]["login"] == self._bot_login:
                yield review

    def _posted(self, review_id: int) -> PostedReview:
        """Read a review's comments back. Raises Retry where that is refused: the review stands."""
        comments = self._connection.pages(f"{_PULL}/reviews/{{review_id}}/comments", review_id=review_id)
        try:
            ids = {found: str(comment["id"]) for comment in comments if (found := finding_of(comment["body"]))}
        except Refused as why:
            raise Retry(f"the review's comments could not be read: {why}") from why
        return PostedReview(str(review_id), ids)

    def _blob(self, sha: str) -> bytes | None:
        blob = self._connection.find("/repos/{owner}/{repo}/git/blobs/{file_sha}", file_sha=sha)
        return base64.b64decode(blob["content"]) if blob else None


class _OnePending(Broken):
    """Our login has a pending review, and GitHub takes no other."""


def _review_refusal(error: Unprocessable, review: Review) -> Exception:
    """Say what it means that GitHub read a review and refuses it."""
    if any(_ONE_PENDING in complaint for complaint in error.complaints):
        return _OnePending(f"GitHub refused the review: {error}")
    if any(_OTHER_COMMIT in complaint for complaint in error.complaints):
        # Somebody has pushed something else meanwhile: the next try sees it.
        return Retry(f"GitHub no longer has this head: {error}")
    about_places = error.complaints and all(_ABOUT_PLACE.search(complaint) for complaint in error.complaints)
    if review.comments and about_places:
        return UnplaceableComment(str(error))
    return Broken(f"GitHub refused the review: {error}")


def _review_body(head: str, review: Review) -> dict[str, Any]:
    return {
        "commit_id": head,
        "event": review.event,
        "body": review.body,
        "comments": [
            {"path": comment.path, "line": comment.line, "side": comment.side, "body": comment.body}
            | ({"start_line": comment.start_line, "start_side": comment.side} if comment.start_line else {})
            for comment in review.comments
        ],
    }


def _check_body(check: Check) -> dict[str, Any]:
    output = {"title": check.title, "summary": check.summary}
    if check.conclusion is None:
        return {"status": "in_progress", "output": output}
    return {"status": "completed", "conclusion": check.conclusion, "output": output}
