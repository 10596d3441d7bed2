"""Pull requests: reading them, their files and commits, and comparing revisions."""

from urllib.parse import quote

from local.github.answers import Answer, not_found, refuse
from local.github.call import Call, page
from local.github.pull_views import (
    read_commits,
    view_commit,
    view_file,
    view_pull,
    view_pull_simple,
)
from local.github.state import PullRequest
from local.github.views import Json
from local.github.world import World

MOST_FILES = 3000
MOST_COMPARED_FILES = 300


def list_pulls(call: Call) -> Answer:
    """The pull requests of a state (open unless said), newest first unless said."""
    state, head = call.query.get("state", "open"), call.query.get("head")
    found = [pull for pull in call.world.state.pulls.values() if state in (pull.state, "all")]
    if head:
        found = [pull for pull in found if head == f"{_head_owner(call.world, pull)}:{pull.head_ref}"]
    if base := call.query.get("base"):
        found = [pull for pull in found if pull.base_ref == base]
    by_update = call.query.get("sort") == "updated"
    found.sort(key=lambda pull: pull.updated_at if by_update else pull.number)
    if call.query.get("direction", "asc" if by_update else "desc") == "desc":
        found.reverse()
    return page(call, found, lambda pull: view_pull_simple(call.world, pull))


def _head_owner(world: World, pull: PullRequest) -> str:
    return pull.author if pull.from_fork else world.owner


def get_pull(call: Call) -> Answer:
    """One pull request."""
    return Answer(body=view_pull(call.world, call.pull))


def list_files(call: Call) -> Answer:
    """Its changed files, at most 3,000."""
    pull = call.pull
    files = call.world.files(pull)[:MOST_FILES]
    return page(call, files, lambda file: view_file(call.world, file, pull.head_sha))


def list_commits(call: Call) -> Answer:
    """Its commits, oldest first, at most 250."""
    pull = call.pull
    commits = read_commits(call.world, f"{pull.base_sha}..{pull.head_sha}")
    return page(call, commits, lambda commit: view_commit(call.world, commit))


def list_pulls_of_commit(call: Call) -> Answer:
    """The pull requests that a commit is the head of, or else part of."""
    sha = call.params["commit_sha"]
    found = [pull for pull in call.world.state.pulls.values() if has_commit(call.world, pull, sha)]
    return page(call, found, lambda pull: view_pull_simple(call.world, pull))


def has_commit(world: World, pull: PullRequest, sha: str) -> bool:
    """Whether a commit lies between the pull request's base and its head."""
    commit = world.shadow.tip(sha)
    if commit is None:
        return False
    inside = world.shadow.contains(commit, pull.head_sha) and not world.shadow.contains(commit, pull.base_sha)
    return commit == pull.head_sha or inside


def get_commit(call: Call) -> Answer:
    """One commit, with what it changed against its first parent."""
    sha = call.world.shadow.tip(call.params["ref"])
    if sha is None:
        raise refuse(422, f"No commit found for SHA: {call.params['ref']}")
    (commit,) = read_commits(call.world, sha, walk=False)
    empty = call.world.shadow.git("hash-object", "-t", "tree", "--stdin", feed=b"").decode().strip()
    files = call.world.compare(commit.parents[0] if commit.parents else empty, sha)[:MOST_COMPARED_FILES]
    added, deleted = sum(file.additions for file in files), sum(file.deletions for file in files)
    view = view_commit(call.world, commit) | {
        "stats": {"additions": added, "deletions": deleted, "total": added + deleted},
        "files": [view_file(call.world, file, sha) for file in files],
    }
    return Answer(body=view)


def compare(call: Call) -> Answer:
    """Two revisions, three dots: what the second did since it left the first."""
    world = call.world
    before, dots, after = call.params["basehead"].partition("...")
    base, head = world.shadow.tip(before.rpartition(":")[2]), world.shadow.tip(after.rpartition(":")[2])
    if not dots or base is None or head is None:
        raise not_found()
    merge_base = world.base_of(base, head)
    behind, ahead = (
        int(n) for n in world.shadow.git("rev-list", "--left-right", "--count", f"{base}...{head}").split()
    )
    names = {(False, False): "identical", (True, False): "ahead", (False, True): "behind", (True, True): "diverged"}
    commits = read_commits(world, f"{base}..{head}")
    place = quote(call.params["basehead"], safe="/.:")
    html = f"{world.html}/compare/{place}"
    view: Json = {
        "url": f"{world.api}/compare/{place}",
        "html_url": html,
        "permalink_url": f"{world.html}/compare/{base[:7]}...{head[:7]}",
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "base_commit": view_commit(world, read_commits(world, base, walk=False)[0]),
        "merge_base_commit": view_commit(world, read_commits(world, merge_base, walk=False)[0]),
        "status": names[bool(ahead), bool(behind)],
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": ahead,
        "commits": [view_commit(world, commit) for commit in commits],
        "files": [view_file(world, file, head) for file in world.compare(merge_base, head)[:MOST_COMPARED_FILES]],
    }
    return Answer(body=view)
