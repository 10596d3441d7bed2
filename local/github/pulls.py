"""Pull requests and their changed files."""

from local.github.answers import Answer
from local.github.call import Call, page
from local.github.pull_views import view_file, view_pull
from local.github.state import PullRequest
from local.github.world import World

MOST_FILES = 3000


def get_pull(call: Call) -> Answer:
    """One pull request."""
    return Answer(body=view_pull(call.world, call.pull))


def list_files(call: Call) -> Answer:
    """Its changed files, at most 3,000."""
    pull = call.pull
    files = call.world.files(pull)[:MOST_FILES]
    return page(call, files, lambda file: view_file(call.world, file, pull.head_sha))


def has_commit(world: World, pull: PullRequest, sha: str) -> bool:
    """Whether a commit lies between the pull request's base and its head."""
    commit = world.shadow.tip(sha)
    if commit is None:
        return False
    inside = world.shadow.contains(commit, pull.head_sha) and not world.shadow.contains(commit, pull.base_sha)
    return commit == pull.head_sha or inside
