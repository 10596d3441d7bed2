"""The handler of each operation, and what a token must hold for it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from local.github import (
    accounts,
    checks,
    contents,
    git_data,
    hook_deliveries,
    issue_comments,
    pulls,
    reactions,
    registration,
    review_comments,
    reviews,
    rules,
)
from local.github.answers import ApiResponse
from local.github.call import Call
from local.github.graphql import answer_graphql

Handler = Callable[[Call], ApiResponse]
_WITH_SLASHES = re.compile(r"\{(path|ref|basehead|branch)\}")

_REPO = "/repos/{owner}/{repo}"
_PULL = f"{_REPO}/pulls/{{pull_number}}"
_REVIEW = f"{_PULL}/reviews/{{review_id}}"
_COMMENT = f"{_REPO}/pulls/comments/{{comment_id}}"
_ISSUE = f"{_REPO}/issues/{{issue_number}}"
_ISSUE_COMMENT = f"{_REPO}/issues/comments/{{comment_id}}"
_CHECKS = f"{_REPO}/check-runs"
GRAPHQL = "POST /graphql"
INSTALLATION = "GET /repositories/{repository_id}/installation"
ARCHIVE = "GET /{owner}/{repo}/legacy.tar.gz/{ref}"


@dataclass(frozen=True)
class Operation:
    """An operation by its name, "GET /repos/{owner}/{repo}/…".

    `needs` lists permissions of which an installation token must hold one. `who` may call it besides: the "app" by its
    JWT, a "user", an "installation", or "anybody" without a token.
    """

    name: str
    handler: Handler
    needs: tuple[str, ...] = ()
    who: tuple[str, ...] = ("user", "installation")

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.name.split(" ")[0]

    @property
    def path(self) -> str:
        """The path for Starlette: revisions and paths of files may hold slashes."""
        return _WITH_SLASHES.sub(r"{\1:path}", self.name.split(" ")[1])

    @property
    def is_described(self) -> bool:
        """Whether GitHub's description of its REST API has it; of the others, GraphQL has one of its own.

        An archive's address and that of an installation by its repository's id are where described ones redirect.
        """
        return self.name not in (GRAPHQL, ARCHIVE, INSTALLATION)


_READ, _WRITE = ("pull_requests:read",), ("pull_requests:write",)
_TALK, _TALK_WRITE = ("issues:read", *_READ), ("issues:write", *_WRITE)
_FILES, _PUSH = ("contents:read",), ("contents:write",)
_GIT = f"{_REPO}/git"
_FOR_ALL: list[tuple[str, Handler, tuple[str, ...]]] = [
    (f"GET {_REPO}", accounts.get_repository, ("metadata:read",)),
    (f"GET {_REPO}/collaborators/{{username}}/permission", accounts.get_permission, ("metadata:read",)),
    (f"GET {_PULL}", pulls.get_pull, _READ),
    (f"GET {_PULL}/files", pulls.list_files, _READ),
    (f"GET {_PULL}/reviews", reviews.list_reviews, _READ),
    (f"POST {_PULL}/reviews", reviews.create_review, _WRITE),
    (f"GET {_REVIEW}", reviews.get_review, _READ),
    (f"DELETE {_REVIEW}", reviews.delete_review, _WRITE),
    (f"GET {_REVIEW}/comments", reviews.list_comments_of_review, _READ),
    (f"GET {_PULL}/comments", review_comments.list_comments, _READ),
    (f"POST {_PULL}/comments/{{comment_id}}/replies", review_comments.create_reply, _WRITE),
    (f"GET {_COMMENT}", review_comments.get_comment, _READ),
    (f"GET {_COMMENT}/reactions", reactions.list_reactions, _READ),
    (f"POST {_COMMENT}/reactions", reactions.create_reaction, _WRITE),
    (f"GET {_ISSUE}/comments", issue_comments.list_issue_comments, _TALK),
    (f"POST {_ISSUE}/comments", issue_comments.create_issue_comment, _TALK_WRITE),
    (f"GET {_ISSUE_COMMENT}/reactions", reactions.list_reactions, _TALK),
    (f"POST {_ISSUE_COMMENT}/reactions", reactions.create_reaction, _TALK_WRITE),
    (f"GET {_REPO}/commits/{{ref}}/check-runs", checks.list_checks_of_commit, ("checks:read",)),
    (f"GET {_REPO}/rules/branches/{{branch}}", rules.list_rules, ("metadata:read",)),
    (f"GET {_REPO}/branches/{{branch}}", rules.get_branch, _FILES),
    (f"GET {_REPO}/contents/{{path}}", contents.get_contents, _FILES),
    (f"GET {_GIT}/trees/{{tree_sha}}", contents.get_tree, _FILES),
    (f"GET {_GIT}/blobs/{{file_sha}}", contents.get_blob, _FILES),
    (f"GET {_GIT}/commits/{{commit_sha}}", git_data.get_commit, _FILES),
    (f"GET {_GIT}/ref/{{ref}}", git_data.get_ref, _FILES),
    (f"GET {_REPO}/compare/{{basehead}}", git_data.compare, _FILES),
    (f"POST {_GIT}/blobs", git_data.create_blob, _PUSH),
    (f"POST {_GIT}/trees", git_data.create_tree, _PUSH),
    (f"POST {_GIT}/commits", git_data.create_commit, _PUSH),
    (f"POST {_GIT}/refs", git_data.create_ref, _PUSH),
    (f"PATCH {_GIT}/refs/{{ref}}", git_data.update_ref, _PUSH),
    (f"GET {_REPO}/tarball/{{ref}}", contents.redirect_to_archive, _FILES),
]
OPERATIONS = [
    *(Operation(name, handler, needs) for name, handler, needs in _FOR_ALL),
    Operation(f"POST {_CHECKS}", checks.create_check, ("checks:write",), ("installation",)),
    Operation(f"GET {_REPO}/installation", accounts.get_installation, who=("app",)),
    Operation(INSTALLATION, accounts.get_installation_by_id, who=("app",)),
    Operation("GET /app", accounts.get_app, who=("app",)),
    Operation("GET /app/hook/config", registration.get_hook, who=("app",)),
    Operation("PATCH /app/hook/config", registration.update_hook, who=("app",)),
    Operation("POST /app-manifests/{code}/conversions", registration.convert_manifest, who=("anybody",)),
    Operation("GET /users/{username}", accounts.get_person, who=("anybody", "user")),
    Operation("GET /app/installations", accounts.list_installations, who=("app",)),
    Operation("POST /app/installations/{installation_id}/access_tokens", accounts.create_token, who=("app",)),
    Operation("GET /app/hook/deliveries", hook_deliveries.list_deliveries, who=("app",)),
    Operation("POST /app/hook/deliveries/{delivery_id}/attempts", hook_deliveries.redeliver, who=("app",)),
    Operation(
        "GET /installation/repositories",
        accounts.list_repositories_of_installation,
        ("metadata:read",),
        ("installation",),
    ),
    Operation("GET /user", accounts.get_user, who=("user",)),
    Operation("GET /user/repos", accounts.list_repositories_of_user, who=("user",)),
    Operation(GRAPHQL, answer_graphql),
    Operation(ARCHIVE, contents.stream_archive, who=("anybody",)),
]
"""Everything that is served."""
