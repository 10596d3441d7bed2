"""The changes that a request shows, read back from their numbered form.

Each line of code in it stands behind a marker and a number, so that nothing in the code can pose as a label.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

_FILE = re.compile(r'### FILE ("(?:[^"\\]|\\.)*") ([a-z]+)(?: from ("(?:[^"\\]|\\.)*"))?\r?')
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*")
_LEFT_OUT = re.compile(r"\(left out of what changed: .*\)|[ +-] {7}… [\d,]+ characters left out … .*", re.DOTALL)
_ROW = re.compile(r"([ +-])(?: *(\d+)| {6}) \| ?(.*)", re.DOTALL)


@dataclass(frozen=True)
class ChangedLine:
    """One shown line: its marker, its 1-based line on the new side (None for a removed one), its text."""

    marker: str
    number: int | None
    text: str


@dataclass
class Change:
    """One changed file with its shown rows, hunk by hunk: (first line on the new side, rows)."""

    path: str
    status: str
    previous: str | None = None
    hunks: list[tuple[int, list[ChangedLine]]] = field(default_factory=list)

    @cached_property
    def added(self) -> dict[int, str]:
        """The added lines by their number."""
        rows = (row for _, rows in self.hunks for row in rows if row.marker == "+")
        return {row.number: row.text for row in rows if row.number is not None}

    @cached_property
    def removed(self) -> list[str]:
        """The removed lines."""
        return [row.text for _, rows in self.hunks for row in rows if row.marker == "-"]

    @property
    def as_diff(self) -> str:
        """The shown hunks as a diff."""
        rows = ((first, [f"{row.marker}{row.text}" for row in shown]) for first, shown in self.hunks)
        return "\n".join(line for first, lines in rows for line in (f"@@ -{first} +{first} @@", *lines))

    @property
    def is_text_at_head(self) -> bool:
        """Whether the head has the file, with lines that the change shows."""
        return self.status != "removed" and bool(self.hunks)

    def before(self, lines: Sequence[str]) -> list[str]:
        """Undo the shown hunks on the head's lines: the file as it was."""
        old: list[str] = []
        at = 0
        for first, rows in self.hunks:
            shown = sum(1 for row in rows if row.marker != "-")
            start = first - 1 if shown else first
            old += [*lines[at:start], *(row.text for row in rows if row.marker != "+")]
            at = start + shown
        return [*old, *lines[at:]]


def read_changes(text: str) -> list[Change]:
    """Read every file block of a text; whatever is between blocks is skipped."""
    found: dict[str, Change] = {}
    for change in _blocks(text):
        if change.path in found:
            found[change.path].hunks += change.hunks
        else:
            found[change.path] = change
    return list(found.values())


def _blocks(text: str) -> Iterator[Change]:
    current: Change | None = None
    for line in text.split("\n"):
        if title := _FILE.fullmatch(line):
            if current:
                yield current
            path, status, previous = title.groups()
            current = Change(json.loads(path), status, json.loads(previous) if previous else None)
        elif current and (hunk := _HUNK.fullmatch(line)):
            current.hunks.append((int(hunk[1]), []))
        elif current and current.hunks and (row := _ROW.fullmatch(line)):
            marker, number, code = row.groups()
            current.hunks[-1][1].append(ChangedLine(marker, int(number) if number else None, code))
        elif current and current.hunks and not _LEFT_OUT.fullmatch(line):
            yield current
            current = None
    if current:
        yield current
