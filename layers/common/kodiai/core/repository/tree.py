"""The files of a repository at one commit, all of them or the visible ones."""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.text import MOST_LINES, decoded

ReadAtCommit = Callable[[str, str], list[str] | None]
"""Gives the lines of a file (its path) at a commit, None if they cannot be read."""


LARGEST_FILE = 5_000_000
"""The most bytes of a file that is read; larger ones are not taken into memory."""


class Tree(Protocol):
    """The repository's files at one commit, read-only."""

    @property
    def searchable(self) -> bool:
        """Whether all files can be searched; to ask fetches the repository's archive."""

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        """Fetch files together before they are read; `others` are contents of other commits ("commit:path")."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None if there is no such file, or if it is over LARGEST_FILE."""


def lines_of(content: bytes | None) -> list[str] | None:
    """The lines of a file without their ends, None if there is no file or it is no text.

    Neither is what has over MOST_LINES.
    """
    if content is None or content.count(b"\n") > MOST_LINES:
        return None
    read = decoded(content)
    if read is None:
        return None
    lines = read.text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


class VisibleTree:
    """A tree without the files that match `hidden` (patterns of `skipPaths`); several threads may read.

    `open_tree` is called when a file is asked for, and once. Trees themselves are for one thread at a time: an archive
    is one file with one place where it is read.
    """

    def __init__(self, open_tree: Callable[[], Tree], hidden: Sequence[str]) -> None:
        self._open_tree = open_tree
        self._hidden = hidden
        self._lock = threading.RLock()

    @cached_property
    def _tree(self) -> Tree:
        return self._open_tree()

    @cached_property
    def _paths(self) -> Sequence[str]:
        return [path for path in self._tree.paths() if not matches_any(path, self._hidden)]

    @property
    def searchable(self) -> bool:
        """Whether all files can be searched; to ask fetches the repository's archive."""
        with self._lock:
            return self._tree.searchable

    def paths(self) -> Sequence[str]:
        """All visible files' paths, sorted."""
        with self._lock:
            return self._paths

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        """Fetch visible files together before they are read; `others` are contents of other commits ("commit:path")."""
        visible = [path for path in paths if not matches_any(path, self._hidden)]
        if visible or others:
            with self._lock:
                self._tree.prefetch(visible, others)

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None if there is no such visible file."""
        if matches_any(path, self._hidden):
            return None
        with self._lock:
            return self._tree.read(path)


class ChangedTree:
    """A tree with changes made to it; `changes` are files by their paths, None for one that is gone."""

    def __init__(self, tree: Tree, changes: Mapping[str, bytes | None]) -> None:
        self._tree = tree
        self._changes = changes

    @property
    def searchable(self) -> bool:
        """Whether all files can be searched; to ask fetches the repository's archive."""
        return self._tree.searchable

    def prefetch(self, paths: Collection[str], others: Collection[str] = ()) -> None:
        """Fetch files that are not changed together before they are read."""
        self._tree.prefetch([path for path in paths if path not in self._changes], others)

    def paths(self) -> Sequence[str]:
        """All files' paths, sorted."""
        there = {path for path, content in self._changes.items() if content is not None}
        return sorted({*self._tree.paths(), *there} - (self._changes.keys() - there))

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None if there is no such file."""
        return self._changes[path] if path in self._changes else self._tree.read(path)
