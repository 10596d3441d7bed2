"""Git's objects and refs through the API: blobs, trees, commits, branches, and how two commits compare.

Source: https://docs.github.com/rest/git
"""

import base64
import binascii
from typing import Any

from local.github.answers import ApiResponse, api_error, not_found
from local.github.call import Call
from local.github.contents import find_entry, view_tree
from local.github.hosted_repository import HostedRepository, timestamp
from local.github.pull_views import read_commits, view_file
from local.github.pushes import move_branch
from local.github.repository import UnusableRepository
from local.github.views import Json, node_id

_HEADS = "refs/heads/"
_MALFORMED = frozenset({"", ".", "..", ".git"})
_MOST_COMPARED = 300
_KINDS = {"040000": "tree", "160000": "commit"}


def create_blob(call: Call) -> ApiResponse:
    """Store a blob."""
    _insist_push(call)
    text, encoding = call.body["content"], call.body.get("encoding", "utf-8")
    if encoding not in ("utf-8", "base64"):
        raise api_error(422, "Invalid encoding")
    try:
        content = base64.b64decode(text, validate=False) if encoding == "base64" else text.encode()
    except (binascii.Error, UnicodeEncodeError) as error:
        raise api_error(422, "content is not valid Base64") from error
    sha = call.repository.copy.write_blob(content)
    return ApiResponse(201, {"sha": sha, "url": f"{call.repository.api}/git/blobs/{sha}"})


def create_tree(call: Call) -> ApiResponse:
    """Store a tree: another one with some entries changed."""
    _insist_push(call)
    repository, base = call.repository, call.body.get("base_tree")
    if base is not None and _kind(repository, base) != "tree":
        raise api_error(422, "base_tree is not a valid tree oid")
    changes = {entry["path"]: _tree_entry(repository, base, entry) for entry in call.body["tree"]}
    sha = repository.copy.write_tree(base, changes)
    return ApiResponse(201, view_tree(repository, sha, recursive=False))


def create_commit(call: Call) -> ApiResponse:
    """Store a commit of the actor, on no branch."""
    _insist_push(call)
    repository, tree, parents = call.repository, call.body["tree"], call.body.get("parents", [])
    if _kind(repository, tree) != "tree":
        raise api_error(422, "Tree SHA does not exist")
    if any(_kind(repository, parent) != "commit" for parent in parents):
        raise api_error(422, "Parent SHA does not exist or is not a commit object")
    email = f"{call.user.id}+{call.login}@users.noreply.github.com"
    sha = repository.copy.write_commit(tree, parents, call.body["message"], call.login, email)
    return ApiResponse(201, _view_commit(repository, sha))


def get_commit(call: Call) -> ApiResponse:
    """A commit, by its whole id."""
    sha = call.params["commit_sha"]
    if _kind(call.repository, sha) != "commit":
        raise not_found()
    return ApiResponse(body=_view_commit(call.repository, sha))


def get_ref(call: Call) -> ApiResponse:
    """A branch."""
    tip = call.repository.copy.tip(f"refs/{call.params['ref']}")
    if tip is None:
        raise not_found()
    return ApiResponse(body=_view_ref(call.repository, f"refs/{call.params['ref']}", tip))


def create_ref(call: Call) -> ApiResponse:
    """Begin a branch."""
    _insist_push(call)
    repository, ref, sha = call.repository, call.body["ref"], call.body["sha"]
    if not ref.startswith(_HEADS):
        raise api_error(422, "Reference name must start with 'refs/'.")
    if _kind(repository, sha) != "commit":
        raise api_error(422, "Object does not exist")
    if repository.copy.tip(ref) is not None:
        raise api_error(422, "Reference already exists")
    _set(repository, ref, sha, call.login)
    return ApiResponse(201, _view_ref(repository, ref, sha))


def update_ref(call: Call) -> ApiResponse:
    """Move a branch, forward only unless forced, which is a push."""
    _insist_push(call)
    repository, ref, sha = call.repository, f"refs/{call.params['ref']}", call.body["sha"]
    tip = repository.copy.tip(ref)
    if tip is None:
        raise api_error(422, "Reference does not exist")
    if _kind(repository, sha) != "commit":
        raise api_error(422, "Object does not exist")
    if not call.body.get("force", False) and not repository.copy.contains(tip, sha):
        raise api_error(422, "Update is not a fast forward")
    _set(repository, ref, sha, call.login)
    return ApiResponse(body=_view_ref(repository, ref, sha))


def compare(call: Call) -> ApiResponse:
    """The comparison of two commits or branches, with a page of commits; the first page has the files, at most 300.

    Source: https://docs.github.com/rest/commits/commits#compare-two-commits
    """
    repository = call.repository
    base, dots, head = call.params["basehead"].partition("...")
    old, new = repository.copy.tip(base), repository.copy.tip(head)
    if not dots or old is None or new is None:
        raise not_found()
    try:
        fork = repository.base_of(old, new)
    except UnusableRepository as error:
        raise api_error(404, f"No common ancestor between {base} and {head}.") from error
    ahead, behind = (_count(repository, f"{one}..{other}") for one, other in ((old, new), (new, old)))
    status = ("diverged" if behind else "ahead") if ahead else ("behind" if behind else "identical")
    html = f"{repository.html}/compare/{base}...{head}"
    per_page, page = int(call.query.get("per_page", 250)), int(call.query.get("page", 1))
    commits = read_commits(repository, f"{old}..{new}")[(page - 1) * per_page : page * per_page]
    files = repository.compare(fork, new)[:_MOST_COMPARED] if page == 1 else ()
    return ApiResponse(
        body={
            "url": f"{repository.api}/compare/{base}...{head}",
            "html_url": html,
            "permalink_url": html,
            "diff_url": f"{html}.diff",
            "patch_url": f"{html}.patch",
            "base_commit": view_commit(repository, old),
            "merge_base_commit": view_commit(repository, fork),
            "status": status,
            "ahead_by": ahead,
            "behind_by": behind,
            "total_commits": ahead,
            "commits": [view_commit(repository, each.sha) for each in commits],
            **({"files": [view_file(repository, file, new) for file in files]} if page == 1 else {}),
        }
    )


def _insist_push(call: Call) -> None:
    """Raise ApiError with 404 where a person may not push, as GitHub does; an App's permission is looked at before."""
    if call.actor.kind == "user" and not call.user.may("write"):
        raise not_found()


def _tree_entry(repository: HostedRepository, base: str | None, entry: dict[str, Any]) -> tuple[str, str] | None:
    """Mode and id of an entry, None for one that is removed."""
    path, mode = entry["path"], entry["mode"]
    if not _MALFORMED.isdisjoint(path.lower().split("/")):
        raise api_error(422, "tree.path contains a malformed path component")
    if "content" in entry and "sha" in entry:
        raise api_error(422, "Must supply either tree.sha or tree.content")
    if "content" in entry:
        return mode, repository.copy.write_blob(entry["content"].encode())
    sha = entry.get("sha")
    if sha is None:
        if base is None or find_entry(repository, base, path.encode()) is None:
            raise api_error(422, "GitRPC::BadObjectState")
        return None
    kind = _KINDS.get(mode, "blob")
    if kind != "commit" and _kind(repository, sha) != kind:
        raise api_error(422, f"tree.sha {sha} is not a valid {kind}")
    return mode, sha


def _set(repository: HostedRepository, ref: str, sha: str, login: str) -> None:
    if not ref.startswith(_HEADS):
        raise api_error(422, "Reference cannot be updated")
    move_branch(repository, ref.removeprefix(_HEADS), sha, login)


def _kind(repository: HostedRepository, sha: str) -> str | None:
    """Return the type of an object: "blob", "tree" or "commit"; None for an unknown or shortened id."""
    if not (len(sha) in (40, 64) and sha.isalnum()):
        return None
    try:
        return repository.copy.git("cat-file", "-t", sha).decode().strip()
    except UnusableRepository:
        return None


def _count(repository: HostedRepository, revisions: str) -> int:
    return int(repository.copy.git("rev-list", "--count", revisions))


def _view_ref(repository: HostedRepository, ref: str, sha: str) -> Json:
    url = f"{repository.api}/git/commits/{sha}"
    named = {"ref": ref, "node_id": node_id("REF", 0), "url": f"{repository.api}/git/{ref}"}
    return named | {"object": {"type": "commit", "sha": sha, "url": url}}


def _view_commit(repository: HostedRepository, sha: str) -> Json:
    """A commit as git's part of the API shows it."""
    [commit] = read_commits(repository, sha, walk=False)
    tree = repository.copy.git("rev-parse", f"{sha}^{{tree}}").decode().strip()
    return {
        "sha": sha,
        "node_id": f"C_{sha}",
        "url": f"{repository.api}/git/commits/{sha}",
        "html_url": f"{repository.html}/commit/{sha}",
        "author": _view_person(commit.author),
        "committer": _view_person(commit.committer),
        "tree": {"sha": tree, "url": f"{repository.api}/git/trees/{tree}"},
        "message": commit.message,
        "parents": [
            {
                "sha": parent,
                "url": f"{repository.api}/git/commits/{parent}",
                "html_url": f"{repository.html}/commit/{parent}",
            }
            for parent in commit.parents
        ],
        "verification": _UNSIGNED,
    }


def view_commit(repository: HostedRepository, sha: str) -> Json:
    """A commit as lists of commits show it; whose account an author has is not looked up."""
    url = f"{repository.api}/commits/{sha}"
    git = _view_commit(repository, sha)
    return {
        "url": url,
        "sha": sha,
        "node_id": git["node_id"],
        "html_url": git["html_url"],
        "comments_url": f"{url}/comments",
        "commit": {key: git[key] for key in ("url", "author", "committer", "message", "tree", "verification")}
        | {"comment_count": 0},
        "author": None,
        "committer": None,
        "parents": git["parents"],
    }


def _view_person(person: tuple[str, str, float]) -> Json:
    name, email, at = person
    return {"name": name, "email": email, "date": timestamp(at)}


_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}
