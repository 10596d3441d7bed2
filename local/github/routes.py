"""Which handler answers which operation, and what a token must hold for it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from local.github import checks, contents, issue_comments, people, pulls, reactions, review_comments, reviews
from local.github.answers import Answer
from local.github.app import get_app, get_installation
from local.github.call import Call
from local.github.served import OPERATIONS

Handler = Callable[[Call], Answer]
_TAILS = ("path", "ref", "basehead", "tree_sha")
_JWT = ("app:jwt",)
_PULLS = ("pull_requests:read",)
_PULLS_WRITE = ("pull_requests:write",)
_TALK = ("issues:read", "pull_requests:read")
_TALK_WRITE = ("issues:write", "pull_requests:write")
_FILES = ("contents:read",)
_CHECKS = ("checks:read",)
_CHECKS_WRITE = ("checks:write",)
_ANY = ("metadata:read",)

_REPO = "/repos/{owner}/{repo}"
_PULL = f"{_REPO}/pulls/{{pull_number}}"
_REVIEW = f"{_PULL}/reviews/{{review_id}}"
_COMMENT = f"{_REPO}/pulls/comments/{{comment_id}}"
_ISSUE = f"{_REPO}/issues/{{issue_number}}"
_ISSUE_COMMENT = f"{_REPO}/issues/comments/{{comment_id}}"
_CHECK = f"{_REPO}/check-runs"

_HANDLERS: dict[str, tuple[Handler, tuple[str, ...]]] = {
    "GET /app": (get_app, _JWT),
    "GET /rate_limit": (people.get_rate_limit, ()),
    "GET /user": (people.get_user, ("user",)),
    f"GET {_REPO}": (people.get_repository, _ANY),
    f"GET {_REPO}/installation": (get_installation, _JWT),
    f"GET {_REPO}/collaborators/{{username}}/permission": (people.get_permission, _ANY),
    f"GET {_REPO}/pulls": (pulls.list_pulls, _PULLS),
    f"GET {_PULL}": (pulls.get_pull, _PULLS),
    f"GET {_PULL}/files": (pulls.list_files, _PULLS),
    f"GET {_PULL}/commits": (pulls.list_commits, _PULLS),
    f"GET {_PULL}/reviews": (reviews.list_reviews, _PULLS),
    f"POST {_PULL}/reviews": (reviews.create_review, _PULLS_WRITE),
    f"GET {_REVIEW}": (reviews.get_review, _PULLS),
    f"PUT {_REVIEW}": (reviews.update_review, _PULLS_WRITE),
    f"DELETE {_REVIEW}": (reviews.delete_review, _PULLS_WRITE),
    f"GET {_REVIEW}/comments": (reviews.list_comments_of_review, _PULLS),
    f"PUT {_REVIEW}/dismissals": (reviews.dismiss_review, _PULLS_WRITE),
    f"POST {_REVIEW}/events": (reviews.submit_review, _PULLS_WRITE),
    f"GET {_PULL}/comments": (review_comments.list_comments, _PULLS),
    f"POST {_PULL}/comments": (review_comments.create_comment, _PULLS_WRITE),
    f"POST {_PULL}/comments/{{comment_id}}/replies": (review_comments.create_reply, _PULLS_WRITE),
    f"GET {_COMMENT}": (review_comments.get_comment, _PULLS),
    f"PATCH {_COMMENT}": (review_comments.update, _PULLS_WRITE),
    f"DELETE {_COMMENT}": (review_comments.delete, _PULLS_WRITE),
    f"GET {_COMMENT}/reactions": (reactions.list_reactions, _PULLS),
    f"POST {_COMMENT}/reactions": (reactions.create_reaction, _PULLS_WRITE),
    f"GET {_ISSUE}/comments": (issue_comments.list_issue_comments, _TALK),
    f"POST {_ISSUE}/comments": (issue_comments.create_issue_comment, _TALK_WRITE),
    f"GET {_ISSUE}/reactions": (reactions.list_reactions, _TALK),
    f"POST {_ISSUE}/reactions": (reactions.create_reaction, _TALK_WRITE),
    f"GET {_ISSUE_COMMENT}": (issue_comments.get_issue_comment, _TALK),
    f"PATCH {_ISSUE_COMMENT}": (issue_comments.update, _TALK_WRITE),
    f"DELETE {_ISSUE_COMMENT}": (issue_comments.delete, _TALK_WRITE),
    f"GET {_ISSUE_COMMENT}/reactions": (reactions.list_reactions, _TALK),
    f"POST {_ISSUE_COMMENT}/reactions": (reactions.create_reaction, _TALK_WRITE),
    f"POST {_CHECK}": (checks.create_check, _CHECKS_WRITE),
    f"GET {_CHECK}/{{check_run_id}}": (checks.get_check, _CHECKS),
    f"PATCH {_CHECK}/{{check_run_id}}": (checks.update_check, _CHECKS_WRITE),
    f"GET {_CHECK}/{{check_run_id}}/annotations": (checks.list_annotations, _CHECKS),
    f"GET {_REPO}/commits/{{ref}}/check-runs": (checks.list_checks_of_commit, _CHECKS),
    f"GET {_REPO}/commits/{{ref}}": (pulls.get_commit, _FILES),
    f"GET {_REPO}/commits/{{commit_sha}}/pulls": (pulls.list_pulls_of_commit, _PULLS),
    f"GET {_REPO}/compare/{{basehead}}": (pulls.compare, _FILES),
    f"GET {_REPO}/contents/{{path}}": (contents.get_contents, _FILES),
    f"GET {_REPO}/git/trees/{{tree_sha}}": (contents.get_tree, _FILES),
    f"GET {_REPO}/git/blobs/{{file_sha}}": (contents.get_blob, _FILES),
    f"GET {_REPO}/tarball/{{ref}}": (contents.redirect_to_archive, _FILES),
}


@dataclass(frozen=True)
class Route:
    """One operation. `needs` lists permissions of which an installation token must hold one."""

    operation: str
    handler: Handler
    needs: tuple[str, ...]
    pattern: re.Pattern[bytes]

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.operation.split(" ")[0]

    @property
    def in_repository(self) -> bool:
        """Whether it is about the repository, which a token may not see."""
        return "{owner}" in self.operation


class Routes:
    """All operations; more handlers are those that need what only the stand-in itself has."""

    def __init__(self, more: dict[str, Handler]) -> None:
        table = _HANDLERS | {operation: (handler, _JWT) for operation, handler in more.items()}
        self._routes = [Route(name, *table[name], _pattern(name)) for name in sorted(OPERATIONS, key=_literal_first)]

    def find(self, method: str, raw_path: bytes) -> tuple[Route, dict[str, bytes]] | None:
        """The route of a request, and the path's parameters as decoded bytes."""
        for route in self._routes:
            match = route.pattern.fullmatch(raw_path) if route.method == method else None
            if match:
                return route, {name: unquote_to_bytes(value or b"") for name, value in match.groupdict().items()}
        return None


def _literal_first(operation: str) -> tuple[int, int]:
    """Longer templates before shorter ones, so that a tail does not swallow what follows it."""
    return -operation.count("/"), operation.count("{")


def _pattern(operation: str) -> re.Pattern[bytes]:
    """A template as an expression over the raw path; contents, revisions and the like may hold slashes."""
    parts: list[str] = []
    for part in operation.split(" ")[1].split("/")[1:]:
        name = part.strip("{}")
        if not part.startswith("{"):
            parts.append("/" + re.escape(part))
        elif name == "path":
            parts.append("(?:/(?P<path>.*))?")
        else:
            parts.append(f"/(?P<{name}>{'.+' if name in _TAILS else '[^/]+'})")
    return re.compile("".join(parts).encode())
