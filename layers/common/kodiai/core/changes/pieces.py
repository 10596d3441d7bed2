"""Pieces: a change that is too large for one conversation, cut at its hunks, or at its lines."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.hunk import Hunk, Line
from kodiai.core.changes.show import one_line, show_file
from kodiai.core.tokens import estimated_tokens

_ROW = " 123456 | "
_HEADER_TOKENS = estimated_tokens("@@ -1234567,123456 +1234567,123456 @@\n")


def size(file: ChangedFile) -> int:
    """How many tokens the file takes in a batch, the blank line before the next one included."""
    return estimated_tokens(show_file(file) + "\n")


def pieces(file: ChangedFile, tokens: int) -> tuple[ChangedFile, ...]:
    """Cut a file into parts of at most so many tokens, in order; a file that fits is its only piece.

    Each piece has some of the hunks, or of the lines of one, with their line numbers. There are none where a single
    line takes more.
    """
    if size(file) <= tokens:
        return (file,)
    room = tokens - size(file.with_hunks(()))
    cut = [part for hunk in file.hunks for part in _parts(hunk, room)]
    if any(_hunk_size(part) > room for part in cut):
        return ()
    return tuple(file.with_hunks(group) for group in _groups(cut, room))


def _groups(hunks: Sequence[Hunk], room: int) -> Iterator[list[Hunk]]:
    group: list[Hunk] = []
    left = room
    for hunk in hunks:
        needed = _hunk_size(hunk)
        if group and needed > left:
            yield group
            group, left = [], room
        group.append(hunk)
        left -= needed
    yield group


def _parts(hunk: Hunk, room: int) -> Iterator[Hunk]:
    """Cut a hunk at its lines, as late as possible; a part that is a single line may be larger than the room."""
    lines = iter(hunk.lines)
    old_count, new_count = hunk.counts
    # Where a side has no lines git names the line before.
    old, new = hunk.old_start + (not old_count), hunk.new_start + (not new_count)
    for count in _counts(hunk.lines, room - _HEADER_TOKENS):
        part = Hunk(old, new, hunk.heading, tuple(islice(lines, count)))
        old_count, new_count = part.counts
        yield replace(part, old_start=old - (not old_count), new_start=new - (not new_count))
        old, new = old + old_count, new + new_count


def _counts(lines: Sequence[Line], room: int) -> Iterator[int]:
    count, left = 0, room
    for line in lines:
        needed = _line_size(line)
        if count and needed > left:
            yield count
            count, left = 0, room
        count += 1
        left -= needed
    yield count


def _hunk_size(hunk: Hunk) -> int:
    return _HEADER_TOKENS + sum(map(_line_size, hunk.lines))


def _line_size(line: Line) -> int:
    return estimated_tokens(f"{_ROW}{one_line(line.text)}\n")
