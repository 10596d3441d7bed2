"""The place where a hunk applies, by the rules of `git apply` without fuzz."""

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kodiai.core.diffs.file_diff import TextHunk

# Most lines have moved a little, and to search all of a long file for each of many hunks takes long.
_DISTANCES = (50, 2_000, 2**40)
# A line is compared at the cost of this many lines that are moved.
_MOVED_AT_ONCE = 25
# Each takes some 120 bytes of memory.
_MOST_LINES = 1_000_000
_SPACES = re.compile(rb"\s+")


class TooMuchEffort(Exception):
    """The hunks of a diff are too many, too far from where they say, for files this long."""


class LineBudget:
    """The number of lines that may be compared for a whole diff; a million take a good quarter of a second."""

    def __init__(self, lines: int) -> None:
        self._left = lines

    def spend(self, lines: int) -> None:
        """Raises TooMuchEffort."""
        self._left -= lines
        if self._left < 0:
            raise TooMuchEffort


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A line that a hunk made: no other hunk may replace it, so that it is equal to none."""

    content: bytes


class Image:
    """The lines of a file, in which hunks replace lines that no other hunk made. Raises TooMuchEffort."""

    def __init__(self, content: bytes, effort: LineBudget) -> None:
        self._effort = effort
        lines = content.count(b"\n")
        effort.spend(lines)
        if lines > _MOST_LINES:
            raise TooMuchEffort
        # Most hunks are in the order of the file: a gap behind the last one leaves little to move for the next.
        self._before: list[bytes | _Made] = []
        self._behind: list[bytes | _Made] = list(lines_of(content)[::-1])
        self._known = frozenset(self._behind)

    @property
    def content(self) -> bytes:
        """The file as it is now."""
        lines = itertools.chain(self._before, reversed(self._behind))
        return b"".join(line.content if isinstance(line, _Made) else line for line in lines)

    def apply(self, hunk: TextHunk) -> bool:
        """Replace the hunk's old lines by its new ones where they are nearest to the place that it names.

        A hunk of the first line has to be at the beginning, one without context at its end at the end of the file.
        One that only adds lines has to be where it says. False, with nothing changed, if the lines are not there.
        """
        old, new = hunk.old, hunk.new
        at = self._place(hunk, old)
        if at is None:
            return False
        self._move_gap(at)
        del self._behind[len(self._behind) - len(old) :]
        self._before.extend(map(_Made, new))
        return True

    def __len__(self) -> int:
        """The number of lines now."""
        return len(self._before) + len(self._behind)

    def _move_gap(self, at: int) -> None:
        self._effort.spend(abs(at - len(self._before)) // _MOVED_AT_ONCE)
        if at < len(self._before):
            self._behind.extend(reversed(self._before[at:]))
            del self._before[at:]
        elif at > len(self._before):
            kept = len(self) - at
            self._before.extend(reversed(self._behind[kept:]))
            del self._behind[kept:]

    def _rows(self, start: int, stop: int) -> list[bytes | _Made]:
        gap, end = len(self._before), len(self)
        stop = min(stop, end)
        behind = self._behind[end - stop : end - max(start, gap)] if stop > gap else []
        return [*self._before[start:stop], *reversed(behind)]

    def has(self, old: Sequence[bytes]) -> bool:
        """Whether a row of lines is somewhere where no hunk has been."""
        return self._nearest(0, old) is not None

    def _place(self, hunk: TextHunk, old: list[bytes]) -> int | None:
        last = len(self) - len(old)
        wanted = max(hunk.new_start - 1, 0)
        if not old and len(self) and wanted != last:
            return None
        if hunk.old_start > 1 and not hunk.ends_with_change:
            return self._nearest(min(wanted, len(self)), old)
        at = 0 if hunk.old_start <= 1 else last
        fits = at >= 0 and (at == last or not hunk.ends_with_change)
        return at if fits and self._is_at(at, old) else None

    def _nearest(self, wanted: int, old: Sequence[bytes]) -> int | None:
        """The nearest place of lines; of two that are equally far away the later one, as git takes it."""
        if not self._known.issuperset(old):
            return None
        for distance in _DISTANCES:
            start = max(wanted - distance, 0)
            window = self._rows(start, wanted + distance + len(old))
            self._effort.spend(len(window))
            places = [start + at for at in occurrences(window, old)]
            nearest = min(places, key=lambda at: (abs(at - wanted), at < wanted), default=None)
            if nearest is not None and abs(nearest - wanted) <= distance:
                return nearest
            if len(window) == len(self):
                break
        return None

    def _is_at(self, at: int, old: Sequence[bytes]) -> bool:
        return self._rows(at, at + len(old)) == old


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a file, each with its newline; only the last may have none."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def occurrences(lines: Sequence[object], wanted: Sequence[bytes]) -> list[int]:
    """The index of each place of a row of lines within others, in linear time (Knuth, Morris, Pratt)."""
    if not wanted:
        return list(range(len(lines) + 1))
    if not set(lines).issuperset(wanted):
        return []
    matches = enumerate(_matches(lines, wanted, _fallback(wanted)), 1)
    return [end - len(wanted) for end, matched in matches if matched == len(wanted)]


def overlaps(lines: Sequence[object], wanted: Sequence[object]) -> set[int]:
    """The numbers of last lines that are the first of the wanted ones: all but 0."""
    fallback = _fallback(wanted)
    *_, matched = 0, *_matches(lines, wanted, fallback)
    found = set()
    while matched:
        found.add(matched)
        matched = fallback[matched - 1]
    return found


def _fallback(wanted: Sequence[object]) -> list[int]:
    """For each beginning of the wanted lines, how many of its last lines are its first ones, but not all."""
    fallback = [0]
    for matched in _matches(wanted[1:], wanted, fallback):
        fallback.append(matched)  # noqa: PERF402 - it is read meanwhile
    return fallback


def _matches(lines: Sequence[object], wanted: Sequence[object], fallback: Sequence[int]) -> Iterator[int]:
    """After each line, how many of the wanted ones end there."""
    matched = 0
    for line in lines:
        while matched and (matched == len(wanted) or line != wanted[matched]):
            matched = fallback[matched - 1]
        matched += matched < len(wanted) and line == wanted[matched]
        yield matched


def without_space(lines: Sequence[bytes]) -> list[bytes]:
    """Lines as they are compared if white space does not count."""
    return [_SPACES.sub(b"", line) for line in lines]
