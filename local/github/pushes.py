"""The effects of a push: branches move, and with them the pull requests that go out of them or into them."""

from collections.abc import Mapping
from typing import Any

from local.github.hosted_repository import HostedRepository
from local.github.state import PullRequest


def act(repository: HostedRepository, pull: PullRequest, action: str, login: str, **more: Any) -> None:
    """Write what somebody did with a pull request into its timeline, with the reason, and report it by webhook."""
    what = f"{action}: {more['reason']}" if "reason" in more else action
    repository.note(pull.number, login, what, pull.head_sha)
    repository.send_webhook(f"pull_request.{action}", {"pull": pull, "sender": login, **more})


def point(repository: HostedRepository, pull: PullRequest, sha: str) -> None:
    """Let the branches of a pull request's head be at a commit."""
    repository.copy.keep(sha, pull.base_sha, repository.default_branch)
    repository.copy.set_ref(f"refs/pull/{pull.number}/head", sha)
    if not pull.from_fork:
        repository.copy.set_ref(f"refs/heads/{pull.head_ref}", sha)


def move_head(repository: HostedRepository, pull: PullRequest, sha: str, login: str) -> None:
    """Move a pull request's head to a commit."""
    before = pull.head_sha
    point(repository, pull, sha)
    pull.head_sha = sha
    if before != sha:
        act(repository, pull, "synchronize", login, before=before)


def move_base(repository: HostedRepository, ref: str, sha: str, files: Mapping[str, bytes] | None = None) -> None:
    """Move a base branch, with files committed on top, and with it every open pull request into it."""
    repository.copy.set_ref(f"refs/heads/{ref}", sha)
    for path, content in (files or {}).items():
        sha = repository.copy.commit_file(ref, path, content, f"Set {path}")
    for pull in repository.state.pulls.values():
        if pull.base_ref == ref and pull.state == "open":
            pull.base_sha = sha


def move_branch(repository: HostedRepository, branch: str, sha: str, login: str) -> None:
    """Move a branch to a commit, with every open pull request out of it and into it."""
    move_base(repository, branch, sha)
    for pull in repository.state.pulls.values():
        if pull.state == "open" and pull.head_ref == branch and not pull.from_fork:
            move_head(repository, pull, sha, login)
