"""Where a hunk applies, by the rules of `git apply` without fuzz."""

import re
from collections.abc import Sequence

from kodiai.core.proposals.diff import TextHunk

_SPACES = re.compile(rb"\s+")


class Image:
    """The lines of a file, in which hunks replace lines that no other hunk made."""

    def __init__(self, content: bytes) -> None:
        self.lines = lines_of(content)
        self._is_patched = [False] * len(self.lines)

    @property
    def content(self) -> bytes:
        """The file as it is now."""
        return b"".join(self.lines)

    def apply(self, hunk: TextHunk) -> bool:
        """Replace the hunk's old lines by its new ones where they are nearest to the place that it names.

        A hunk of the first line has to be at the beginning, one without context at its end at the end of the file.
        False, with nothing changed, if the lines are not there.
        """
        old, new = hunk.old, hunk.new
        at = self._place(hunk, old)
        if at is None:
            return False
        self.lines[at : at + len(old)] = new
        self._is_patched[at : at + len(old)] = [True] * len(new)
        return True

    def overlaps(self, at: int, count: int) -> bool:
        """Whether an earlier hunk made one of these lines."""
        return any(self._is_patched[at : at + count])

    def _place(self, hunk: TextHunk, old: list[bytes]) -> int | None:
        last = len(self.lines) - len(old)
        if hunk.old_start <= 1:
            places = [0] if not hunk.ends_with_change or last == 0 else []
        elif hunk.ends_with_change:
            places = [last] if last >= 0 else []
        else:
            return self._nearest(max(hunk.new_start - 1, 0), old)
        return next((at for at in places if self._is_at(at, old)), None)

    def _nearest(self, wanted: int, old: list[bytes]) -> int | None:
        wanted = min(wanted, len(self.lines))
        if self._is_at(wanted, old):
            return wanted
        places = (at for at in occurrences(self.lines, old) if not self.overlaps(at, len(old)))
        # Of two that are equally far away, git takes the later one.
        return min(places, key=lambda at: (abs(at - wanted), at < wanted), default=None)

    def _is_at(self, at: int, old: list[bytes]) -> bool:
        return self.lines[at : at + len(old)] == old and not self.overlaps(at, len(old))


def lines_of(content: bytes) -> list[bytes]:
    """The lines of a file, each with its newline; only the last may have none."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def occurrences(lines: Sequence[bytes], wanted: Sequence[bytes]) -> list[int]:
    """Where a row of lines is within others: the index of each first line. Takes linear time (Knuth, Morris, Pratt)."""
    if not wanted:
        return list(range(len(lines) + 1))
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
