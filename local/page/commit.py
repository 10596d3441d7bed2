"""The page of one commit: its message and its diffs."""

import re

from starlette.requests import Request

from local.github.answers import not_found
from local.github.hosted_repository import HostedRepository
from local.github.pull_views import read_commits
from local.github.pulls import has_commit
from local.page.changed_files import changed_files
from local.page.diff_options import DiffOptions
from local.page.page_request import Context

_ID = re.compile(r"[0-9a-f]{4,64}")


def view(repository: HostedRepository, request: Request) -> Context:
    """The values that the page shows of the commit with that id, or the beginning of it. Raises ApiError."""
    name, options = request.path_params["sha"], DiffOptions.of(request.query_params)
    sha = repository.copy.tip(name) if _ID.fullmatch(name) else None
    if sha is None:
        raise not_found()
    (commit,) = read_commits(repository, sha, walk=False)
    before = commit.parents[0] if commit.parents else _empty_tree(repository)
    diffs = repository.compare(before, sha)
    files = changed_files(repository.copy, before, sha, diffs, options)
    pulls = [pull for pull in repository.state.pulls.values() if has_commit(repository, pull, sha)]
    return {"commit": commit, "diffs": diffs, "files": files, "pulls": pulls, "options": options}


def _empty_tree(repository: HostedRepository) -> str:
    """The tree that a first commit is compared with."""
    return repository.copy.git("hash-object", "-t", "tree", "--stdin", feed=b"").decode().strip()
