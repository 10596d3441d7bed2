"""Ranges of files as the model reads them: many in one answer, which share its room."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from kodiai.core.changes.long_lines import LONGEST
from kodiai.core.changes.show import show_lines
from kodiai.core.text.character_budget import shares

MOST_LINES = 800
_MOST_CHARACTERS = 60_000
# Of the title and the note on a cut, besides the path, which both have.
_TITLE_CHARACTERS = 100
_NUMBER_CHARACTERS = 12
_CUT_CHARACTERS = 60


@dataclass(frozen=True)
class FileRange:
    """The lines of a file that are to be shown, 1-based, both included, but no more than `most` of them."""

    path: str
    lines: list[str]
    start: int
    end: int
    most: int = MOST_LINES

    @property
    def count(self) -> int:
        """The number of lines to show."""
        return min(self.end - self.start + 1, self.most)

    def sizes(self, count: int) -> list[int]:
        """The characters that the first one line takes, the first two, and so on, up to this number of lines."""
        rows = self.lines[self.start - 1 : self.start - 1 + count]
        return list(accumulate(min(len(row), LONGEST + _CUT_CHARACTERS) + _NUMBER_CHARACTERS for row in rows))

    def show(self, count: int) -> str:
        """Show this number of the lines, and say where to go on."""
        last = self.start + count - 1
        cut = f"\n(cut: go on with start_line {last + 1} of {json.dumps(self.path)})" if last < self.end else ""
        return show_lines(self.path, self.lines, self.start, last) + cut


def show_ranges(ranges: Sequence[FileRange]) -> list[str]:
    """Show each range, all of them in at most 800 lines and 60,000 characters; what one leaves goes to the others."""
    sizes = [
        each.sizes(count)
        for each, count in zip(ranges, shares(MOST_LINES, [each.count for each in ranges]), strict=True)
    ]
    titles = sum(_TITLE_CHARACTERS + 2 * len(json.dumps(each.path)) for each in ranges)
    rooms = shares(_MOST_CHARACTERS - titles, [each[-1] if each else 0 for each in sizes])
    return [each.show(sum(size <= room for size in own)) for each, own, room in zip(ranges, sizes, rooms, strict=True)]
