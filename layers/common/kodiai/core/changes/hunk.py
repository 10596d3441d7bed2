"""Hunks: the pieces of a patch, and what makes two of them the same change."""

import hashlib
from dataclasses import dataclass
from typing import Literal

Marker = Literal[" ", "+", "-"]


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


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with the context that git put around them."""

    old_start: int
    new_start: int
    heading: str
    lines: tuple[Line, ...]

    @property
    def key(self) -> str:
        """What the hunk changes, whatever its place: 16 hex digits over its added and removed lines.

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

    @property
    def new_lines(self) -> range:
        """The new-side lines on which GitHub takes a comment, empty for a hunk that only removes a file."""
        numbers = [line.new for line in self.lines if line.new is not None]
        return range(numbers[0], numbers[-1] + 1) if numbers else range(0)

    @property
    def counts(self) -> tuple[int, int]:
        """How many lines the hunk spans on the old and on the new side."""
        old = sum(1 for line in self.lines if line.marker != "+")
        return old, sum(1 for line in self.lines if line.marker != "-")


def squeezed(code: str) -> str:
    """Code as it is compared: white space does not count."""
    return "".join(code.split())
