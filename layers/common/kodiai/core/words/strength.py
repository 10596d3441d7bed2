"""A strength of the change, in one sentence with a link to the line that shows it."""

import re
from collections.abc import Callable

from kodiai.core.text import markdown
from kodiai.core.text.layout import short_text
from kodiai.core.words.links import Links

_PLACE = re.compile(
    r"`?(?<![\w@+./-])(?P<path>[\w@+./-]*\w):(?P<start>[1-9][0-9]{0,6})(?:-(?P<end>[1-9][0-9]{0,6}))?`?"
)
_MOST_WORDS = 20


def strength(text: str, has_line: Callable[[str, int], bool], links: Links) -> str | None:
    """Link the first place in a sentence that exists, such as "src/app.py:12"; None where none of its places does."""
    text = short_text(" ".join(text.split()), _MOST_WORDS)
    for found in _PLACE.finditer(text):
        path, start = found["path"], int(found["start"])
        end = max(start, int(found["end"] or start))
        if has_line(path, end):
            place = f"{markdown.path(path)} ({start}-{end})" if end > start else f"{markdown.path(path)} ({start})"
            href = links.code(path, start, end)
            linked = f"[{place}]({href})" if href else place
            return f"{_line(text[: found.start()])}{linked}{_line(text[found.end() :])}"
    return None


def _line(text: str) -> str:
    """A piece of a line with the spaces at its ends."""
    before = " " if text[:1].isspace() else ""
    after = " " if text.strip() and text[-1:].isspace() else ""
    return f"{before}{markdown.line(text)}{after}"
