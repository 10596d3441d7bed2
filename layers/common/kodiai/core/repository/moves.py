"""Moves: the references of moved files, and to them, that resolve no more."""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.generated import base_paths
from kodiai.core.changes.globs import matches_any
from kodiai.core.code.language import language_of
from kodiai.core.code.references import Reference
from kodiai.core.repository.usages import time_share
from kodiai.core.repository.view import RepositoryView, module_name

# The most moved files to which references are looked for, and the most files that are searched.
_MOST_SOUGHT = 40
_MOST_SEARCHED = 200
_MOST_SECONDS = 30
# Of one file, each of which may be looked for in another one.
_MOST_REFERENCES = 1_000
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".json", ".node", ".vue", ".svelte")
_OF_SCRIPT = ("", *_SCRIPT, *(f"/index{ending}" for ending in _SCRIPT), "/")
_ENDINGS = {
    "javascript": _OF_SCRIPT,
    "python": (".py", ".pyi", "/__init__.py", "", "/"),
    "ruby": (".rb", ""),
    "rust": (".rs", "/mod.rs", ""),
    "tsx": _OF_SCRIPT,
    "typescript": _OF_SCRIPT,
}
_OF_OTHERS = ("", "/")


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


class _Moved:
    """The repository before and after a change that moves files."""

    def __init__(self, files: Sequence[ChangedFile], view: RepositoryView, hidden: Sequence[str]) -> None:
        self._view = view
        self._hidden = hidden
        self._head = _Paths(view.tree.paths())
        self._base = _Paths(base_paths(view.tree.paths(), files))

    def naming(self, paths: Iterable[str]) -> list[str]:
        """The files that have the names by which these are imported, at most 200."""
        found = self._view.usages.find({module_name(path) for path in paths})
        return [*dict.fromkeys(place.path for places in found.values() for place in places)][:_MOST_SEARCHED]

    def broken(self, path: str, before: str) -> Iterator[BrokenReference]:
        """The references of a file that resolve no more; `before` is its path at the base."""
        lines = self._view.lines(path) or []
        for each in self._view.parser.references(path, lines)[:_MOST_REFERENCES]:
            was = self._base.first(_named(before, each))
            if was is not None and not self._resolves(path, each):
                yield BrokenReference(path, each.line, lines[each.line - 1], each.text, was)

    def _resolves(self, path: str, reference: Reference) -> bool:
        """Whether a reference names a file of the head, or may do so in a way that paths do not tell."""
        named = [*_named(path, reference)]
        if self._head.first(named) is not None or any(matches_any(each, self._hidden) for each in named):
            return True
        match language_of(path):
            case "python":  # a package may define what looks like a module of it
                folder, name = posixpath.split(named[0].removesuffix(".py"))
                package = posixpath.join(folder, "__init__.py")
                return package != path and any(name in line for line in self._view.lines(package) or ())
            case "bash":  # which takes the folder that it is run in
                return posixpath.normpath(reference.path) in self._head.all
            case "c" | "cpp":  # whose compiler searches other folders too
                return not reference.path.startswith("../") and self._head.has_ending(reference.path)
        return False


class _Paths:
    """The paths of all files at one commit."""

    def __init__(self, paths: Collection[str]) -> None:
        self.all = frozenset(paths)
        self._sorted = sorted(paths)

    def first(self, named: Iterable[str]) -> str | None:
        """The first of these files and folders (with a slash) that is there, None if none is."""
        return next((each for each in named if each in self.all or self._is_folder(each)), None)

    def _is_folder(self, path: str) -> bool:
        at = bisect_left(self._sorted, path)
        return path.endswith("/") and at < len(self._sorted) and self._sorted[at].startswith(path)

    def has_ending(self, path: str) -> bool:
        """Whether a file's path ends with a path."""
        named = self._by_name[posixpath.basename(path)]
        return any(f"/{each}".endswith(f"/{posixpath.normpath(path)}") for each in named)

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        named = defaultdict(list)
        for path in self.all:
            named[posixpath.basename(path)].append(path)
        return named


def _named(path: str, reference: Reference) -> Iterator[str]:
    """The files, and folders with a slash, that a reference of the file at a path may name, the likeliest first."""
    language = language_of(path) or ""
    folder, name = posixpath.split(path)
    folders = [folder, posixpath.join(folder, name.partition(".")[0])] if language == "rust" else [folder]
    for place in (posixpath.normpath(posixpath.join(each, reference.path)) for each in folders):
        forms = [place]
        if _ENDINGS.get(language) is _OF_SCRIPT and place.endswith((".js", ".jsx", ".mjs", ".cjs")):
            forms.append(place.rpartition(".")[0])  # which TypeScript takes for its own file
        yield from (f"{form}{ending}" for form in forms for ending in _ENDINGS.get(language, _OF_OTHERS))
