"""Usages: where names are in the repository at the head, many of them found in one pass over its files."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from kodiai.core.changes.generated import is_generated, is_vendored
from kodiai.core.changes.kinds import is_binary, is_data, is_prose
from kodiai.core.code.definition import may_define
from kodiai.core.code.language import language_of
from kodiai.core.repository.search import OVER_TIME, texts
from kodiai.core.repository.tree import Tree

# A name that is on this many lines is a common one: no more of them are kept.
MOST_PLACES = 100
_MOST_HEADINGS = 12
_MOST_SECONDS = 60
_OF_TIME_LEFT = 1 / 4
_WORD = re.compile(r"\w+")
_LONGEST_TEXT = 300
_SPACED = {sign: " " for sign in range(128) if not _WORD.match(chr(sign))}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file at the head; `line` is 1-based."""

    path: str
    line: int
    text: str


def time_share(time_left: Callable[[], float], most_seconds: float) -> Callable[[], bool]:
    """Begin a step with `most_seconds`, and a quarter of the time left; the result says whether the time is over.

    A step that takes longer shows less. If it raised OutOfTime instead, it would raise it again on every try.
    """
    left = time_left()
    until = left - min(most_seconds, left * _OF_TIME_LEFT)
    return lambda: time_left() <= until


class _Found:
    """The lines of a word, and those of them that may begin its definition."""

    def __init__(self, word: str) -> None:
        self.places: list[Place] = []
        self._word = word

    @cached_property
    def headings(self) -> list[Place]:
        """The lines that may begin its definition: most words are never asked for theirs."""
        return list(islice(filter(self._may_be_defined_at, self.places), _MOST_HEADINGS))

    def _may_be_defined_at(self, place: Place) -> bool:
        start = self._next(place.text, 0)
        return start >= 0 and may_define(language_of(place.path), place.text, start, start + len(self._word))

    def note(self, path: str, text: str) -> None:
        """Note the lines of a file that have the word whole, until it is a common one."""
        line, counted = 1, 0
        at = self._next(text, 0)
        while at >= 0 and len(self.places) < MOST_PLACES:
            start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(self._word))
            end = end if end >= 0 else len(text)
            line += text.count("\n", counted, start)
            counted = start
            self.places.append(Place(path, line, text[start:end].strip()[:_LONGEST_TEXT]))
            at = self._next(text, end)

    def _next(self, text: str, start: int) -> int:
        """The next place of the word in a text, as a whole; -1 if there is none."""
        at = text.find(self._word, start)
        while at >= 0 and (_WORD.match(text, at + len(self._word)) or _WORD.match(text[at - 1 : at])):
            at = text.find(self._word, at + 1)
        return at


class Usages:
    """Searches the repository for whole words; finds nothing if searching is too expensive.

    A pass over the files that takes too long finds nothing, and is the last one. `unsearched` has how many files, or
    passes, were left out, with the reason.
    """

    def __init__(self, tree: Tree, time_left: Callable[[], float]) -> None:
        self._tree = tree
        self._time_left = time_left
        self._found: dict[str, _Found] = {}
        self.unsearched: Counter[str] = Counter()
        self._is_too_slow = False

    @property
    def can_search(self) -> bool:
        """Whether the repository can be searched."""
        return self._tree.searchable and not self._is_too_slow

    @property
    def is_whole(self) -> bool:
        """Whether all files were searched that somebody wrote by hand for this repository."""
        return self.can_search and not self.unsearched

    def find(self, words: Collection[str]) -> dict[str, list[Place]]:
        """The lines that have each of the words, by word; code first, of each at most 100, in the order of paths.

        Ask for all known words at once: a new one takes a pass over all files.
        """
        new = sorted({word for word in words if _WORD.search(word)} - set(self._found))
        if new and self.can_search:
            self._search(new)
        return {word: self._found[word].places if word in self._found else [] for word in words}

    def headings(self, word: str) -> list[Place]:
        """The lines that may begin a definition of a word that was looked for; at most 12, and among its first 100."""
        return self._found[word].headings if word in self._found else []

    def _search(self, words: Collection[str]) -> None:
        is_over = time_share(self._time_left, _MOST_SECONDS)
        found = {word: _Found(word) for word in words}
        by_part: dict[str, list[_Found]] = {}
        for word in words:  # by the longest run of word characters: most words are one such run
            by_part.setdefault(max(_WORD.findall(word), key=len), []).append(found[word])
        left_out: Counter[str] = Counter()
        for path, text in texts(self._tree, self._paths, is_over, left_out):
            _note(by_part, path, text)
        self._is_too_slow = OVER_TIME in left_out
        if self._is_too_slow:
            self.unsearched = Counter({f"searches for uses, over {_MOST_SECONDS} seconds": 1})
            return
        self.unsearched = Counter({f"files not searched for uses, {why}": count for why, count in left_out.items()})
        self._found |= found

    @cached_property
    def _paths(self) -> Sequence[str]:
        """The files that people write: code in the order of paths, then prose and data."""
        written = (
            path for path in self._tree.paths() if not (is_binary(path) or is_vendored(path) or is_generated(path, ()))
        )
        return sorted(written, key=lambda path: (is_prose(path) or is_data(path), path))


def _note(by_part: Mapping[str, list[_Found]], path: str, text: str) -> None:
    """Note the lines of one file that have words which are looked for."""
    for part in by_part.keys() & _words(text):
        for found in by_part[part]:
            found.note(path, text)


def _words(text: str) -> list[str]:
    """The words of a text; where it is ASCII, which takes a third of the time."""
    return text.translate(_SPACED).split() if text.isascii() else _WORD.findall(text)
