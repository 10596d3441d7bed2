"""The repository's files at a revision: contents, trees, blobs and the archive."""

import base64
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

from local.github.answers import Answer, not_found, refuse
from local.github.call import Call
from local.github.repository import UnusableRepository
from local.github.views import Json
from local.github.world import World

LARGEST_INLINE_FILE = 1_000_000
_TYPES = {"blob": "file", "tree": "dir", "commit": "submodule"}
FOLDER_MODE = "040000"
_LINK_MODE = "120000"


@dataclass(frozen=True)
class Entry:
    """One entry of a tree; `size` in bytes, None for what is no blob."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: bytes

    @property
    def name(self) -> str:
        """The path as GitHub shows it."""
        return self.path.decode("utf-8", "replace")


def read_tree(world: World, sha: str, *how: str, path: bytes | None = None) -> Iterator[Entry]:
    """The entries of a tree, or only the one at a path."""
    where = ("--", os.fsdecode(path)) if path is not None else ()
    for line in world.shadow.git("ls-tree", "-z", "-l", "--full-tree", *how, sha, *where).split(b"\0")[:-1]:
        facts, _, name = line.partition(b"\t")
        mode, kind, blob, size = facts.decode().split()
        yield Entry(mode, kind, blob, None if size == "-" else int(size), name)


def get_contents(call: Call) -> Answer:
    """A file with its text in base64, a folder's list, a symbolic link or a submodule; files over 1 MB without text.

    Source: https://docs.github.com/rest/repos/contents#get-repository-content
    """
    world = call.world
    ref = call.query.get("ref") or world.default_branch
    commit = world.shadow.tip(ref)
    if commit is None:
        raise refuse(404, f"No commit found for the ref {ref}")
    path = os.fsencode(call.params["path"]).strip(b"/")
    entry = find_entry(world, commit, path)
    if entry is None:
        raise not_found()
    if entry.type == "tree":
        return Answer(body=_folder(world, entry, ref))
    if entry.type == "blob":
        return Answer(body=_file(world, _through_link(world, commit, entry), ref))
    return Answer(body=_view(world, entry, ref) | {"submodule_git_url": world.html})


def find_entry(world: World, commit: str, path: bytes) -> Entry | None:
    """The entry at a path, which has no slash at either end; None where there is none."""
    if not _is_there(world, commit, path):
        return None
    try:
        return next(read_tree(world, commit, path=path), None)
    except (UnusableRepository, ValueError):
        return None


def _is_there(world: World, commit: str, path: bytes) -> bool:
    """Whether there is anything at a path; folders are remembered, and most files that are asked for are not there."""
    *folders, name = path.split(b"/")
    inside = commit
    for folder in folders:
        mode, inside = world.folder(inside).get(folder, ("", ""))
        if mode != FOLDER_MODE:
            return False
    return name in world.folder(inside)


def _through_link(world: World, commit: str, entry: Entry) -> Entry:
    """The file that a symbolic link points to inside the repository, or the link itself."""
    if entry.mode != _LINK_MODE:
        return entry
    target = world.shadow.git("cat-file", "blob", entry.sha)
    full = os.path.normpath(os.path.join(os.path.dirname(entry.path), target))  # noqa: PTH118, PTH120 - git's bytes
    if full.startswith((b"/", b"..")):
        return entry
    found = next(read_tree(world, commit, path=full), None)
    return found if found is not None and found.type == "blob" and found.mode != _LINK_MODE else entry


def _file(world: World, entry: Entry, ref: str) -> Json:
    view = _view(world, entry, ref)
    if (entry.size or 0) > LARGEST_INLINE_FILE:
        return view | {"encoding": "none", "content": ""}
    content = world.shadow.git("cat-file", "blob", entry.sha)
    if entry.mode == _LINK_MODE:
        return view | {"type": "symlink", "target": content.decode("utf-8", "replace")}
    return view | {"encoding": "base64", "content": base64.encodebytes(content).decode()}


def _folder(world: World, folder: Entry, ref: str) -> list[Json]:
    entries = [replace(each, path=folder.path + b"/" + each.path) for each in read_tree(world, folder.sha)]
    return [_view(world, entry, ref) for entry in entries]


def _view(world: World, entry: Entry, ref: str) -> Json:
    path, at = quote(entry.path), quote(ref, safe="")
    own = f"{world.api}/contents/{path}?ref={at}"
    html = f"{world.html}/{'tree' if entry.type == 'tree' else 'blob'}/{quote(ref)}/{path}"
    git = None if entry.type == "commit" else f"{world.api}/git/{entry.type}s/{entry.sha}"
    return {
        "type": _TYPES[entry.type],
        "size": entry.size or 0,
        "name": entry.name.rpartition("/")[2],
        "path": entry.name,
        "sha": entry.sha,
        "url": own,
        "git_url": git,
        "html_url": html,
        "download_url": f"{world.html}/raw/{quote(ref)}/{path}" if entry.type == "blob" else None,
        "_links": {"self": own, "git": git, "html": html},
    }


def get_tree(call: Call) -> Answer:
    """The whole tree of a commit."""
    world, sha = call.world, call.params["tree_sha"]
    try:
        tree = world.shadow.git("rev-parse", "--verify", "--quiet", f"{sha}^{{tree}}").decode().strip()
        entries = list(read_tree(world, tree, "-r", "-t"))
    except UnusableRepository as error:
        raise not_found() from error
    views = [_view_entry(world, entry) for entry in entries]
    return Answer(body={"sha": tree, "url": f"{world.api}/git/trees/{tree}", "tree": views, "truncated": False})


def _view_entry(world: World, entry: Entry) -> Json:
    view: Json = {"path": entry.name, "mode": entry.mode, "type": entry.type, "sha": entry.sha}
    if entry.type != "commit":
        view["url"] = f"{world.api}/git/{entry.type}s/{entry.sha}"
    return view | ({"size": entry.size} if entry.size is not None else {})


def get_blob(call: Call) -> Answer:
    """A blob in base64."""
    world, sha = call.world, call.params["file_sha"]
    if not sha.isalnum():
        raise not_found()
    try:
        content = world.shadow.git("cat-file", "blob", sha)
    except UnusableRepository as error:
        raise not_found() from error
    return Answer(
        body={
            "sha": sha,
            "node_id": f"B_{sha}",
            "size": len(content),
            "url": f"{world.api}/git/blobs/{sha}",
            "content": base64.encodebytes(content).decode(),
            "encoding": "base64",
        }
    )


def redirect_to_archive(call: Call) -> Answer:
    """Where the archive of a revision can be fetched for a while, without a token of one's own."""
    ref = call.params["ref"] or call.world.default_branch
    sha = call.world.shadow.tip(ref)
    if sha is None:
        raise not_found()
    password = secrets.token_urlsafe(12)
    call.world.archives[password] = sha
    location = f"{call.world.html}/legacy.tar.gz/{quote(ref)}?token={password}"
    return Answer(302, headers={"Location": location}, raw=b"", media_type="text/html; charset=utf-8")


def stream_archive(call: Call) -> Answer:
    """The archive that a redirect promised: a tar.gz with one folder, named for owner, repository and commit."""
    world = call.world
    sha = world.archives.get(call.query.get("token", ""))
    if sha is None:
        raise not_found()
    folder = f"{world.owner}-{world.name}-{sha[:7]}"
    headers = {"Content-Disposition": f"attachment; filename={folder}.tar.gz"}
    return Answer(headers=headers, raw=world.shadow.archive(sha, f"{folder}/"), media_type="application/x-gzip")
