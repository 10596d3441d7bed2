"""Sections: parts of long hunks, cut where the lines themselves say, so that an edit changes hardly more than one.

All of a new file is one hunk, and a push that edits a line of it would make all of it new.
"""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from kodiai.core.changes.patch import Hunk, Line

# A hunk of up to this number of lines is one section.
_LONGEST_WHOLE = 60
_FEWEST_LINES = 8
# One line in this number ends a section, whatever is before it: further on, an edit moves no end.
_ONE_IN = 32


def sections(hunk: Hunk) -> tuple[Hunk, ...]:
    """The sections of a hunk, in their order; each has a change."""
    if len(hunk.lines) <= _LONGEST_WHOLE:
        return (hunk,)
    return tuple(hunk.split(_cut(hunk.lines)))


def _cut(lines: Sequence[Line]) -> list[list[Line]]:
    cut: list[list[Line]] = [[]]
    for line in lines:
        if len(cut[-1]) >= _FEWEST_LINES and _ends_section(cut[-1][-1]) and _has_change(cut[-1]):
            cut.append([])
        cut[-1].append(line)
    if len(cut) > 1 and not _has_change(cut[-1]):
        last = cut.pop()
        cut[-1] += last
    return cut


def _has_change(lines: Iterable[Line]) -> bool:
    return any(line.marker != " " for line in lines)


def _ends_section(line: Line) -> bool:
    text = line.text.strip()
    return bool(text) and zlib.crc32(text.encode("utf-8", "surrogatepass")) % _ONE_IN == 0


def joined(parts: Iterable[Hunk]) -> Iterator[Hunk]:
    """The parts of hunks, in their order, those that follow one another in one piece."""
    last: Hunk | None = None
    for part in parts:
        if last is not None and last.ends == part.begins:
            last = _together(last, part)
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last


def _together(first: Hunk, second: Hunk) -> Hunk:
    whole = replace(first, lines=(*first.lines, *second.lines))
    (old, new), (old_count, new_count) = first.begins, whole.counts
    return replace(whole, old_start=old - (not old_count), new_start=new - (not new_count))
