"""Paths: the files of a repository at one commit by their paths, and those that a reference may name."""

import posixpath
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from kodiai.core.code.language import language_of
from kodiai.core.code.references import Reference

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


class Paths:
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

    def ending(self, path: str) -> list[str]:
        """The files whose paths end with a path."""
        named = self._by_name[posixpath.basename(path)]
        return [each for each in named if f"/{each}".endswith(f"/{posixpath.normpath(path)}")]

    def inside(self, folder: str) -> Iterator[str]:
        """The files of a folder itself."""
        start = f"{folder}/" if folder else ""
        for path in islice(self._sorted, bisect_left(self._sorted, start), None):
            if not path.startswith(start):
                return
            if "/" not in path[len(start) :]:
                yield path

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        named = defaultdict(list)
        for path in self.all:
            named[posixpath.basename(path)].append(path)
        return named


def named(path: str, reference: Reference) -> Iterator[str]:
    """The files, and folders with a slash, that a reference of the file at a path may name, the likeliest first."""
    language = language_of(path) or ""
    folder, name = posixpath.split(path)
    folders = [folder, posixpath.join(folder, name.partition(".")[0])] if language == "rust" else [folder]
    for place in (posixpath.normpath(posixpath.join(each, reference.path)) for each in folders):
        forms = [place]
        if _ENDINGS.get(language) is _OF_SCRIPT and place.endswith((".js", ".jsx", ".mjs", ".cjs")):
            forms.append(place.rpartition(".")[0])  # which TypeScript takes for its own file
        yield from (f"{form}{ending}" for form in forms for ending in _ENDINGS.get(language, _OF_OTHERS))
