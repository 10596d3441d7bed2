"""The repository as a review sees it."""

import threading
from collections.abc import Callable

from kodiai.core.code.outline import Outline, outline
from kodiai.core.repository.tree import ReadAtCommit, Tree, text_lines
from kodiai.core.repository.usages import Usages


class RepositoryView:
    """Its files at the head, each read and outlined once, and single files at earlier commits; several threads may ask.

    `tree` has the files that are visible. `read_at` gives a file's lines at a commit, None where that cannot be read.
    `time_left` gives seconds, of which each search takes at most a share.
    """

    def __init__(
        self, tree: Tree, read_at: ReadAtCommit = lambda *_: None, time_left: Callable[[], float] = lambda: 3_600.0
    ) -> None:
        self.tree = tree
        self.read_at = read_at
        self.time_left = time_left
        self.usages = Usages(tree, time_left)
        self._lines: dict[str, list[str] | None] = {}
        self._outlines: dict[str, Outline] = {}
        self._lock = threading.RLock()

    def lines(self, path: str) -> list[str] | None:
        """A file's lines without their ends, None where there is no such text file."""
        with self._lock:
            if path not in self._lines:
                self._lines[path] = text_lines(self.tree, path)
            return self._lines[path]

    def outline(self, path: str) -> Outline:
        """What a file defines and imports; nothing where there is no such text file."""
        with self._lock:
            if path not in self._outlines:
                self._outlines[path] = outline(path, self.lines(path) or [])
            return self._outlines[path]
