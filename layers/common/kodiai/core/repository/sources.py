"""Sources: the text files at the head, each read and outlined once for everybody who looks at its lines."""

import threading

from kodiai.core.code.outline import Outline, outline
from kodiai.core.repository.tree import Tree, text_lines


class Sources:
    """The lines of the files at the head; several threads may ask."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lines: dict[str, list[str] | None] = {}
        self._outlines: dict[str, Outline] = {}
        self._lock = threading.RLock()

    def lines(self, path: str) -> list[str] | None:
        """A file's lines without their ends, None where there is no such text file."""
        with self._lock:
            if path not in self._lines:
                self._lines[path] = text_lines(self._tree, path)
            return self._lines[path]

    def outline(self, path: str) -> Outline:
        """What a file defines and imports; nothing where there is no such text file."""
        with self._lock:
            if path not in self._outlines:
                self._outlines[path] = outline(path, self.lines(path) or [])
            return self._outlines[path]
