"""Code as a row of words, to find other code in it regardless of white space, and of typographic signs."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise

# A name or a number is one word, and so is each other sign; scripts without spaces are taken sign by sign.
_WORD = re.compile(r"[^\W\u0e00-\U0010ffff]+|\S")
_TYPOGRAPHIC = dict(zip("‘’‚‛′“”„‟‐‒–—―−", "'''''\"\"\"\"------", strict=True))


class Words:
    """The words of some lines; a word is never cut, and the case of letters counts.

    `folds` is whether typographic quotes and dashes, wide letters and the like count as the plain ones, and invisible
    signs do not count.
    """

    def __init__(self, lines: Sequence[str], *, folds: bool) -> None:
        self._lines = lines
        self._folds = folds
        rows = ["\n".join([*self.of(line), ""]) for line in lines]
        self._text = "\n" + "".join(rows)
        self._starts = list(accumulate(map(len, rows), initial=1))
        self._last_row: tuple[int, list[int], list[tuple[int, int]]] = -1, [], []

    def of(self, text: str) -> list[str]:
        """The words of a text, read in the same way."""
        return _WORD.findall(_folded(text) if self._folds else text)

    def find(self, text: str, start: int = 0, last_row: int | None = None) -> Iterator[tuple[int, int]]:
        """Find a text at or after a place: where it begins and ends, as places that only this class understands."""
        words = self.of(text)
        needle = "\n".join(["", *words, ""])
        first = max(start - 1, 0)
        limit = len(self._text) if last_row is None else self._starts[min(last_row + 1, len(self._lines))]
        # To look only at the rows of its rarest word keeps many quotes in a long file fast.
        rarest = min(words, key=lambda word: len(self._rows.get(word, ())), default="")
        ahead = needle.index(f"\n{rarest}\n") if rarest else 0
        for at in (place - ahead for place in self._places_of(rarest, first, limit)):
            if at >= first and at + len(needle) <= limit and self._text.startswith(needle, at):
                yield at + 1, at + len(needle)

    def _places_of(self, word: str, start: int, limit: int) -> Iterator[int]:
        """The line ends before a word from a place on; those before all words if it is empty."""
        rows = self._rows.get(word, ()) if word else range(len(self._lines))
        needle = f"\n{word}\n" if word else "\n"
        for at in range(bisect_left(rows, self.row(start)), len(rows)):
            end = self._starts[rows[at] + 1]
            found = self._text.find(needle, self._starts[rows[at]] - 1, end)
            while found >= 0:
                yield found
                found = self._text.find(needle, found + 1, end)
            if end > limit:
                return

    @cached_property
    def _rows(self) -> Mapping[str, list[int]]:
        """The rows of each word."""
        rows = defaultdict(list)
        for row, (start, end) in enumerate(pairwise(self._starts)):
            for word in frozenset(self._text[start:end].split("\n")):
                rows[word].append(row)
        return rows

    def row(self, place: int) -> int:
        """The row, from 0, of the word that begins at a place; for an end, the row of the word before."""
        return bisect_right(self._starts, place) - 1

    def begins_row(self, place: int) -> bool:
        """Whether the word is the first of its row."""
        return self._starts[self.row(place)] == place

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The column of the first word between two places, and the one after the last, each in its own line."""
        first, last = self.row(start), self.row(end - 1)
        places, spans = self._spans(first)
        left = spans[bisect_left(places, start)][0]
        places, spans = self._spans(last)
        return left, spans[bisect_left(places, end) - 1][1]

    def _spans(self, row: int) -> tuple[list[int], list[tuple[int, int]]]:
        """The beginnings of a row's words, and their columns, as the line has them before it is folded."""
        if self._last_row[0] != row:  # a quote may be on a long line very often
            self._last_row = row, self._row_places(row), self._row_columns(row)
        return self._last_row[1:]

    def _row_places(self, row: int) -> list[int]:
        words = self._text[self._starts[row] : self._starts[row + 1]].split("\n")[:-1]
        return list(accumulate((len(word) + 1 for word in words[:-1]), initial=self._starts[row]))

    def _row_columns(self, row: int) -> list[tuple[int, int]]:
        line = self._lines[row]
        pieces = [_folded(sign) if self._folds else sign for sign in line]
        ends = list(accumulate(map(len, pieces)))
        found = _WORD.finditer("".join(pieces))
        return [(bisect_right(ends, word.start()), bisect_left(ends, word.end()) + 1) for word in found]


def _folded(text: str) -> str:
    return text if text.isascii() else "".join(map(_folded_sign, text))


@lru_cache(maxsize=4096)
def _folded_sign(sign: str) -> str:
    # Taken apart (NFKD) sign by sign, so that columns are known; NFKC on both sides makes the same texts equal.
    plain = "".join(_TYPOGRAPHIC.get(each, each) for each in unicodedata.normalize("NFKD", sign))
    return "".join(each for each in plain if unicodedata.category(each) != "Cf")
