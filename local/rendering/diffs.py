"""Diffs for people: rows with line numbers and highlighted code, and what changed within a line."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, zip_longest
from operator import attrgetter
from typing import Literal

from markupsafe import Markup

from kodiai.core.changes.patch import UnreadablePatch, parse_patch
from local.rendering.highlight import highlight_hunk
from local.rendering.visible import visible_line

_MOST_HIGHLIGHTED = 60_000  # characters of a patch; highlighting costs about a second for each 100,000
_MOST_PAIRED = 40  # removed lines in a row that are each compared with their added line
_MOST_COMPARED = 400  # characters of a line
_SIMILAR = 0.5  # the share of a line's words that must be the same for the other words to be marked
_PIECE = re.compile(r"<[^>]*>|&[^;]*;|\w+|[^<&\w]")

Side = Literal["LEFT", "RIGHT"]
LinePosition = tuple[Side, int | None]
"""The place of a comment in a diff: a side and a 1-based line number."""


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
    def place(self) -> LinePosition:
        """The place of a comment on this row: a removed line has only its old side."""
        return ("LEFT", self.old) if self.marker == "-" else ("RIGHT", self.new)

    def on(self, side: Side) -> int | None:
        """Its line number on a side, None where it has none."""
        return self.old if side == "LEFT" else self.new


@lru_cache(maxsize=1024)
def rows_of(path: str, patch: str) -> tuple[Row, ...]:
    """Read the hunks of one file into rows; none where they cannot be read.

    The path indicates the language. A very long patch is not highlighted.
    """
    try:
        return tuple(_rows(path if len(patch) <= _MOST_HIGHLIGHTED else "", patch))
    except UnreadablePatch:
        return ()


def places_of(rows: Sequence[Row]) -> Mapping[LinePosition, LinePosition]:
    """Give the row's own place for each place at which a comment can be: a line of context has two."""
    lines = [row for row in rows if row.marker != "@"]
    old: dict[LinePosition, LinePosition] = {("LEFT", row.old): row.place for row in lines if row.marker == " "}
    return old | {row.place: row.place for row in lines}


def pairs_of(rows: Sequence[Row]) -> Iterator[tuple[Row | None, Row | None]]:
    """Put rows side by side: the removed lines of a run next to the added ones; context and headers on both sides."""
    for removed, added in _runs(rows):
        yield from zip_longest(removed, added)


def _runs(rows: Iterable[Row]) -> Iterator[tuple[Sequence[Row], Sequence[Row]]]:
    """Divide rows into runs of removed lines with the added ones right after them; any other row is on both sides."""
    removed: Sequence[Row] = ()
    for marker, group in groupby(rows, attrgetter("marker")):
        same = list(group)
        if removed and marker != "+":
            yield removed, ()
        if marker == "+":
            yield removed, same
        elif marker != "-":
            yield same, same
        removed = same if marker == "-" else ()
    if removed:
        yield removed, ()


def _rows(path: str, patch: str) -> Iterator[Row]:
    for hunk in parse_patch(patch):
        old, new = hunk.counts
        header = f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@ {hunk.heading}"
        yield Row("@", None, None, Markup.escape(visible_line(header)))
        lines = zip(hunk.lines, highlight_hunk(path, hunk), strict=True)
        yield from _with_changes(Row(line.marker, line.old, line.new, html, line.ends_file) for line, html in lines)


def _with_changes(rows: Iterable[Row]) -> Iterator[Row]:
    """Mark what changed within removed and added lines that are similar, first with first in each run of them."""
    for removed, added in _runs(rows):
        if removed is added:
            yield from removed
            continue
        count = min(len(removed), len(added)) if len(removed) <= _MOST_PAIRED else 0
        pairs = [_changed(old, new) for old, new in zip(removed[:count], added, strict=False)]
        yield from (*(old for old, _ in pairs), *removed[count:], *(new for _, new in pairs), *added[count:])


def _changed(old: Row, new: Row) -> tuple[Row, Row]:
    """Mark the words in which two lines differ, unless they are too different, or too long."""
    before, after = _words(old.html), _words(new.html)
    if max(sum(map(len, side)) for side in (before, after)) > _MOST_COMPARED:
        return old, new
    was, now = ([word for word in side if not word.isspace()] for side in (before, after))
    similarity = SequenceMatcher(None, was, now, autojunk=False)
    if similarity.quick_ratio() < _SIMILAR or similarity.ratio() < _SIMILAR:
        return old, new
    steps = SequenceMatcher(str.isspace, before, after, autojunk=False).get_opcodes()
    steps = [step for step in steps if step[0] != "equal"]
    removed = {n for _, start, end, _, _ in steps for n in range(start, end)}
    added = {n for _, _, _, start, end in steps for n in range(start, end)}
    return replace(old, html=_mark(old.html, removed)), replace(new, html=_mark(new.html, added))


def _words(html: Markup) -> list[str]:
    """The words and signs of a line of HTML, without its tags."""
    return [piece for piece in _PIECE.findall(html) if piece[0] != "<"]


def _mark(html: Markup, changed: set[int]) -> Markup:
    """Wrap some words of a line, counted without its tags; no wrapper crosses a tag."""
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
