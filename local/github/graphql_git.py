"""Branches, commits and files in the shapes of GitHub's GraphQL schema; contents are read when asked for."""

import base64
import os
import re
from functools import cache

from local.github.call import Call
from local.github.contents import Entry, find_entry
from local.github.graphql_errors import forbidden
from local.github.pull_views import Commit, read_commits
from local.github.templates import pull_request_templates
from local.github.views import Json

LONGEST_TEXT = 512_000
"""Bytes of a file's text; GitHub documents no figure, and people who lost the rest of a file measured this one."""

GIT_KINDS = {"REF": "Ref", "C": "Commit", "T": "Tree", "B": "Blob"}
"""The prefixes of global ids of what git stores, with their GraphQL types."""

_TYPES = {"commit": "Commit", "tree": "Tree", "blob": "Blob"}
_PREFIXES = {kind: prefix for prefix, kind in GIT_KINDS.items()}
_BINARY_LOOK = 8000
_HEAD = re.compile(r"\AHEAD(?![\w/.-])")
_FOUND = re.compile(r"([0-9a-f]{40,64}) (\w+) ([0-9]+)\n")


def find_ref(call: Call, name: str) -> Json | None:
    """A branch, None where it is gone. Raises GraphQLError with FORBIDDEN where the token may not read contents."""
    _insist_on_contents(call)
    if call.world.shadow.tip(f"refs/heads/{name}") is None:
        return None
    return {
        "__typename": "Ref",
        "id": f"REF_{base64.urlsafe_b64encode(name.encode()).decode()}",
        "name": name,
        "prefix": "refs/heads/",
        "target": lambda _: find_object(call, f"refs/heads/{name}"),
    }


def find_object(call: Call, expression: str) -> Json | None:
    """What git finds by an expression such as "main", an id, or "main:src/a.py"; None where it finds nothing.

    Raises GraphQLError with FORBIDDEN where the token may not read contents.
    """
    _insist_on_contents(call)
    wanted = _HEAD.sub(lambda _: f"refs/heads/{call.world.default_branch}", expression)
    told = call.world.shadow.git("cat-file", "--batch-check", feed=f"{wanted}\n".encode())
    found = _FOUND.fullmatch(told.decode("utf-8", "replace"))
    return _view_object(call, found[1], found[2], int(found[3])) if found else None


def view_templates(call: Call) -> list[Json]:
    """The forms for pull requests. Raises GraphQLError with FORBIDDEN where the token may not read contents."""
    _insist_on_contents(call)
    return [
        {"__typename": "PullRequestTemplate", "filename": name, "body": text}
        for name, text in pull_request_templates(call.world)
    ]


def view_pull_commit(call: Call, commit: Commit) -> Json:
    """A commit as a pull request lists it, which is no matter of contents; its files are."""
    name = f"PURC_{commit.sha}"
    return {"__typename": "PullRequestCommit", "id": name, "commit": _view_commit(call, commit.sha, commit.message)}


def find_git_node(call: Call, kind: str, name: str) -> Json | None:
    """What a global id of that prefix names: a branch by its name in base64, the rest by git's own id."""
    if kind == "REF":
        return _find_named_ref(call, name)
    found = find_object(call, name) if name.isalnum() else None
    return found if found is not None and found["__typename"] == GIT_KINDS[kind] else None


def _find_named_ref(call: Call, name: str) -> Json | None:
    try:
        return find_ref(call, base64.urlsafe_b64decode(name).decode())
    except ValueError:
        return None


def _insist_on_contents(call: Call) -> None:
    if call.actor.kind == "installation" and not call.actor.holds("contents:read"):
        raise forbidden()


def _view_object(call: Call, oid: str, kind: str, size: int) -> Json:
    if kind not in _TYPES:
        raise NotImplementedError(f"{oid} is a {kind}, which is not served")
    name = _TYPES[kind]
    view: Json = {"__typename": name, "id": f"{_PREFIXES[name]}_{oid}", "oid": oid}
    if name == "Commit":
        return _view_commit(call, oid)
    if name == "Blob":
        view |= _view_content(call, oid, size)
    return view


def _view_commit(call: Call, oid: str, message: str | None = None) -> Json:
    """A commit; its message is read when asked for, unless it is known."""
    world = call.world
    return {
        "__typename": "Commit",
        "id": f"C_{oid}",
        "oid": oid,
        "message": lambda _: read_commits(world, oid, walk=False)[0].message if message is None else message,
        "file": lambda _, path: _find_file(call, oid, path),
    }


def _view_content(call: Call, oid: str, size: int) -> Json:
    """A blob's text up to its limit; git's own look at the first bytes says what is binary."""

    @cache
    def content() -> bytes:
        return call.world.shadow.git("cat-file", "blob", oid)

    def is_binary() -> bool:
        return b"\0" in content()[:_BINARY_LOOK]

    return {
        "byteSize": size,
        "isTruncated": size > LONGEST_TEXT,
        "isBinary": lambda _: is_binary(),
        "text": lambda _: None if is_binary() else content()[:LONGEST_TEXT].decode("utf-8", "replace"),
    }


def _find_file(call: Call, commit: str, path: str) -> Json | None:
    _insist_on_contents(call)
    entry = find_entry(call.world, commit, os.fsencode(path).strip(b"/"))
    return None if entry is None else _view_entry(call, entry)


def _view_entry(call: Call, entry: Entry) -> Json:
    """An entry of a tree; `mode` is git's octal number as a number, and a submodule has no object here."""
    inside = entry.type != "commit"
    return {
        "__typename": "TreeEntry",
        "mode": int(entry.mode, 8),
        "name": entry.name.rpartition("/")[2],
        "oid": entry.sha,
        "path": entry.name,
        "size": entry.size or 0,
        "type": entry.type,
        "object": (lambda _: _view_object(call, entry.sha, entry.type, entry.size or 0)) if inside else None,
    }
