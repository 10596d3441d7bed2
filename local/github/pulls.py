"""Pull requests and their changed files."""

from local.github.answers import ApiResponse
from local.github.call import Call, page
from local.github.hosted_repository import HostedRepository
from local.github.pull_views import view_file, view_pull
from local.github.state import PullRequest

MOST_FILES = 3000


def get_pull(call: Call) -> ApiResponse:
    """One pull request."""
    return ApiResponse(body=view_pull(call.repository, call.pull))


def list_files(call: Call) -> ApiResponse:
    """Its changed files, at most 3,000."""
    pull = call.pull
    files = call.repository.files(pull)[:MOST_FILES]
    return page(call, files, lambda repository, file: view_file(repository, file, pull.head_sha))


def may_talk(repository: HostedRepository, pull: PullRequest, login: str) -> bool:
    """Whether somebody may comment: in a locked conversation only people with write access may, and no App.

    Sources: https://docs.github.com/communities/moderating-comments-and-conversations/locking-conversations and, for
    Apps, https://github.com/github/gh-aw/issues/41135 and https://github.com/renovatebot/renovate/issues/6215
    """
    return not pull.locked or (not repository.is_app(login) and repository.user(login).may("write"))


def has_commit(repository: HostedRepository, pull: PullRequest, sha: str) -> bool:
    """Whether a commit lies between the pull request's base and its head."""
    commit = repository.copy.tip(sha)
    if commit is None:
        return False
    inside = repository.copy.contains(commit, pull.head_sha) and not repository.copy.contains(commit, pull.base_sha)
    return commit == pull.head_sha or inside
