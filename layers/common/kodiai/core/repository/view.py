"""The repository as a review sees it."""

import re
import threading
from collections.abc import Callable
from pathlib import PurePosixPath

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_test
from kodiai.core.code.cache import Cache, size_of_lines
from kodiai.core.code.definition import Definition
from kodiai.core.code.outline import Outline
from kodiai.core.code.parser import CodeParser
from kodiai.core.findings.source import ReadLines
from kodiai.core.repository.touched_code import NOTHING, TouchedCode, touched_code
from kodiai.core.repository.tree import ReadAtCommit, Tree, lines_of
from kodiai.core.repository.usages import MOST_PLACES, Usages

_MOST_DEFINITIONS = 2
_MOST_HEADINGS = 4
_WORD = re.compile(r"[\w-]+")

Defined = tuple[str, Definition]
"""A definition with the path of its file."""


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
        self.usages = Usages(tree, time_left)
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

    def definitions(self, path: str, name: str) -> list[Defined]:
        """The one or two definitions that a name in a file can mean; none where there are more.

        They are in the same file, else wherever the repository has few of that name. A name that the whole repository
        uses has none: the model knows it, or looks it up.
        """
        found = self.own_definitions(path, name)
        if not found and len(self.usages.find([name])[name]) < MOST_PLACES:
            found = self._other_definitions(path, name)
        return found if len(found) <= _MOST_DEFINITIONS else []

    def own_definitions(self, path: str, name: str) -> list[Defined]:
        """The definitions of a name in a file itself."""
        return [(path, one) for one in self.outline(path).definitions if one.name == name]

    def _other_definitions(self, path: str, name: str) -> list[Defined]:
        """The definitions in other files; of many those in files that this one imports, by their names."""
        headings = self.usages.headings(name)
        headings = [each for each in headings if not is_test(each.path)] or headings
        if len(headings) > _MOST_DEFINITIONS:
            lines = self.lines(path) or []
            imported = {word for number in self.outline(path).imports for word in _WORD.findall(lines[number - 1])}
            headings = [each for each in headings if module_name(each.path) in imported] or headings
        if len(headings) > _MOST_HEADINGS:
            return []
        found = ((each, own) for each in headings for own in self.own_definitions(each.path, name))
        return list(dict.fromkeys(own for each, own in found if own[1].covers(each.line, each.line)))


def module_name(path: str) -> str:
    """The name that a file is imported by, as a rule: its own, or its folder's."""
    file = PurePosixPath(path)
    return file.parent.name if file.stem in ("__init__", "index", "mod") else file.name.partition(".")[0]
