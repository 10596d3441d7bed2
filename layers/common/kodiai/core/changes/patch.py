"""Parses the patch of one file, as GitHub returns it, to hunks.

Format: https://git-scm.com/docs/diff-format#generate_patch_text_with_p, from the first `@@` on.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from kodiai.core.changes.long_lines import Cut, cuts

Marker = Literal[" ", "+", "-"]

_NUMBER = "([0-9]{1,9})"
_HEADER = re.compile(rf"@@ -{_NUMBER}(?:,{_NUMBER})? \+{_NUMBER}(?:,{_NUMBER})? @@ ?(.*)", re.DOTALL)
_MARKERS: dict[str, Marker] = {" ": " ", "+": "+", "-": "-", "": " "}


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a hunk.

    `old` and `new` are 1-based line numbers, None on the side that has no such line.
    `text` has no line end, but keeps a carriage return.
    `ends_file` is True where the file ends without a newline after this line.
    """

    marker: Marker
    old: int | None
    new: int | None
    text: str
    ends_file: bool = False


@dataclass(frozen=True)
class Hunk:
    """A run of changed lines with the context that git put around them."""

    old_start: int
    new_start: int
    heading: str
    lines: tuple[Line, ...]

    @cached_property
    def key(self) -> str:
        """A key of the change, whatever its place: 16 hex digits over its added and removed lines.

        Neither line numbers nor context count, so that a rebase leaves the key as it was.
        """
        changed = (
            f"{line.marker}{line.text}" + ("\n\\" if line.ends_file else "")
            for line in self.lines
            if line.marker != " "
        )
        return hashlib.sha256("\n".join(changed).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @property
    def patch(self) -> str:
        """The hunk as patch text, header first, as it was read."""
        old, new = self.counts
        rows = [f"@@ -{self.old_start},{old} +{self.new_start},{new} @@ {self.heading}".rstrip(" ")]
        for line in self.lines:
            rows.append(f"{line.marker}{line.text}")
            if line.ends_file:
                rows.append("\\ No newline at end of file")
        return "\n".join(rows)

    @cached_property
    def new_lines(self) -> range:
        """The new-side lines on which GitHub takes a comment, empty for a hunk that only removes a file."""
        numbers = [line.new for line in self.lines if line.new is not None]
        return range(numbers[0], numbers[-1] + 1) if numbers else range(0)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The numbers of lines that the hunk spans on the old and on the new side."""
        markers = [line.marker for line in self.lines]
        return len(markers) - markers.count("+"), len(markers) - markers.count("-")

    @cached_property
    def cuts(self) -> Mapping[int, Cut]:
        """The parts of its long lines that are shown, by their places from 0."""
        return cuts((line.marker, line.text) for line in self.lines)

    @property
    def begins(self) -> tuple[int, int]:
        """The lines of the old and of the new side at which it begins; git names the line before an empty side."""
        old_count, new_count = self.counts
        return self.old_start + (not old_count), self.new_start + (not new_count)

    @property
    def ends(self) -> tuple[int, int]:
        """The lines of both sides behind it."""
        (old, new), (old_count, new_count) = self.begins, self.counts
        return old + old_count, new + new_count

    def split(self, groups: Iterable[Sequence[Line]]) -> Iterator["Hunk"]:
        """Hunks of its lines, which the groups hold in their order."""
        old, new = self.begins
        for lines in groups:
            part = Hunk(old, new, self.heading, tuple(lines))
            old_count, new_count = part.counts
            yield replace(part, old_start=old - (not old_count), new_start=new - (not new_count))
            old, new = old + old_count, new + new_count


class UnreadablePatch(ValueError):
    """The text is not a patch, or its hunks do not have the lines that their headers count."""


def parse_patch(patch: str) -> tuple[Hunk, ...]:
    r"""Read the hunks of one file.

    Lines are split on "\n" only: a lone carriage return or a form feed is part of a line.
    Raises UnreadablePatch.
    """
    lines = iter(patch.removesuffix("\n").split("\n"))
    return tuple(_hunks(lines))


def _hunks(lines: Iterator[str]) -> Iterator[Hunk]:
    pending: str | None = next(lines)
    while pending is not None:
        header = _HEADER.fullmatch(pending)
        if header is None:
            raise UnreadablePatch(f"no hunk header: {pending[:80]!r}")
        old, old_count, new, new_count, heading = header.groups()
        body, pending = _body(lines, int(old_count or 1), int(new_count or 1), int(old), int(new))
        if not body:
            raise UnreadablePatch("a hunk without lines")
        yield Hunk(int(old), int(new), heading, body)


def _body(
    lines: Iterator[str], old_left: int, new_left: int, old: int, new: int
) -> tuple[tuple[Line, ...], str | None]:
    """Read the lines of one hunk, and the header of the next one."""
    body: list[Line] = []
    for text in lines:
        if text.startswith("\\"):
            if not body:
                raise UnreadablePatch("an end of file before any line")
            body[-1] = replace(body[-1], ends_file=True)
            continue
        if old_left == 0 and new_left == 0:
            return tuple(body), text
        marker = _MARKERS.get(text[:1])
        if marker is None:
            raise UnreadablePatch(f"neither context nor change: {text[:80]!r}")
        on_old, on_new = marker != "+", marker != "-"
        body.append(Line(marker, old if on_old else None, new if on_new else None, text[1:]))
        old, old_left = old + on_old, old_left - on_old
        new, new_left = new + on_new, new_left - on_new
        if old_left < 0 or new_left < 0:
            raise UnreadablePatch("a hunk with more lines than its header counts")
    if old_left > 0 or new_left > 0:
        raise UnreadablePatch("the patch ends in the middle of a hunk")
    return tuple(body), None


def without_spaces(code: str) -> str:
    """Code as it is compared: white space does not count."""
    return "".join(code.split())
