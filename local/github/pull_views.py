"""Pull requests, their files and commits, in the shapes of GitHub's REST API."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from local.github.diff import FileDiff
from local.github.hosted_repository import HostedRepository, timestamp
from local.github.mergeability import why_not_mergeable
from local.github.state import PullRequest
from local.github.views import Json, association, node_id, view_label, view_login, view_repository, view_rollup


@dataclass(frozen=True)
class Commit:
    """One commit, as git shows it. Times are epoch seconds."""

    sha: str
    parents: tuple[str, ...]
    author: tuple[str, str, float]
    committer: tuple[str, str, float]
    message: str


def read_commits(repository: HostedRepository, *revisions: str, limit: int = 250, walk: bool = True) -> list[Commit]:
    """Commits of a revision range, oldest first, at most as many as GitHub lists for a pull request."""
    form = "--format=%H%n%P%n%an%n%ae%n%at%n%cn%n%ce%n%ct%n%B"
    how = ("--reverse", "--topo-order") if walk else ("--no-walk",)
    out = repository.copy.git("log", "-z", "--encoding=UTF-8", form, *how, *revisions, "--")
    texts = [text for text in out.decode("utf-8", "replace").split("\0") if text]
    return [_read_commit(text) for text in texts[:limit]]


def _read_commit(text: str) -> Commit:
    sha, parents, an, ae, at, cn, ce, ct, message = text.split("\n", 8)
    author, committer = (an, ae, float(at)), (cn, ce, float(ct))
    return Commit(sha, tuple(parents.split()), author, committer, message.rstrip("\n"))


def view_file(repository: HostedRepository, file: FileDiff, head: str) -> Json:
    """One changed file; `patch` is missing where GitHub shows none."""
    path = quote(file.path)
    view: Json = {
        "sha": file.sha,
        "filename": file.name,
        "status": file.status,
        "additions": file.additions,
        "deletions": file.deletions,
        "changes": file.additions + file.deletions,
        "blob_url": f"{repository.html}/blob/{head}/{path}",
        "raw_url": f"{repository.html}/raw/{head}/{path}",
        "contents_url": f"{repository.api}/contents/{path}?ref={head}",
    }
    if file.patch is not None:
        view["patch"] = file.patch
    if file.previous is not None:
        view["previous_filename"] = file.previous.decode("utf-8", "replace")
    return view


def view_pull_simple(repository: HostedRepository, pull: PullRequest) -> Json:
    """A pull request as lists show it."""
    api, issue = f"{repository.api}/pulls/{pull.number}", f"{repository.api}/issues/{pull.number}"
    links = {
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{repository.api}/pulls/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": f"{repository.api}/statuses/{pull.head_sha}",
    }
    pages = _pages_of(repository, pull)
    everywhere = links | {"self": api, "html": pages["html_url"]}
    return _view_conversation(repository, pull) | {
        "url": api,
        "id": pull.id,
        **pages,
        **{f"{name}_url": href for name, href in links.items()},
        "merged_at": timestamp(pull.merged_at),
        "requested_reviewers": [view_login(repository, login) for login in pull.requested_reviewers],
        "requested_teams": [],
        "head": _side(repository, pull.author if pull.from_fork else None, pull.head_ref, pull.head_sha),
        "base": _side(repository, None, pull.base_ref, pull.base_sha),
        "_links": {name: {"href": href} for name, href in everywhere.items()},
        "auto_merge": None,
    }


def _pages_of(repository: HostedRepository, pull: PullRequest) -> Json:
    """The addresses of a pull request for people."""
    html = f"{repository.html}/pull/{pull.number}"
    return {"html_url": html, "diff_url": f"{html}.diff", "patch_url": f"{html}.patch"}


def _view_conversation(repository: HostedRepository, pull: PullRequest) -> Json:
    """The fields that a pull request has in common with the issue that it is too."""
    return {
        "node_id": node_id("PR", pull.id),
        "number": pull.number,
        "state": pull.state,
        "locked": pull.locked,
        "active_lock_reason": pull.lock_reason,
        "title": pull.title,
        "user": view_login(repository, pull.author),
        "body": pull.body,
        "created_at": timestamp(pull.created_at),
        "updated_at": timestamp(pull.updated_at),
        "closed_at": timestamp(pull.closed_at),
        "assignees": [],
        "labels": [view_label(repository, label) for label in repository.state.labels_of(pull)],
        "milestone": None,
        "draft": pull.draft,
        "author_association": association(repository, pull.author),
    }


def _side(repository: HostedRepository, fork_owner: str | None, ref: str, sha: str) -> Json:
    owner = fork_owner or repository.owner
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": view_login(repository, owner),
        "repo": view_repository(repository, fork_owner),
    }


def view_pull(repository: HostedRepository, pull: PullRequest) -> Json:
    """A pull request in full, with what has to be counted."""
    files = repository.files(pull)
    span = f"{pull.base_sha}..{pull.head_sha}"
    counted = {
        "commits": int(repository.copy.git("rev-list", "--count", span)),
        "additions": sum(file.additions for file in files),
        "deletions": sum(file.deletions for file in files),
        "changed_files": len(files),
        "comments": len(repository.state.issue_comments_of(pull.number)),
        "review_comments": len(repository.state.comments_of(pull.number, None)),
    }
    return (
        view_pull_simple(repository, pull)
        | counted
        | {
            "merged": pull.merged_at is not None,
            **dict.fromkeys(("mergeable", "rebaseable"), None if pull.state == "closed" else True),
            "mergeable_state": _merge_state(repository, pull),
            "merged_by": view_login(repository, pull.merged_by) if pull.merged_by else None,
            "maintainer_can_modify": pull.from_fork,
        }
    )


def _merge_state(repository: HostedRepository, pull: PullRequest) -> str:
    if pull.state == "closed" or pull.draft:
        return "unknown" if pull.state == "closed" else "draft"
    return "blocked" if why_not_mergeable(repository, pull) else "clean"


def view_pull_minimal(repository: HostedRepository, pull: PullRequest) -> Json:
    """A pull request as a check run mentions it."""
    repo: dict[str, Any] = {"id": view_repository(repository)["id"], "url": repository.api, "name": repository.name}
    return {
        "id": pull.id,
        "number": pull.number,
        "url": f"{repository.api}/pulls/{pull.number}",
        "head": {"ref": pull.head_ref, "sha": pull.head_sha, "repo": repo},
        "base": {"ref": pull.base_ref, "sha": pull.base_sha, "repo": repo},
    }


def view_issue(repository: HostedRepository, pull: PullRequest) -> Json:
    """A pull request as an issue, the form in which issue_comment webhooks carry it."""
    api, pages = f"{repository.api}/issues/{pull.number}", _pages_of(repository, pull)
    as_pull = {"url": f"{repository.api}/pulls/{pull.number}", **pages, "merged_at": timestamp(pull.merged_at)}
    return _view_conversation(repository, pull) | {
        "url": api,
        "repository_url": repository.api,
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "timeline_url": f"{api}/timeline",
        "html_url": pages["html_url"],
        "id": pull.id + 1,
        "assignee": None,
        "comments": len(repository.state.issue_comments_of(pull.number)),
        "pull_request": as_pull,
        "reactions": view_rollup(api, repository.reactions("issue", pull.number)),
        "performed_via_github_app": None,
        "state_reason": None,
    }
