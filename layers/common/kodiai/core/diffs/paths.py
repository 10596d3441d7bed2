"""Paths that are not safe to write in a work tree, by the rules of git for all file systems.

The rules: https://git-scm.com/docs/git-config (core.protectHFS and core.protectNTFS).
"""

import re

# HFS+ leaves these characters out when it compares names.
_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# NTFS leaves out dots and spaces at the end, and what follows a colon.
_DOT_GIT = re.compile(r"(?:\.git|git~1)[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:(?:/|\Z)")


def unsafe_path(path: str) -> str | None:
    """Say why a path is none that may be written in a repository; None if it may be."""
    if path.startswith("/") or _DRIVE.match(path):
        return "it is absolute"
    parts = path.split("/")
    if ".." in parts or "." in parts:
        return "it has “.” or “..”"
    if "" in parts or "\0" in path:
        return "it has an empty part"
    if any(is_dot_git(part) for part in re.split(r"[/\\]", path)):
        return "it is in git's own folder"
    return None


def is_dot_git(name: str) -> bool:
    """Whether a file system may take the name of a folder for `.git`."""
    return _DOT_GIT.fullmatch(_IGNORED.sub("", name)) is not None


def parents_of(path: str) -> list[str]:
    """The folders that a path is in, the nearest first."""
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
