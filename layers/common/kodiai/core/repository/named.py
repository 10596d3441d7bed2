"""Names: where the repository defines and uses one, by the grammars of its files, the nearest files first."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from kodiai.core.changes.generated import is_generated, is_vendored
from kodiai.core.changes.kinds import is_data, is_prose, is_test
from kodiai.core.code.definition import Definition, may_define
from kodiai.core.code.language import family_of, language_of
from kodiai.core.repository.imports import Defined
from kodiai.core.repository.paths import named as named_paths
from kodiai.core.repository.search import Found, search, text_matcher, time_share
from kodiai.core.repository.view import RepositoryView

_MOST_SECONDS = 20
# Each takes 5 to 30 ms.
_MOST_PARSED = 40
_MOST_IMPORTED = 20
_BINDING_LINES = 10
_WORD = re.compile(r"[\w-]+")
# In these languages the files of a folder see each other's names.
_FOLDER_IS_PACKAGE = frozenset({"go", "java"})


@dataclass(frozen=True)
class Named:
    """The definitions of a name, the nearest first, and `words`, the lines that have it as a word.

    `near` are those in the asking file and in files that it imports. `unparsed` is how many files with the word were
    not parsed. Where there is no definition, they are the lines that bind the name outside of functions, with some that
    follow.
    """

    definitions: Sequence[Defined]
    near: Sequence[Defined]
    words: Found
    unparsed: int

    def line_of(self, path: str, definition: Definition) -> int:
        """The line of a definition that has its name: decorators and comments come before."""
        lines = self.words.lines.get(path, ())
        return next((each for each in lines if definition.covers(each, each)), definition.start_line)


@dataclass(frozen=True)
class Uses:
    """The lines that have a name as a word in files of the same languages, and `elsewhere`, those in others."""

    words: Found
    elsewhere: Found


def find_text(view: RepositoryView, paths: Sequence[str], matches: Callable[[str], Sequence[int]]) -> Found:
    """The lines of these files that match: what people write first, of it code before prose and data.

    Raises Unsearchable.
    """
    return search(view.tree, paths, matches, time_share(view.time_left, _MOST_SECONDS)).ordered(_kind)


def definitions_of(view: RepositoryView, name: str, path: str | None) -> Named:
    """Find the definitions of a name that the file at `path` can mean, or any file of code. Raises Unsearchable."""
    near = _Neighborhood(view, path)
    words = find_text(view, near.code(), text_matcher(name, whole_words=True))
    likely = {each for each, lines in words.lines.items() if _may_define(view, each, lines, name)}
    files = sorted(words.lines, key=lambda each: (each not in likely, *near.distance(each)))
    parsed = sorted(files[:_MOST_PARSED], key=near.distance)
    found = [(file, each) for file in parsed for each in view.outline(file).definitions if each.name == name]
    found = found or [each for file in parsed for each in _bindings(view, file, name)]
    close = [each for each in found if near.is_known(each[0])]
    return Named(found, close, words, len(files) - len(parsed))


def words_of(view: RepositoryView, name: str, path: str | None) -> Uses:
    """Find the lines that have a name as a word; `path` is the file that defines it. Raises Unsearchable."""
    near = _Neighborhood(view, path)
    found = find_text(view, view.tree.paths(), text_matcher(name, whole_words=True))
    same = {each: lines for each, lines in found.lines.items() if near.is_related(each)}
    others = {each: lines for each, lines in found.lines.items() if each not in same}
    words = Found(same, found.searched, found.unsearched)
    return Uses(words.ordered(near.distance) if path else words, Found(others, found.searched, {}))


def used_lines(view: RepositoryView, path: str, wanted: Sequence[int], name: str) -> frozenset[int] | None:
    """Those of these lines that have a name by the grammar, in no comment and no string; None without a grammar."""
    names = view.parser.identifiers(path, view.lines(path) or [], wanted)
    return None if names is None else frozenset(each.line for each in names if each.name == name)


def enclosing_name(view: RepositoryView, path: str, line: int) -> str:
    """The name of the definition around a line with those around it, as `Orders.total`; "" if no grammar tells."""
    seen = view.outline(path)
    return ".".join(each.name for each in reversed(seen.enclosing(line, line))) if seen.has_grammar else ""


class _Neighborhood:
    """The files that a file can mean by a name, and how near they are to it; all are equally near to none."""

    def __init__(self, view: RepositoryView, path: str | None) -> None:
        self._view = view
        self._path = path
        lines = view.lines(path) or [] if path else []
        rows = view.outline(path).imports if path else ()
        self._words = {word for row in rows for word in _WORD.findall(lines[row - 1])}
        references = view.parser.references(path, lines) if path else ()
        self._imported = {each for reference in references for each in named_paths(path or "", reference)}

    def code(self) -> list[str]:
        """The files of code that are related; of a repository that is too large the file itself and what it imports."""
        paths = self._view.tree.paths()
        if self._path and not self._view.tree.searchable:
            return [each for each in paths if each == self._path or each in self._imported][:_MOST_IMPORTED]
        return [each for each in paths if self.is_related(each) and not (is_prose(each) or is_data(each))]

    def is_related(self, path: str) -> bool:
        """Whether the language of a file can use the names of this one."""
        return self._path is None or family_of(path) == family_of(self._path)

    def is_known(self, path: str) -> bool:
        """Whether it is this file, one that this one imports, or one of the same package."""
        here = PurePosixPath(self._path or "")
        is_package = language_of(path) in _FOLDER_IS_PACKAGE and PurePosixPath(path).parent == here.parent
        return (
            path == self._path
            or path in self._imported
            or is_package
            or self._import_depth(path) >= min(2, path.count("/") + 1)
        )

    def distance(self, path: str) -> tuple[Any, ...]:
        """A key that is smaller for nearer files."""
        if self._path is None:
            return (*_kind(path)[:-1], is_test(path), path)
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(path.split("/"), self._path.split("/"), strict=False))
        depth = self._import_depth(path)
        return (path != self._path, not self.is_known(path), -depth, -len([*shared]), is_test(path), path)

    def _import_depth(self, path: str) -> int:
        """The number of the last parts of a path that its imports name; of a package, its folder is the last one."""
        *folders, module = PurePosixPath(path).with_suffix("").parts
        is_index = module in ("__init__", "index", "mod")
        named = [len([*takewhile(self._words.__contains__, reversed(each))]) for each in ([*folders, module], folders)]
        return named[1] if is_index else max(named)


def _kind(path: str) -> tuple[bool, bool, str]:
    return is_vendored(path) or is_generated(path, ()), is_prose(path) or is_data(path), path


def _may_define(view: RepositoryView, path: str, lines: Sequence[int], name: str) -> bool:
    """Whether one of these lines may begin a definition of a name."""
    rows, language = view.lines(path) or [], language_of(path)
    texts = (rows[line - 1] for line in lines)
    starts = ((text, text.find(name)) for text in texts)
    return any(may_define(language, text, at, at + len(name)) for text, at in starts)


def _bindings(view: RepositoryView, path: str, name: str) -> Iterator[Defined]:
    """The lines that bind a name outside of functions and imports, each with some that follow."""
    lines = view.lines(path) or []
    bound = view.parser.bound_names(path, lines, [name])
    imports = view.outline(path).imports
    for each in bound.bindings(name) if bound else ():
        if not each.is_local and each.line not in imports:
            yield path, Definition(name, "variable", each.line, min(each.line + _BINDING_LINES - 1, len(lines)))
