"""Visible: the tree without what the repository keeps from us."""

from collections.abc import Sequence

from kodiai.core.changes.globs import matches_any
from kodiai.ports import Tree


class VisibleTree:
    """A tree in which the files that match `hidden` (patterns of `skipPaths`) are not there."""

    def __init__(self, tree: Tree, hidden: Sequence[str]) -> None:
        self._tree = tree
        self._hidden = hidden
        self.searchable = tree.searchable

    def paths(self) -> Sequence[str]:
        """All visible files' paths, sorted."""
        return [path for path in self._tree.paths() if not matches_any(path, self._hidden)]

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None where there is no such file to be seen."""
        return None if matches_any(path, self._hidden) else self._tree.read(path)
