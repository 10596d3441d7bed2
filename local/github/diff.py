"""The changes between two commits, file by file, read from git in the form in which GitHub shows it."""

import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from local.github.repository import RepositoryCopy

LARGEST_PATCH_LINES = 20_000
LARGEST_PATCH_BYTES = 500_000
_STATUSES = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied", "T": "changed"}
_RENAMES = ("-M", "-l1000")
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--full-index")
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)


@dataclass(frozen=True)
class FileDiff:
    """One changed file.

    `path` and `previous` are git's own bytes. `sha` is the new side's blob, a removed file's old one, a
    submodule's commit. `hunks` is everything from the first `@@` on, None without text to show.
    """

    path: bytes
    previous: bytes | None
    status: str
    sha: str
    additions: int
    deletions: int
    hunks: bytes | None

    @cached_property
    def name(self) -> str:
        """The path as GitHub shows it: what is not UTF-8 becomes U+FFFD."""
        return self.path.decode("utf-8", "replace")

    @cached_property
    def patch(self) -> str | None:
        """The hunks as text, None where GitHub leaves them out: binary, nothing but a rename, or too large.

        Limits: https://docs.github.com/repositories/creating-and-managing-repositories/repository-limits
        """
        if self.hunks is None or len(self.hunks) > LARGEST_PATCH_BYTES or self._lines > LARGEST_PATCH_LINES:
            return None
        return self.text

    @cached_property
    def text(self) -> str:
        """All hunks as text, however large; empty where there is none."""
        return (self.hunks or b"").decode("utf-8", "replace")

    @property
    def _lines(self) -> int:
        return (self.hunks or b"").count(b"\n") + 1


def diff(copy: RepositoryCopy, old: str, new: str) -> tuple[FileDiff, ...]:
    """Compare two commits with rename detection, in git's order, by the attributes of the newer one.

    What has a NUL in its first 8,000 bytes, such as UTF-16, or the attribute `-diff` or `binary` counts no lines and
    has no text; the attribute `diff` makes text of anything. A change of the mode alone is git's M.
    Sources: https://git-scm.com/docs/gitattributes#_generating_diff_text, `buffer_is_binary` in xdiff-interface.c of
    git, and the letters at https://docs.github.com/en/graphql/reference/enums#patchstatus
    """
    counting = ("-z", "--raw", "--numstat", "-r", *_RENAMES, *_PLAIN, old, new)
    named = list(_read_names(copy.diff_tree(*counting)))
    attributes = _attributes(copy, new, named)
    if attributes:
        named = list(_read_names(copy.diff_tree(*counting, attributes=attributes)))
    shown = copy.diff_tree("-p", "-r", *_RENAMES, *_PLAIN, old, new, attributes=attributes)
    following = iter(_SECTION.split(shown)[1:])
    return tuple(_with_hunks(file, following) for file in named)


def _attributes(copy: RepositoryCopy, commit: str, files: Collection[FileDiff]) -> dict[str, str]:
    """The ids of the files of attributes that may say something of the changed files, by their paths."""
    paths = [path for file in files for path in (file.path, file.previous) if path is not None]
    folders = {folder for path in paths for folder in PurePosixPath(os.fsdecode(path)).parents}
    wanted = sorted(os.fsencode(folder / ".gitattributes") for folder in folders)
    found = copy.read_tree(commit, paths=wanted) if wanted else []
    return {os.fsdecode(each.path): each.sha for each in found if each.mode.startswith("100")}


def _read_names(out: bytes) -> Iterator[FileDiff]:
    """Read `--raw --numstat -z`: first all the raw entries, then as many counts in the same order."""
    fields = iter(out.split(b"\0"))
    entries: list[FileDiff] = []
    field = next(fields)
    while field.startswith(b":"):
        _, _, old_sha, new_sha, letter = field[1:].decode().split(" ")
        status = _STATUSES[letter[0]]
        first = next(fields)
        previous, path = (first, next(fields)) if letter[0] in "RC" else (None, first)
        entries.append(FileDiff(path, previous, status, old_sha if letter == "D" else new_sha, 0, 0, None))
        field = next(fields)
    for entry in entries:
        added, deleted, path = field.split(b"\t", 2)
        if not path:
            next(fields), next(fields)
        yield replace(entry, additions=_count(added), deletions=_count(deleted))
        field = next(fields)


def _count(number: bytes) -> int:
    return 0 if number == b"-" else int(number)


def _with_hunks(file: FileDiff, sections: Iterator[bytes]) -> FileDiff:
    """Give a file its part of the patch; a change of type is printed as a removal and an addition."""
    if file.status != "changed":
        return replace(file, hunks=_hunks(next(sections)))
    both = [hunks for hunks in (_hunks(next(sections)), _hunks(next(sections))) if hunks is not None]
    lines = [line for hunks in both for line in hunks.split(b"\n")]
    added, deleted = sum(line[:1] == b"+" for line in lines), sum(line[:1] == b"-" for line in lines)
    return replace(file, hunks=b"\n".join(both) or None, additions=added, deletions=deleted)


def _hunks(section: bytes) -> bytes | None:
    start = section.find(b"\n@@ ")
    return None if start < 0 else section[start + 1 :].removesuffix(b"\n")
