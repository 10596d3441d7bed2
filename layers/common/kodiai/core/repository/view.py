"""The repository as a review sees it."""

import threading
from collections.abc import Callable

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.cache import Cache, size_of_lines
from kodiai.core.code.outline import Outline
from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.source import ReadLines
from kodiai.core.repository.touched_code import NOTHING, TouchedCode, touched_code
from kodiai.core.repository.tree import ReadAtCommit, Tree, lines_of


class RepositoryView:
    """Its files at the head, each read and outlined once, and single files at earlier commits; several threads may ask.

    `tree` has the files that are visible. `lines` gives a file's lines without their ends, None if there is
    no such text file; `read_at` does so at a commit, also None if that cannot be read.
    `time_left` gives seconds, of which each search takes at most a share.
    """

    def __init__(
        self,
        tree: Tree,
        parser: CodeParser,
        read_at: ReadAtCommit = lambda *_: None,
        time_left: Callable[[], float] = lambda: 3_600.0,
    ) -> None:
        self.tree = tree
        self.parser = parser
        self.lines = ReadLines(self._read, parser)
        self.read_at = read_at
        self.time_left = time_left
        self._lines = Cache[str, list[str] | None](lambda path: lines_of(self.tree.read(path)), size_of_lines)
        self._outlines = Cache(self._outlined, lambda seen: 250 * len(seen.definitions) + 32 * len(seen.imports))
        self._touched = Cache(self._touched_code, lambda touched: 100 * (len(touched.added) + len(touched.called)))
        self._lock = threading.RLock()

    def _read(self, path: str) -> list[str] | None:
        """A file's lines without their ends, None if there is no such text file."""
        with self._lock:
            return self._lines(path)

    def outline(self, path: str) -> Outline:
        """The definitions and imports of a file; none if there is no such text file."""
        with self._lock:
            return self._outlines(path)

    def _outlined(self, path: str) -> Outline:
        return self.parser.outline(path, self.lines(path) or [])

    def touched_code(self, file: ChangedFile) -> TouchedCode:
        """The code that a change touches; none in what is no text file at the head."""
        with self._lock:
            return self._touched(file)

    def _touched_code(self, file: ChangedFile) -> TouchedCode:
        lines = self.lines(file.path)
        return NOTHING if lines is None else touched_code(file, lines, self.outline(file.path), self.parser)
