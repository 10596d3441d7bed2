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
from local.github.webhooks import WebhookSender

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


def operations(create_token: Handler, webhooks: WebhookSender | None = None) -> list[Operation]:
    """Everything that is served; `create_token` hands out the tokens of the App's installation.

    `webhooks` has the log of deliveries, None where nothing is asked of it.
    """
    read, write = ("pull_requests:read",), ("pull_requests:write",)
    talk, talk_write = ("issues:read", *read), ("issues:write", *write)
    files, push = ("contents:read",), ("contents:write",)
    git = f"{_REPO}/git"
    table: list[tuple[str, Handler, tuple[str, ...]]] = [
        (f"GET {_REPO}", accounts.get_repository, ("metadata:read",)),
        (f"GET {_REPO}/collaborators/{{username}}/permission", accounts.get_permission, ("metadata:read",)),
        (f"GET {_PULL}", pulls.get_pull, read),
        (f"GET {_PULL}/files", pulls.list_files, read),
        (f"GET {_PULL}/reviews", reviews.list_reviews, read),
        (f"POST {_PULL}/reviews", reviews.create_review, write),
        (f"GET {_REVIEW}", reviews.get_review, read),
        (f"DELETE {_REVIEW}", reviews.delete_review, write),
        (f"GET {_REVIEW}/comments", reviews.list_comments_of_review, read),
        (f"GET {_PULL}/comments", review_comments.list_comments, read),
        (f"POST {_PULL}/comments/{{comment_id}}/replies", review_comments.create_reply, write),
        (f"GET {_COMMENT}", review_comments.get_comment, read),
        (f"GET {_COMMENT}/reactions", reactions.list_reactions, read),
        (f"POST {_COMMENT}/reactions", reactions.create_reaction, write),
        (f"GET {_ISSUE}/comments", issue_comments.list_issue_comments, talk),
        (f"POST {_ISSUE}/comments", issue_comments.create_issue_comment, talk_write),
        (f"GET {_ISSUE_COMMENT}/reactions", reactions.list_reactions, talk),
        (f"POST {_ISSUE_COMMENT}/reactions", reactions.create_reaction, talk_write),
        (f"GET {_REPO}/commits/{{ref}}/check-runs", checks.list_checks_of_commit, ("checks:read",)),
        (f"GET {_REPO}/rules/branches/{{branch}}", rules.list_rules, ("metadata:read",)),
        (f"GET {_REPO}/branches/{{branch}}", rules.get_branch, files),
        (f"GET {_REPO}/contents/{{path}}", contents.get_contents, files),
        (f"GET {git}/trees/{{tree_sha}}", contents.get_tree, files),
        (f"GET {git}/blobs/{{file_sha}}", contents.get_blob, files),
        (f"GET {git}/commits/{{commit_sha}}", git_data.get_commit, files),
        (f"GET {git}/ref/{{ref}}", git_data.get_ref, files),
        (f"GET {_REPO}/compare/{{basehead}}", git_data.compare, files),
        (f"POST {git}/blobs", git_data.create_blob, push),
        (f"POST {git}/trees", git_data.create_tree, push),
        (f"POST {git}/commits", git_data.create_commit, push),
        (f"POST {git}/refs", git_data.create_ref, push),
        (f"PATCH {git}/refs/{{ref}}", git_data.update_ref, push),
        (f"GET {_REPO}/tarball/{{ref}}", contents.redirect_to_archive, files),
    ]
    return [
        *(Operation(name, handler, needs) for name, handler, needs in table),
        Operation(f"POST {_CHECKS}", checks.create_check, ("checks:write",), ("installation",)),
        Operation(f"GET {_REPO}/installation", accounts.get_installation, who=("app",)),
        Operation(INSTALLATION, accounts.get_installation_by_id, who=("app",)),
        Operation("GET /app", accounts.get_app, who=("app",)),
        Operation("GET /app/hook/config", registration.get_hook, who=("app",)),
        Operation("PATCH /app/hook/config", registration.update_hook, who=("app",)),
        Operation("POST /app-manifests/{code}/conversions", registration.convert_manifest, who=("anybody",)),
        Operation("GET /users/{username}", accounts.get_person, who=("anybody", "user")),
        Operation("GET /app/installations", accounts.list_installations, who=("app",)),
        Operation("POST /app/installations/{installation_id}/access_tokens", create_token, who=("app",)),
        Operation("GET /app/hook/deliveries", hook_deliveries.list_deliveries(webhooks), who=("app",)),
        Operation(
            "POST /app/hook/deliveries/{delivery_id}/attempts", hook_deliveries.redeliver(webhooks), who=("app",)
        ),
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
