"""A strength of the change, in one sentence with the line that shows it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.findings.ruling import short_text
from kodiai.core.words import markdown
from kodiai.core.words.links import Links

_PLACE = re.compile(r"`?(?P<path>[\w@+./-]*\w):(?P<start>[1-9][0-9]{0,6})(?:-(?P<end>[1-9][0-9]{0,6}))?`?")
_MOST_WORDS = 30


@dataclass(frozen=True)
class Strength:
    """What is said `before` and `after` the place; lines are 1-based, both included."""

    before: str
    path: str
    start: int
    end: int
    after: str

    def markdown(self, links: Links) -> str:
        """It on one line, with the place linked."""
        lines = f"{self.start}-{self.end}" if self.end > self.start else str(self.start)
        place = f"{markdown.path(self.path)} ({lines})"
        href = links.code(self.path, self.start, self.end)
        linked = f"[{place}]({href})" if href else place
        return f"{_line(self.before)}{linked}{_line(self.after)}"


def strength(text: str, has_line: Callable[[str, int], bool]) -> Strength | None:
    """Read a sentence with a place in it, such as "src/app.py:12"; None where none of its places is there."""
    text = short_text(" ".join(text.split()), _MOST_WORDS)
    for found in _PLACE.finditer(text):
        start = int(found["start"])
        end = max(start, int(found["end"] or start))
        if has_line(found["path"], end):
            return Strength(text[: found.start()], found["path"], start, end, text[found.end() :])
    return None


def _line(text: str) -> str:
    """A piece of a line with the spaces at its ends."""
    before = " " if text[:1].isspace() else ""
    after = " " if text.strip() and text[-1:].isspace() else ""
    return f"{before}{markdown.line(text)}{after}"
