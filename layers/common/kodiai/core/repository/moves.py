"""Moves: the references of moved files, and to them, that resolve no more."""

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import PurePosixPath

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.generated import base_paths, is_generated, is_vendored
from kodiai.core.changes.globs import matches_any
from kodiai.core.changes.kinds import is_binary, is_data, is_prose
from kodiai.core.code.language import language_of
from kodiai.core.code.references import Reference
from kodiai.core.repository.paths import Paths, named
from kodiai.core.repository.search import texts, time_share
from kodiai.core.repository.view import RepositoryView

# The most moved files to which references are looked for, and the most files that are searched.
_MOST_SOUGHT = 40
_MOST_SEARCHED = 200
_MOST_SECONDS = 30
# Of one file, each of which may be looked for in another one.
_MOST_REFERENCES = 1_000


def with_broken_references(
    files: Sequence[ChangedFile], view: RepositoryView, hidden: Sequence[str]
) -> tuple[ChangedFile, ...]:
    """The changed files, each that was moved with the references that resolve no more since then.

    Those count that are written literally, named a file of the base from the old place, and name none of the head from
    the new one. `hidden` are the patterns of files that the view does not have.
    """
    moved = {file.path: file for file in files if file.previous_path}
    if not moved:
        return tuple(files)
    repository = _Moved(files, view, hidden)
    is_over = time_share(view.time_left, _MOST_SECONDS)
    broken: dict[str, list[BrokenReference]] = defaultdict(list)
    for path, file in moved.items():
        broken[path] += repository.broken(path, file.previous_path or "") if not is_over() else ()
    gone = {file.previous_path or "": path for path, file in moved.items() if file.status == "renamed"}
    for path in repository.naming(gone) if len(gone) <= _MOST_SOUGHT else ():
        for each in repository.broken(path, path) if path not in moved and not is_over() else ():
            if each.was in gone:
                broken[gone[each.was]].append(each)
    return tuple(replace(file, broken=tuple(broken[file.path])) for file in files)


def _is_written(path: str) -> bool:
    """Whether people write a file, by its path."""
    return not (is_binary(path) or is_vendored(path) or is_generated(path, ()))


class _Moved:
    """The repository before and after a change that moves files."""

    def __init__(self, files: Sequence[ChangedFile], view: RepositoryView, hidden: Sequence[str]) -> None:
        self._view = view
        self._hidden = hidden
        self._head = Paths(view.tree.paths())
        self._base = Paths(base_paths(view.tree.paths(), files))

    def naming(self, paths: Iterable[str]) -> list[str]:
        """The files that have the names by which these are imported, at most 200."""
        words, tree = {_module_name(path) for path in paths}, self._view.tree
        if not words or not tree.searchable:
            return []
        written = sorted(filter(_is_written, tree.paths()), key=lambda path: (is_prose(path) or is_data(path), path))
        is_over = time_share(self._view.time_left, _MOST_SECONDS)
        every = texts(tree, written, is_over, defaultdict(list))
        return [*islice((path for path, text in every if any(map(text.__contains__, words))), _MOST_SEARCHED)]

    def broken(self, path: str, before: str) -> Iterator[BrokenReference]:
        """The references of a file that resolve no more; `before` is its path at the base."""
        lines = self._view.lines(path) or []
        found = (each for each in self._view.parser.references(path, lines) if not each.is_module)
        for each in islice(found, _MOST_REFERENCES):
            was = self._base.first(named(before, each))
            if was is not None and not self._resolves(path, each):
                yield BrokenReference(path, each.line, lines[each.line - 1], each.text, was)

    def _resolves(self, path: str, reference: Reference) -> bool:
        """Whether a reference names a file of the head, or may do so in a way that paths do not tell."""
        places = [*named(path, reference)]
        if self._head.first(places) is not None or any(matches_any(each, self._hidden) for each in places):
            return True
        match language_of(path):
            case "python":  # a package may define what looks like a module of it
                folder, name = posixpath.split(places[0].removesuffix(".py"))
                package = posixpath.join(folder, "__init__.py")
                return package != path and any(name in line for line in self._view.lines(package) or ())
            case "bash":  # which takes the folder that it is run in
                return posixpath.normpath(reference.path) in self._head.all
            case "c" | "cpp":  # whose compiler searches other folders too
                return not reference.path.startswith("../") and self._head.ending(reference.path) != []
        return False


def _module_name(path: str) -> str:
    """The name that a file is imported by, as a rule: its own, or its folder's."""
    file = PurePosixPath(path)
    return file.parent.name if file.stem in ("__init__", "index", "mod") else file.name.partition(".")[0]
