"""Visible: the tree without what the repository keeps from us."""

import threading
from collections.abc import Sequence

from kodiai.core.changes.globs import matches_any
from kodiai.core.repository.tree import Tree


class VisibleTree:
    """A tree in which the files that match `hidden` (patterns of `skipPaths`) are not there; several threads may read.

    Trees themselves are for one at a time: an archive is one file with one place where it is read.
    """

    def __init__(self, tree: Tree, hidden: Sequence[str]) -> None:
        self._tree = tree
        self._hidden = hidden
        self._lock = threading.Lock()
        self._paths: Sequence[str] | None = None
        self.searchable = tree.searchable

    def paths(self) -> Sequence[str]:
        """All visible files' paths, sorted."""
        with self._lock:
            if self._paths is None:
                self._paths = [path for path in self._tree.paths() if not matches_any(path, self._hidden)]
            return self._paths

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file to be seen."""
        if matches_any(path, self._hidden):
            return None
        with self._lock:
            return self._tree.read(path)
