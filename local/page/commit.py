"""The page of one commit: its message and its diffs."""

import re

from starlette.requests import Request

from local.github.answers import not_found
from local.github.pull_views import read_commits
from local.github.pulls import has_commit
from local.github.world import World
from local.page.changed_files import changed_files
from local.page.diff_options import DiffOptions
from local.page.page_request import Context

_ID = re.compile(r"[0-9a-f]{4,64}")


def view(world: World, request: Request) -> Context:
    """What the page shows of the commit with that id, or the beginning of it. Raises Refused."""
    name, options = request.path_params["sha"], DiffOptions.of(request.query_params)
    sha = world.shadow.tip(name) if _ID.fullmatch(name) else None
    if sha is None:
        raise not_found()
    (commit,) = read_commits(world, sha, walk=False)
    before = commit.parents[0] if commit.parents else _empty_tree(world)
    diffs = world.compare(before, sha)
    files = changed_files(world.shadow, before, sha, diffs, options)
    pulls = [pull for pull in world.state.pulls.values() if has_commit(world, pull, sha)]
    return {"commit": commit, "diffs": diffs, "files": files, "pulls": pulls, "options": options}


def _empty_tree(world: World) -> str:
    """The tree that a first commit is compared with."""
    return world.shadow.git("hash-object", "-t", "tree", "--stdin", feed=b"").decode().strip()
