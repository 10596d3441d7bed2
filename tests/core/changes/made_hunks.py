"""Hunks made line by line, so that tests need no patch text, and files that consist of them."""

from collections.abc import Iterable, Sequence

from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line, Marker
from tests.builders import a_file

Row = tuple[Marker, str, bool]
"""A line's marker, its text, and whether the file ends after it without a newline."""


def a_hunk(rows: Iterable[Row], start: int = 1, heading: str = "") -> Hunk:
    """A hunk with these lines, numbered from `start` on either side."""
    old = new = start
    lines = []
    for marker, text, ends_file in rows:
        on_old, on_new = marker != "+", marker != "-"
        lines.append(Line(marker, old if on_old else None, new if on_new else None, text, ends_file))
        old, new = old + on_old, new + on_new
    return Hunk(start, start, heading, tuple(lines))


def of_hunks(path: str, hunks: Sequence[Hunk]) -> ChangedFile:
    """A file whose patch has these hunks."""
    return a_file(path, patch="\n".join(hunk.patch for hunk in hunks) or None, blob=f"blob of {path}")


_TEXT = st.text(alphabet="ab+-@\\\0\r\x0c\u2028ж🙂 ", max_size=4)
_HEADING = st.sampled_from(["", "def f():", " two spaces", "@@ -1 +1 @@", "ж 漢字"])
ROWS = st.lists(st.tuples(st.sampled_from([" ", "+", "-"]), _TEXT, st.booleans()), min_size=1, max_size=5)
HUNKS = st.builds(a_hunk, ROWS, st.integers(1, 9_000), _HEADING)
