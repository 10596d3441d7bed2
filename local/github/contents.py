"""The repository's files at a revision: contents, trees, blobs and the archive."""

import base64
import json
import os
import secrets
from dataclasses import replace
from itertools import accumulate
from urllib.parse import quote

from local.github.answers import ApiResponse, api_error, not_found
from local.github.call import Call
from local.github.hosted_repository import HostedRepository
from local.github.repository import Entry, UnusableRepository
from local.github.views import Json

LARGEST_INLINE_FILE = 1_000_000
_TYPES = {"blob": "file", "tree": "dir", "commit": "submodule"}
FOLDER_MODE = "040000"
_LINK_MODE = "120000"


def get_contents(call: Call) -> ApiResponse:
    """A file with its text in base64, a folder's list, a symbolic link or a submodule; files over 1 MB without text.

    Source: https://docs.github.com/rest/repos/contents#get-repository-content
    """
    repository = call.repository
    ref = call.query.get("ref") or repository.default_branch
    commit = repository.copy.tip(ref)
    if commit is None:
        raise api_error(404, f"No commit found for the ref {ref}")
    path = os.fsencode(call.params["path"]).strip(b"/")
    entry = find_entry(repository, commit, path)
    if entry is None:
        raise not_found()
    if entry.type == "tree":
        return ApiResponse(body=_folder(repository, entry, ref))
    if entry.type == "blob":
        return ApiResponse(body=_file(repository, _through_link(repository, commit, entry), ref))
    return ApiResponse(body=_view(repository, entry, ref) | {"submodule_git_url": repository.html})


def find_entry(repository: HostedRepository, commit: str, path: bytes) -> Entry | None:
    """The entry at a path, which has no slash at either end; None where there is none."""
    if not _is_there(repository, commit, path):
        return None
    try:
        return next(iter(repository.copy.read_tree(commit, "-l", paths=[path])), None)
    except (UnusableRepository, ValueError):
        return None


def _is_there(repository: HostedRepository, commit: str, path: bytes) -> bool:
    """Whether there is anything at a path; folders are remembered, and most files that are asked for are not there."""
    *folders, name = path.split(b"/")
    inside = commit
    for folder in folders:
        mode, inside = repository.folder(inside).get(folder, ("", ""))
        if mode != FOLDER_MODE:
            return False
    return name in repository.folder(inside)


def _through_link(repository: HostedRepository, commit: str, entry: Entry) -> Entry:
    """The file that a symbolic link points to inside the repository, or the link itself."""
    if entry.mode != _LINK_MODE:
        return entry
    target = repository.copy.git("cat-file", "blob", entry.sha)
    full = os.path.normpath(os.path.join(os.path.dirname(entry.path), target))  # noqa: PTH118, PTH120 - git's bytes
    if full.startswith((b"/", b"..")):
        return entry
    found = next(iter(repository.copy.read_tree(commit, "-l", paths=[full])), None)
    return found if found is not None and found.type == "blob" and found.mode != _LINK_MODE else entry


def _file(repository: HostedRepository, entry: Entry, ref: str) -> Json:
    view = _view(repository, entry, ref)
    if (entry.size or 0) > LARGEST_INLINE_FILE:
        return view | {"encoding": "none", "content": ""}
    content = repository.copy.git("cat-file", "blob", entry.sha)
    if entry.mode == _LINK_MODE:
        return view | {"type": "symlink", "target": content.decode("utf-8", "replace")}
    return view | {"encoding": "base64", "content": base64.encodebytes(content).decode()}


def _folder(repository: HostedRepository, folder: Entry, ref: str) -> list[Json]:
    entries = [
        replace(each, path=folder.path + b"/" + each.path) for each in repository.copy.read_tree(folder.sha, "-l")
    ]
    return [_view(repository, entry, ref) for entry in entries]


def _view(repository: HostedRepository, entry: Entry, ref: str) -> Json:
    path, at = quote(entry.path), quote(ref, safe="")
    own = f"{repository.api}/contents/{path}?ref={at}"
    html = f"{repository.html}/{'tree' if entry.type == 'tree' else 'blob'}/{quote(ref)}/{path}"
    git = None if entry.type == "commit" else f"{repository.api}/git/{entry.type}s/{entry.sha}"
    return {
        "type": _TYPES[entry.type],
        "size": entry.size or 0,
        "name": entry.name.rpartition("/")[2],
        "path": entry.name,
        "sha": entry.sha,
        "url": own,
        "git_url": git,
        "html_url": html,
        "download_url": f"{repository.html}/raw/{quote(ref)}/{path}" if entry.type == "blob" else None,
        "_links": {"self": own, "git": git, "html": html},
    }


def get_tree(call: Call) -> ApiResponse:
    """The tree of a commit, or a tree by its id, all of it where `recursive` is set to anything."""
    try:
        return ApiResponse(
            body=view_tree(call.repository, call.params["tree_sha"], recursive="recursive" in call.query)
        )
    except UnusableRepository as error:
        raise not_found() from error


def view_tree(repository: HostedRepository, sha: str, *, recursive: bool) -> Json:
    """A tree, with everything below it or without; cut where it has more entries than the repository may list.

    With everything below it, it is also cut at 7 MB. Source: https://docs.github.com/rest/git/trees#get-a-tree
    """
    tree = repository.copy.git("rev-parse", "--verify", "--quiet", f"{sha}^{{tree}}").decode().strip()
    entries = repository.copy.read_tree(tree, "-l", *(("-r", "-t") if recursive else ()))
    views = [_view_entry(repository, entry) for entry in entries[: repository.most_entries]]
    if recursive:
        sizes = accumulate(len(json.dumps(each)) for each in views)
        views = views[: sum(size <= repository.most_listed_bytes for size in sizes)]
    url = f"{repository.api}/git/trees/{tree}"
    return {"sha": tree, "url": url, "tree": views, "truncated": len(views) < len(entries)}


def _view_entry(repository: HostedRepository, entry: Entry) -> Json:
    view: Json = {"path": entry.name, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.type != "commit":
        view["url"] = f"{repository.api}/git/{entry.type}s/{entry.sha}"
    return view | ({"size": entry.size} if entry.size is not None else {})


def get_blob(call: Call) -> ApiResponse:
    """A blob in base64."""
    repository, sha = call.repository, call.params["file_sha"]
    if not sha.isalnum():
        raise not_found()
    try:
        content = repository.copy.git("cat-file", "blob", sha)
    except UnusableRepository as error:
        raise not_found() from error
    return ApiResponse(
        body={
            "sha": sha,
            "node_id": f"B_{sha}",
            "size": len(content),
            "url": f"{repository.api}/git/blobs/{sha}",
            "content": base64.encodebytes(content).decode(),
            "encoding": "base64",
        }
    )


def redirect_to_archive(call: Call) -> ApiResponse:
    """Redirect to the archive of a revision, for a while without a token."""
    ref = call.params["ref"] or call.repository.default_branch
    sha = call.repository.copy.tip(ref)
    if sha is None:
        raise not_found()
    password = secrets.token_urlsafe(12)
    call.repository.archives[password] = sha
    location = f"{call.repository.html}/legacy.tar.gz/{quote(ref)}?token={password}"
    return ApiResponse(302, headers={"Location": location}, raw=b"", media_type="text/html; charset=utf-8")


def stream_archive(call: Call) -> ApiResponse:
    """The archive that a redirect promised: a tar.gz with one folder, named for owner, repository and commit."""
    repository = call.repository
    sha = repository.archives.get(call.query.get("token", ""))
    if sha is None:
        raise not_found()
    folder = f"{repository.owner}-{repository.name}-{sha[:7]}"
    headers = {"Content-Disposition": f"attachment; filename={folder}.tar.gz"}
    return ApiResponse(headers=headers, raw=repository.copy.archive(sha, f"{folder}/"), media_type="application/x-gzip")
