"""Lines inside a patch: which ones a comment can sit on, and where a line went in a later commit."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Side = Literal["LEFT", "RIGHT"]
HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
"""A hunk's header: the old side's first line and how many, the new side's first line and how many."""


@dataclass(frozen=True)
class PatchLine:
    """One line of a patch. `position` counts from the first hunk header, which is 0, as GitHub does."""

    text: str
    hunk: int
    position: int
    left: int | None
    right: int | None


def read_lines(patch: str) -> Iterator[PatchLine]:
    """Every line of a side, in order; headers and end-of-file notes are only counted."""
    hunk, left, right = -1, 0, 0
    for position, text in enumerate(patch.split("\n")):
        header = HEADER.match(text)
        if header:
            hunk, left, right = hunk + 1, int(header[1]), int(header[3])
            continue
        on_left, on_right = text[:1] in " -", text[:1] in " +"
        if on_left or on_right:
            yield PatchLine(text, hunk, position, left if on_left else None, right if on_right else None)
            left, right = left + on_left, right + on_right


def find_line(patch: str, side: Side, number: int) -> PatchLine | None:
    """The patch's line of that number on that side, None where the patch does not show it.

    A context line belongs to both sides; a removed one only to LEFT, an added one only to RIGHT.
    """
    if not patch:
        return None
    return next((x for x in read_lines(patch) if (x.right if side == "RIGHT" else x.left) == number), None)


def hunk_up_to(patch: str, line: PatchLine) -> str:
    """The hunk that a comment shows: its header and every line up to the commented one."""
    lines = patch.split("\n")
    start = max(i for i in range(line.position + 1) if HEADER.match(lines[i]))
    return "\n".join(lines[start : line.position + 1])


def follow_line(patch: str, number: int) -> int | None:
    """Return the number of an old line after a patch with any amount of context, None if it is removed."""
    shift = 0
    for text in _headers_or_lines(patch):
        if isinstance(text, PatchLine):
            if text.left == number and text.right is not None:
                return text.right
            if text.left == number:
                return None
            continue
        old, old_count, new, new_count = text
        if number < old + (old_count == 0):
            return number + shift
        shift = (new + new_count + (new_count == 0)) - (old + old_count + (old_count == 0))
    return number + shift


def _headers_or_lines(patch: str) -> Iterator[PatchLine | tuple[int, int, int, int]]:
    lines = {line.position: line for line in read_lines(patch)} if patch else {}
    for position, text in enumerate(patch.split("\n")):
        header = HEADER.match(text)
        if header:
            yield int(header[1]), int(header[2] or 1), int(header[3]), int(header[4] or 1)
        elif position in lines:
            yield lines[position]
