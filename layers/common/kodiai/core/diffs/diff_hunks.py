"""Reads the hunks of a diff."""

import re
from typing import Literal

from kodiai.core.diffs.diff_lines import DiffLines, UnreadableDiff
from kodiai.core.diffs.file_diff import HunkLine, TextHunk

RANGES = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
"""The header of a hunk: where its lines are on either side, and how many."""

_FEWEST_MARKER_BYTES = 12
_MOST_DIGITS = 9
_MARKERS: dict[bytes, Literal[" ", "+", "-"]] = {b" ": " ", b"+": "+", b"-": "-", b"\n": " "}


def read_hunk(lines: DiffLines, at: int, number: int) -> tuple[TextHunk, int]:
    """Read the hunk of this number from its header on, and say where the next line is. Raises UnreadableDiff."""
    ranges = RANGES.match(lines[at])
    if ranges is None or any(len(digits) > _MOST_DIGITS for digits in ranges.groups(b"")):
        raise UnreadableDiff("it is no header of a hunk as in “@@ -1,3 +1,4 @@”", at, number)
    old_left, new_left = int(ranges[2] or 1), int(ranges[4] or 1)
    body: list[HunkLine] = []
    at += 1
    while old_left or new_left:
        line = lines[at]
        marker = _MARKERS.get(line[:1])
        if line.startswith(b"\\ ") and len(line) >= _FEWEST_MARKER_BYTES and line.endswith(b"\n"):
            _end_file(body, at, number)
        elif marker is None or not line.endswith(b"\n"):
            raise UnreadableDiff(_why_corrupt(lines, at, old_left, new_left), at, number)
        else:
            body.append(HunkLine(marker, line[1:] if line != b"\n" else line))
            old_left, new_left = old_left - (marker != "+"), new_left - (marker != "-")
            if old_left < 0 or new_left < 0:
                raise UnreadableDiff("the hunk has more lines than its header counts", at, number)
        at += 1
    if lines.left(at) > _FEWEST_MARKER_BYTES and lines[at].startswith(b"\\ "):
        _end_file(body, at, number)
        at += 1
    if all(line.marker == " " for line in body):
        raise UnreadableDiff("the hunk changes nothing", at - 1, number)
    _check_ends(body, at - 1, number)
    return TextHunk(number, int(ranges[1]), int(ranges[3]), tuple(body)), at


def _why_corrupt(lines: DiffLines, at: int, old_left: int, new_left: int) -> str:
    counts = f"its header counts {old_left} more old and {new_left} more new lines"
    if at >= len(lines):
        return f"the diff ends within a hunk; {counts}"
    if not lines[at].endswith(b"\n"):
        return "the diff does not end with a newline"
    return f"the hunk is not complete: {counts}, and each begins with a space, “+” or “-”"


def _end_file(body: list[HunkLine], at: int, number: int) -> None:
    if not body:
        raise UnreadableDiff("an end of a file before any line", at, number)
    if body[-1].marker != "+" and body[-1].content == b"\n":
        raise UnreadableDiff("a file cannot end in an empty line without a newline", at, number)
    body[-1] = HunkLine(body[-1].marker, body[-1].content.removesuffix(b"\n"))


def _check_ends(body: list[HunkLine], at: int, number: int) -> None:
    """Check that only the last line of a side lacks its newline: git would join it with the next one."""
    for absent in ("+", "-"):
        side = [line.content for line in body if line.marker != absent]
        if not all(content.endswith(b"\n") for content in side[:-1]):
            raise UnreadableDiff("a file ends before the last line of the hunk", at, number)
