"""Visible: the tree without what the repository keeps from us."""

import threading
from collections.abc import Callable, Sequence
from functools import cached_property

from kodiai.core.changes.globs import matches_any
from kodiai.core.repository.tree import Tree


class VisibleTree:
    """A tree in which the files that match `hidden` (patterns of `skipPaths`) are not there; several threads may read.

    `open_tree` is called when a file is asked for, and once.
    Trees themselves are for one at a time: an archive is one file with one place where it is read.
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
        """Whether reading every file is cheap."""
        with self._lock:
            return self._tree.searchable

    def paths(self) -> Sequence[str]:
        """All visible files' paths, sorted."""
        with self._lock:
            return self._paths

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file to be seen."""
        if matches_any(path, self._hidden):
            return None
        with self._lock:
            return self._tree.read(path)
