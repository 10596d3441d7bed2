"""A pull request on GitHub: its files, our reviews and check runs, and people's permissions.

REST reference: https://docs.github.com/en/rest/pulls?apiVersion=2026-03-10
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

from kodiai.core.changes.changed_file import MOST_PATCHES, ChangedFile, Skipped, patch_bytes
from kodiai.core.changes.text import NUL
from kodiai.core.errors import Refused, Retry
from kodiai.core.findings.markers import review_run
from kodiai.core.github.ci import CHECK_NAME
from kodiai.core.github.comment import Permission
from kodiai.core.repository.tree import Tree
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, Review, UnplaceableComment
from kodiai.core.words.check import LOCKED
from kodiai.edges.github_comments import PullRequestComments
from kodiai.edges.github_errors import Missing, Unprocessable
from kodiai.edges.github_queue import MergeQueueReader
from kodiai.edges.github_threads import PullRequestThreads
from kodiai.edges.trees import ArchiveTree, CommitTree

_MOST_FILES = 3_000
_MORE = "more files than GitHub lists"
_SAME_NAME = "GitHub shows its name for another file too"
_UNLISTED = ChangedFile(
    _MORE, "modified", "", 0, 0, None, skipped=Skipped(_MORE, f"it lists {_MOST_FILES:,}", is_lasting=True)
)
# Not symbolic links (120000) and not submodules (160000).
_FILE_MODES = frozenset({"100644", "100755"})
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
_LOCK = "lock prevents review"


class GitHubPullRequest(PullRequestComments, PullRequestThreads, MergeQueueReader):
    """The port `GitHub`, as an installation of our App or with a token."""

    def head(self) -> str:
        return str(self._get(_PULL)["head"]["sha"])

    def permission(self, login: str) -> Permission:
        """Source: https://docs.github.com/en/rest/collaborators/collaborators ."""
        found = self._find("/repos/{owner}/{repo}/collaborators/{username}/permission", username=login)
        return _PERMISSIONS.get(str(found.get("permission")), "none") if isinstance(found, dict) else "none"

    def may_write(self, login: str) -> bool:
        return self.permission(login) in ("write", "admin")

    def changed_files(self) -> tuple[ChangedFile, ...]:
        """Leave out patches that do not fit into 100 MB of memory.

        Source: https://docs.github.com/en/rest/pulls/pulls#list-pull-requests-files
        """
        room, count = MOST_PATCHES, 0
        files: dict[str, ChangedFile] = {}
        for count, entry in enumerate(self._pages(f"{_PULL}/files", most=_MOST_FILES), 1):  # noqa: B007
            patch = entry.get("patch") or ""
            size = patch_bytes(patch)
            fits = size <= room
            room -= size if fits else 0
            file = ChangedFile(
                path=entry["filename"],
                status=entry["status"],
                blob=entry["sha"] or "",
                additions=entry["additions"],
                deletions=entry["deletions"],
                # A NUL behind the first 8,000 bytes is in the patch; it is shown like those in contents.
                patch=patch.replace("\0", NUL) if patch and fits else None,
                previous_path=entry.get("previous_filename"),
                has_room=fits,
            )
            twin = replace(file, patch=None, skipped=Skipped(file.path, _SAME_NAME, is_lasting=True))
            files[file.path] = twin if file.path in files else file
        return tuple(files.values()) if count < _MOST_FILES else (*files.values(), _UNLISTED)

    def merge_base(self, base: str, head: str) -> str:
        """Ask for a page behind the first one, which has the changed files.

        Source: https://docs.github.com/en/rest/commits/commits#compare-two-commits
        """
        compared = self._get(
            "/repos/{owner}/{repo}/compare/{basehead}", {"page": 2, "per_page": 1}, basehead=f"{base}...{head}"
        )
        return str(compared["merge_base_commit"]["sha"])

    def tree(self, sha: str, limit_bytes: int, check_time: Callable[[], None] = lambda: None) -> Tree:
        """Take the archive at once where GitHub cuts its listing, at 100,000 entries or 7 MB.

        Source: https://docs.github.com/en/rest/git/trees#get-a-tree
        """

        def archive() -> ArchiveTree | None:
            check_time()
            packed = self._download("/repos/{owner}/{repo}/tarball/{ref}", limit_bytes, ref=sha)
            return None if packed is None else ArchiveTree(packed, limit_bytes)

        check_time()
        listing = self._get("/repos/{owner}/{repo}/git/trees/{tree_sha}", {"recursive": "1"}, tree_sha=sha)
        if listing["truncated"] and (whole := archive()) is not None:
            return whole
        files = (entry for entry in listing["tree"] if entry["mode"] in _FILE_MODES)
        return CommitTree({each["path"]: (each["sha"], each["size"]) for each in files}, self.contents, archive)

    def find_review(self, run: str) -> PostedReview | None:
        for review in self._own_reviews():
            if review["state"] != "PENDING" and review_run(review["body"] or "") == run:
                return self._posted(review["id"])
        return None

    def post_review(self, head: str, review: Review) -> PostedReview:
        try:
            created = self._create_review(head, review)
        except _OnePending:
            self._discard_pending()
            created = self._create_review(head, review)
        self._check_author(created["user"]["login"])
        return PostedReview(str(created["id"]), {})

    def find_check(self, head: str, external_id: str) -> str | None:
        """Find also one of an earlier release, which wrote the repository's name in place of its id."""
        _, _, name = external_id.partition("#")
        with suppress(Refused):
            for check in self._checks(head):
                if str(check["external_id"]).partition("#")[2] == name:
                    return str(check["node_id"])
        return None

    def check_ids(self, head: str) -> Iterator[str | None]:
        """The external ids of all check runs of our name on a commit, whichever pull request they are for."""
        return (check["external_id"] for check in self._checks(head))

    def start_check(self, head: str, external_id: str, check: Check) -> str | None:
        body = {"name": CHECK_NAME, "head_sha": head, "external_id": external_id, **_check_body(check)}
        with suppress(Refused):
            return str(self._write("POST", "/repos/{owner}/{repo}/check-runs", body)["node_id"])
        return None

    def _checks(self, head: str) -> Iterator[Any]:
        route, query = "/repos/{owner}/{repo}/commits/{ref}/check-runs", {"check_name": CHECK_NAME, "filter": "all"}
        return self._pages(route, query, key="check_runs", needs=self._permissions.writes, ref=head)

    def _create_review(self, head: str, review: Review) -> Any:
        try:
            return self._write("POST", f"{_PULL}/reviews", _review_body(head, review))
        except Unprocessable as error:
            raise _review_refusal(error, review) from error
        except Refused as why:
            raise Refused(f"GitHub refused the review ({why})") from why

    def _discard_pending(self) -> None:
        """Delete our review that was never submitted: GitHub allows one, and nobody else sees it."""
        for review in [review for review in self._own_reviews() if review["state"] == "PENDING"]:
            if not self._login_is_ours and review_run(review["body"] or "") is None:
                raise Refused(f"`{self._us}` has a pending review here: submit it or discard it first")
            with suppress(Missing):
                self._write("DELETE", f"{_PULL}/reviews/{{review_id}}", review_id=review["id"])

    def _own_reviews(self) -> Iterator[Any]:
        for review in self._pages(f"{_PULL}/reviews"):
            if review["user"] and review["user"]["login"] == self._us:
                yield review


class _OnePending(Refused):
    """Our login has a pending review, and GitHub takes no other."""


def _review_refusal(error: Unprocessable, review: Review) -> Exception:
    """Say what GitHub's refusal of a review means."""
    if any(_ONE_PENDING in complaint for complaint in error.complaints):
        return _OnePending(f"GitHub refused the review ({error})")
    if any(_OTHER_COMMIT in complaint for complaint in error.complaints):
        # Somebody has pushed something else meanwhile: the next try sees it.
        return Retry(f"GitHub no longer has this head: {error}")
    about_places = error.complaints and all(_ABOUT_PLACE.search(complaint) for complaint in error.complaints)
    if review.comments and about_places:
        return UnplaceableComment(str(error))
    if any(_LOCK in complaint for complaint in error.complaints):
        return Refused(LOCKED)
    return Refused(f"GitHub refused the review ({error})")


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
