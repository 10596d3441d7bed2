"""Code as a row of words, to find other code in it regardless of white space, and of typographic signs."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

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
        rows = ["".join(f"{word}\n" for word in self.of(line)) for line in lines]
        self._text = "\n" + "".join(rows)
        self._starts = list(accumulate(map(len, rows), initial=1))

    def of(self, text: str) -> list[str]:
        """The words of a text, read in the same way."""
        return _WORD.findall(_folded(text) if self._folds else text)

    def find(self, text: str, start: int = 0, last_row: int | None = None) -> Iterator[tuple[int, int]]:
        """Find a text at or after a place: where it begins and ends, as places that only this class understands."""
        needle = "\n" + "".join(f"{word}\n" for word in self.of(text))
        limit = len(self._text) if last_row is None else self._starts[min(last_row + 1, len(self._lines))]
        at = self._text.find(needle, max(start - 1, 0), limit)
        while at >= 0:
            yield at + 1, at + len(needle)
            at = self._text.find(needle, at + 1, limit)

    def row(self, place: int) -> int:
        """The row, from 0, of the word that begins at a place; for an end, the row of the word before."""
        return bisect_right(self._starts, place) - 1

    def begins_row(self, place: int) -> bool:
        """Whether the word is the first of its row."""
        return self._starts[self.row(place)] == place

    def columns(self, start: int, end: int) -> tuple[int, int]:
        """The column of the first word between two places, and the one after the last, each in its own line."""
        first, last = self.row(start), self.row(end - 1)
        before = self._text.count("\n", self._starts[first], start)
        until = self._text.count("\n", self._starts[last], end)
        return self._spans(first)[before][0], self._spans(last)[until - 1][1]

    def _spans(self, row: int) -> list[tuple[int, int]]:
        """The columns of a row's words, as the line has them before it is folded."""
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
