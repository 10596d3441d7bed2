"""Diffs as the pages show them: rows with line numbers, coloured code, and what changed within a line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from markupsafe import Markup

from kodiai.core.changes.hunk import Hunk
from kodiai.core.changes.patch import UnreadablePatch, parse_patch
from local.github.hunks import HEADER, Side
from local.rendering.code import coloured_hunk

_MOST_COLOURED = 60_000  # characters of a patch; colours cost about a second for each 100,000
_MOST_PAIRED = 40  # removed lines in a row, of which each is held against its added line
_MOST_COMPARED = 400  # characters of a line
_ALIKE = 0.5  # the share of a line's words that has to be as it was, for the rest to be marked
_PIECE = re.compile(r"<[^>]*>|&[^;]*;|\w+|[^<&\w]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a diff: a line, or with the marker "@" the header of a hunk.

    `old` and `new` are 1-based line numbers, None on the side that has no such line.
    """

    marker: Literal["@", " ", "+", "-"]
    old: int | None
    new: int | None
    html: Markup
    ends_file: bool = False

    @property
    def kind(self) -> str:
        """Its class in the style sheet."""
        return {"+": "add", "-": "del", " ": "same", "@": "hunk"}[self.marker]

    @property
    def place(self) -> tuple[Side, int | None]:
        """Where a comment on this row is put: a removed line has only its old side."""
        return ("LEFT", self.old) if self.marker == "-" else ("RIGHT", self.new)


Pair = tuple[Row | None, Row | None]
"""What stands side by side: an old row and a new one, a row of context or a header twice."""


@lru_cache(maxsize=1024)
def rows_of(path: str, patch: str) -> tuple[Row, ...]:
    """Read the hunks of one file, or a piece of a hunk with its header, into rows.

    A line's language is told by the file's path. A very long patch is not coloured.
    """
    return tuple(_rows(path if len(patch) <= _MOST_COLOURED else "", patch))


def pairs_of(rows: Sequence[Row]) -> Iterator[Pair]:
    """Put rows side by side: the first removed line of a run beside the first added one, and so on."""
    index = 0
    while index < len(rows):
        removed, added = _run(rows, index)
        yield from zip_longest(removed, added)
        index += len(removed) + len(added)
        if not removed and not added:
            yield rows[index], rows[index]
            index += 1


def _run(rows: Sequence[Row], start: int) -> tuple[Sequence[Row], Sequence[Row]]:
    """The removed lines that begin at a row, and the added ones right after them."""
    middle = end = start
    while end < len(rows) and rows[end].marker == "-":
        middle = end = end + 1
    while end < len(rows) and rows[end].marker == "+":
        end += 1
    return rows[start:middle], rows[middle:end]


def _rows(path: str, patch: str) -> Iterator[Row]:
    for hunk in _read(patch):
        old, new = hunk.counts
        header = f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@ {hunk.heading}"
        yield Row("@", None, None, Markup.escape(header))
        lines = zip(hunk.lines, coloured_hunk(path, hunk), strict=True)
        yield from _with_changes([Row(line.marker, line.old, line.new, html, line.ends_file) for line, html in lines])


def _read(patch: str) -> Sequence[Hunk]:
    """Read a patch; the hunk above a comment ends at its line, whatever its header counts."""
    try:
        return parse_patch(patch)
    except UnreadablePatch:
        found = HEADER.match(patch)
        if found is None:
            return ()
        header, *body = patch.split("\n")
        old, new = (sum(line[:1] in sides for line in body) for sides in (" -", " +"))
        heading = header[found.end() :]
        try:
            return parse_patch("\n".join([f"@@ -{found[1]},{old} +{found[3]},{new} @@{heading}", *body]))
        except UnreadablePatch:
            return ()


def _with_changes(rows: list[Row]) -> list[Row]:
    """Mark what changed within removed and added lines that are alike, first with first in each run of them."""
    made = list(rows)
    index = 0
    while index < len(rows):
        removed, added = _run(rows, index)
        if len(removed) <= _MOST_PAIRED:
            for offset, (old, new) in enumerate(zip(removed, added, strict=False)):
                marked = _changed(old.html, new.html)
                if marked:
                    made[index + offset] = replace(old, html=marked[0])
                    made[index + len(removed) + offset] = replace(new, html=marked[1])
        index += len(removed) + len(added) or 1
    return made


def _changed(old: Markup, new: Markup) -> tuple[Markup, Markup] | None:
    """Mark the words in which two lines of HTML differ; None where they are too different, or too long."""
    before, after = _pieces(old), _pieces(new)
    if max(sum(map(len, side)) for side in (before, after)) > _MOST_COMPARED:
        return None
    was, now = ([piece for piece in side if not piece.isspace()] for side in (before, after))
    alike = SequenceMatcher(None, was, now, autojunk=False)
    if alike.quick_ratio() < _ALIKE or alike.ratio() < _ALIKE:
        return None
    steps = SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes()
    steps = [step for step in steps if step[0] != "equal"]
    gone = {n for _, start, end, _, _ in steps for n in range(start, end)}
    come = {n for _, _, _, start, end in steps for n in range(start, end)}
    return _mark(old, gone), _mark(new, come)


def _pieces(html: Markup) -> list[str]:
    """The words and signs of a line of HTML, without its tags."""
    return [piece for piece in _PIECE.findall(html) if piece[0] != "<"]


def _mark(html: Markup, changed: set[int]) -> Markup:
    """Wrap some pieces of a line, counted without its tags; no wrapper crosses a tag."""
    made: list[str] = []
    number, inside = 0, False
    for piece in _PIECE.findall(html):
        is_tag = piece[0] == "<"
        if (not is_tag and number in changed) != inside:
            made.append("</b>" if inside else "<b>")
            inside = not inside
        made.append(piece)
        number += not is_tag
    return Markup("".join(made) + "</b>" * inside)  # noqa: S704 - pieces of what was escaped before
