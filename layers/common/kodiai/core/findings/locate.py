"""Locate: finds code that a model quotes, whatever it puts around it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.code.words import Words
from kodiai.core.findings.quote import Part, readings
from kodiai.core.findings.source import ReadLines, Source

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


def locate(quote: str, path: str, near: int | None, source: Source) -> Located | None:
    """Find quoted code in a file, else in lines that the diff removes from it; of several places the nearest one.

    White space, typography, diff markers, line numbers, fences, and omitted comments and lines do not count; the
    literal text comes first. A quote of fewer than two letters or digits locates nothing.
    """
    found = source.find(path)
    if found is None:
        return None
    file = next((file for file in source.files if file.path == found), None)
    candidates = places(quote, found, source.read_lines) or (_in_diff(quote, file, source.read_lines) if file else [])
    return min(candidates, key=lambda place: _distance(place, near, file), default=None)


def places(quote: str, path: str, read_lines: ReadLines) -> list[Located]:
    """Find all places of quoted code in a file at the head, in the order of their lines."""
    lines = read_lines(path) or []
    found = _search(quote, [lines], read_lines, path)
    return [
        Located(path, span.first + 1, span.last + 1, "\n".join(span.cut(lines)), span.complete) for _, span in found
    ]


def code_exists(quote: str, path: str, read_lines: ReadLines) -> bool:
    """Whether quoted code is in a file at the head."""
    return bool(places(quote, path, read_lines))


def _distance(place: Located, near: int | None, file: ChangedFile | None) -> tuple[int, bool, int, int]:
    """Sort key: nearest first.

    A model's line number may be off by a few lines; if it is off by more than a screen, it means nothing. Then, and
    between two places that are as near, the place in the change is the likelier one.
    """
    apart = _REACH if near is None else max(place.start_line - near, near - place.end_line, 0)
    outside = file is None or not file.takes_comment_on(place.start_line, place.end_line)
    return min(apart, _REACH), outside, abs(place.start_line - (near or 0)), place.start_line


def _in_diff(quote: str, file: ChangedFile, read_lines: ReadLines) -> list[Located]:
    """Find quoted code in a file's hunks: as it was before the change, else among all lines that the diff shows."""
    before = [[line for line in hunk.lines if line.marker != "+"] for hunk in file.hunks]
    for shown in (before, [list(hunk.lines) for hunk in file.hunks]):
        if found := _search(quote, [[line.text for line in lines] for lines in shown], read_lines):
            return [_located_in(file.path, file.hunks[at], shown[at], span) for at, span in found]
    return []


def _located_in(path: str, hunk: Hunk, lines: Sequence[Line], span: "_Span") -> Located:
    """A place in a diff; if the quote has added lines, it is about those."""
    found = list(zip(lines[span.first : span.last + 1], span.cut([line.text for line in lines]), strict=True))
    removed = all(line.marker != "+" for line, _ in found)
    about = [(line, text) for line, text in found if removed or line.new is not None]
    numbers = [line.new for line, _ in about if line.new is not None] or [_next_to(found[-1][0], hunk.lines)]
    return Located(path, numbers[0], numbers[-1], "\n".join(text for _, text in about), span.complete, removed)


def _next_to(removed: Line, lines: Sequence[Line]) -> int:
    """The new-side line after a removed one, else the one before; 1 if the file is gone."""
    at = next(at for at, line in enumerate(lines) if line is removed)
    return next((line.new for line in (*lines[at:], *reversed(lines[:at])) if line.new is not None), 1)


@dataclass(frozen=True)
class _Span:
    """The span of a quote: rows from 0, columns from 0 and after the last; `complete` is as in Located."""

    first: int
    last: int
    start: int
    end: int
    complete: bool = True

    def cut(self, lines: Sequence[str]) -> list[str]:
        """The text of the span."""
        rows = list(lines[self.first : self.last + 1])
        rows[-1] = rows[-1][: self.end]
        rows[0] = rows[0][self.start :]
        return rows


def _search(
    quote: str, texts: Sequence[Sequence[str]], read_lines: ReadLines, path: str = ""
) -> list[tuple[int, _Span]]:
    """Find a quote in the most literal way that succeeds: in which of the texts, and where in it.

    The lines of the texts are taken as they are, then in plain typography, then also without comments if they are those
    of the file at `path`.
    """
    meant = [parts for parts in readings(quote) if _letters(parts) >= _LEAST_LETTERS]
    for folds, without in ((False, False), (True, False), (True, True)):
        words = [Words(read_lines.without_comments(path, lines) if without else lines, folds=folds) for lines in texts]
        for parts in meant:
            if found := [(at, span) for at, lines in enumerate(texts) for span in _spans(parts, words[at], lines)]:
                return found
    return []


def _letters(parts: Sequence[Part]) -> int:
    return sum(map(str.isalnum, "".join(part.text for part in parts)))


def _spans(parts: Sequence[Part], words: Words, lines: Sequence[str]) -> Iterator[_Span]:
    """Find the parts of a quote in these lines, in their order."""
    quoted = [word for part in parts for word in words.of(part.text)]
    for start, end in _runs(parts, words):
        left, right = words.columns(start, end)
        span = _Span(words.row(start), words.row(end - 1), 0 if words.begins_row(start) else left, right)
        yield replace(span, complete=words.of("\n".join(span.cut(lines))) == quoted)


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
