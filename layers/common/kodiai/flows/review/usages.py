"""Usages: where names and texts stand in the repository at the head."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from kodiai.core.changes.kinds import is_binary, is_generated, is_vendored
from kodiai.ports import Tree

_LARGEST_SEARCHED = 1_000_000
_MOST_PLACES = 500


@dataclass(frozen=True)
class Place:
    """A line of a file at the head; `line` is 1-based."""

    path: str
    line: int
    text: str


class Usages:
    """Searches the repository for whole words, each word once; nothing is found where searching is too dear."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._found: dict[str, list[Place]] = {}

    @property
    def can_search(self) -> bool:
        """Whether the repository can be searched."""
        return self._tree.searchable

    def find(self, words: Collection[str]) -> dict[str, list[Place]]:
        """Every line on which each of the words stands, by word; of each at most 500, in the order of paths."""
        new = sorted({word for word in words if word} - set(self._found))
        if new and self.can_search:
            self._search(new)
        return {word: self._found.get(word, []) for word in words}

    def _search(self, words: Collection[str]) -> None:
        self._found |= {word: [] for word in words}
        wanted = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in words))
        first = re.compile("|".join(re.escape(word) for word in words).encode())
        for path in self._paths():
            content = self._tree.read(path)
            if content is None or len(content) > _LARGEST_SEARCHED or not first.search(content):
                continue
            for number, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
                for word in {match[0] for match in wanted.finditer(line)}:
                    if len(self._found[word]) < _MOST_PLACES:
                        self._found[word].append(Place(path, number, line.strip()))

    def _paths(self) -> Iterator[str]:
        for path in self._tree.paths():
            if not (is_binary(path) or is_vendored(path) or is_generated(path, ())):
                yield path
