"""Where a hunk applies, by the rules of `git apply` without fuzz."""

import re
from collections.abc import Sequence

from kodiai.core.diffs.file_diff import TextHunk

# Most lines have moved a little, and to search all of a long file for each of many hunks takes long.
_DISTANCES = (50, 2_000, 2**40)
# To move what is behind a hunk takes that much less than to look at it.
_MOVED_AT_ONCE = 100
# Each takes some 120 bytes of memory.
_MOST_LINES = 1_000_000
_SPACES = re.compile(rb"\s+")


class TooMuchEffort(Exception):
    """The hunks of a diff are too many, too far from where they say, for files this long."""


class Effort:
    """How many lines may be looked at for a whole diff; a million take a good quarter of a second."""

    def __init__(self, lines: int) -> None:
        self._left = lines

    def spend(self, lines: int) -> None:
        """Raises TooMuchEffort."""
        self._left -= lines
        if self._left < 0:
            raise TooMuchEffort


class Image:
    """The lines of a file, in which hunks replace lines that no other hunk made. Raises TooMuchEffort."""

    def __init__(self, content: bytes, effort: Effort) -> None:
        self._effort = effort
        lines = content.count(b"\n")
        effort.spend(lines)
        if lines > _MOST_LINES:
            raise TooMuchEffort
        self._lines = lines_of(content)
        self._is_patched = [False] * len(self._lines)
        self._known = frozenset(self._lines)

    @property
    def content(self) -> bytes:
        """The file as it is now."""
        return b"".join(self._lines)

    def apply(self, hunk: TextHunk) -> bool:
        """Replace the hunk's old lines by its new ones where they are nearest to the place that it names.

        A hunk of the first line has to be at the beginning, one without context at its end at the end of the file.
        One that only adds lines has to be where it says. False, with nothing changed, if the lines are not there.
        """
        old, new = hunk.old, hunk.new
        at = self._place(hunk, old)
        if at is None:
            return False
        self._effort.spend(len(self._lines) // _MOVED_AT_ONCE)
        self._lines[at : at + len(old)] = new
        self._is_patched[at : at + len(old)] = [True] * len(new)
        return True

    def has(self, old: Sequence[bytes]) -> bool:
        """Whether a row of lines is somewhere where no hunk has been."""
        return self._nearest(0, old) is not None

    def _place(self, hunk: TextHunk, old: list[bytes]) -> int | None:
        last = len(self._lines) - len(old)
        wanted = max(hunk.new_start - 1, 0)
        if not old and self._lines and wanted != last:
            return None
        if hunk.old_start > 1 and not hunk.ends_with_change:
            return self._nearest(min(wanted, len(self._lines)), old)
        at = 0 if hunk.old_start <= 1 else last
        fits = at >= 0 and (at == last or not hunk.ends_with_change)
        return at if fits and self._is_at(at, old) else None

    def _nearest(self, wanted: int, old: Sequence[bytes]) -> int | None:
        """The nearest place of lines; of two that are equally far away the later one, as git takes it."""
        if not self._known.issuperset(old):
            return None
        for distance in _DISTANCES:
            start = max(wanted - distance, 0)
            window = self._lines[start : wanted + distance + len(old)]
            self._effort.spend(len(window))
            places = [start + at for at in occurrences(window, old) if self._is_at(start + at, old)]
            nearest = min(places, key=lambda at: (abs(at - wanted), at < wanted), default=None)
            if nearest is not None and abs(nearest - wanted) <= distance:
                return nearest
            if len(window) == len(self._lines):
                break
        return None

    def _is_at(self, at: int, old: Sequence[bytes]) -> bool:
        end = at + len(old)
        return self._lines[at:end] == old and not any(self._is_patched[at:end])


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a file, each with its newline; only the last may have none."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def occurrences(lines: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """Where a row of lines is within others: the index of each first line. Takes linear time (Knuth, Morris, Pratt)."""
    if not wanted:
        return list(range(len(lines) + 1))
    if not set(lines).issuperset(wanted):
        return []
    fallback = [0] * len(wanted)
    matched = 0
    for index in range(1, len(wanted)):
        while matched and wanted[index] != wanted[matched]:
            matched = fallback[matched - 1]
        matched += wanted[index] == wanted[matched]
        fallback[index] = matched
    found, matched = [], 0
    for index, line in enumerate(lines):
        while matched and (matched == len(wanted) or line != wanted[matched]):
            matched = fallback[matched - 1]
        matched += line == wanted[matched]
        if matched == len(wanted):
            found.append(index - matched + 1)
    return found


def without_space(lines: Sequence[bytes]) -> list[bytes]:
    """Lines as they are compared if white space does not count."""
    return [_SPACES.sub(b"", line) for line in lines]
