"""The places of quoted code: in a file at the head, or in the hunks of a change."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.code.words import Words
from kodiai.core.findings.quote import Part, readings

_REACH = 60
_LEAST_LETTERS = 2


@dataclass(frozen=True)
class Located:
    """The place of quoted code at the head; lines are 1-based, both included, on the new side.

    `quote` is the actual code, from the first quoted word to the last.
    `complete` is whether the quote has all of it, without an ellipsis or a comment left out.
    `removed` is whether it is only in lines that the diff removes; the lines are then those next to them.
    """

    path: str
    start_line: int
    end_line: int
    quote: str
    complete: bool = True
    removed: bool = False


class Places:
    """All places of one quote in one file, in the order of their lines."""

    def __init__(self, found: Sequence[Located]) -> None:
        self.found = sorted(found, key=lambda place: place.start_line)

    def closest(self, line: int) -> Located | None:
        """The place that begins closest to a line, the earlier one of two that are as close."""
        return min(self.found, key=lambda place: abs(place.start_line - line), default=None)

    def likeliest(self, near: int | None, file: ChangedFile | None) -> Located | None:
        """The place that is meant: the nearest one.

        A model's line number may be off by a few lines; if it is off by more than a screen, it means nothing. Then, and
        between two places that are as near, the place in the change is the likelier one.
        """
        line = near or 0
        close = [place for place in self.found if near is not None and _apart(place, near) < _REACH]
        if close:
            return min(close, key=lambda at: (_apart(at, line), not _is_in(file, at), abs(at.start_line - line)))
        inside = Places([place for place in self.found if _is_in(file, place)])
        return inside.closest(line) or self.closest(line)


def _apart(place: Located, line: int) -> int:
    return max(place.start_line - line, line - place.end_line, 0)


def _is_in(file: ChangedFile | None, place: Located) -> bool:
    return file is not None and file.takes_comment_on(place.start_line, place.end_line)


@dataclass(frozen=True)
class Span:
    """The span of a quote: rows from 0, columns from 0 and after the last; `complete` is as in Located."""

    first: int
    last: int
    start: int
    end: int
    complete: bool = True

    def cut(self, lines: Sequence[str]) -> list[str]:
        """The text of the span."""
        if self.first == self.last:
            return [lines[self.first][self.start : self.end]]
        between = lines[self.first + 1 : self.last]
        return [lines[self.first][self.start :], *between, lines[self.last][: self.end]]


class SearchedCode:
    """One or more texts, in which quotes are searched; each form of their lines is read once.

    `bare` gives the lines of all texts without comments, None where it is not known what a comment is.
    """

    def __init__(self, texts: Sequence[Sequence[str]], bare: Callable[[], Sequence[str]] | None = None) -> None:
        self.lines = [line for text in texts for line in text]
        self._firsts = list(accumulate(map(len, texts), initial=0))
        self._bare = bare

    @property
    def size(self) -> int:
        """The bytes that it takes in memory, roughly, once quotes have been searched in it."""
        return sum(5 * len(line) + 200 for line in self.lines)

    @cached_property
    def _literal(self) -> Words:
        return Words(self.lines, folds=False)

    @cached_property
    def _folded(self) -> Words:
        return Words(self.lines, folds=True)

    @cached_property
    def _without_comments(self) -> Words:
        return Words(self._bare() if self._bare else [], folds=True)

    def _forms(self) -> Iterator[Words]:
        """The lines as they are, then in plain typography, then also without comments."""
        yield self._literal
        yield self._folded
        if self._bare is not None:
            yield self._without_comments

    def search(self, quote: str) -> list[tuple[int, Span]]:
        """Find a quote in the most literal way that succeeds: in which of the texts, and where in its rows."""
        return next((found for words in self._forms() for found in self._readings(quote, words)), [])

    def holders(self, quote: str) -> set[int]:
        """In which of the texts a quote is, in any way, by their places from 0."""
        return {at for words in self._forms() for found in self._readings(quote, words) for at, _ in found}

    def _readings(self, quote: str, words: Words) -> Iterator[list[tuple[int, Span]]]:
        meant = (parts for parts in readings(quote) if _letters(parts) >= _LEAST_LETTERS)
        return (found for parts in meant if (found := list(self._spans(parts, words))))

    def _spans(self, parts: Sequence[Part], words: Words) -> Iterator[tuple[int, Span]]:
        """Find the parts of a quote in the same text, in their order."""
        quoted = [word for part in parts for word in words.of(part.text)]
        for start, end in _runs(parts, words):
            first, last = words.row(start), words.row(end - 1)
            at = bisect_right(self._firsts, first) - 1
            if last >= self._firsts[at + 1]:
                continue
            left, right = words.columns(start, end)
            span = Span(first, last, 0 if words.begins_row(start) else left, right)
            complete = words.of("\n".join(span.cut(self.lines))) == quoted
            yield at, Span(first - self._firsts[at], last - self._firsts[at], span.start, span.end, complete)


def _letters(parts: Sequence[Part]) -> int:
    return sum(map(str.isalnum, "".join(part.text for part in parts)))


def _runs(parts: Sequence[Part], words: Words) -> list[tuple[int, int]]:
    """Find all parts in this order, each at most a screen below the one before; of nested runs the innermost."""
    starts: dict[int, int] = {}
    if any(next(_find(part, words), None) is None for part in parts):
        return []
    for start, run_end in _find(parts[0], words):
        end = run_end
        for part in parts[1:]:
            end = next((found for _, found in _find(part, words, end)), 0)
            if not end:
                break
        else:
            starts[end] = start
    return [(start, end) for end, start in starts.items()]


def _find(part: Part, words: Words, after: int | None = None) -> Iterator[tuple[int, int]]:
    last_row = None if after is None else words.row(after - 1) + _REACH
    found = words.find(part.text, after or 0, last_row)
    return (each for each in found if words.begins_row(each[0]) or not part.begins_line)
