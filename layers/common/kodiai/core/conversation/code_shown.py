"""The code that a thread is about: its diff hunk, and its file around the place."""

from collections.abc import Sequence

from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.conversation.room import LONGEST_LISTED, clipped, grown
from kodiai.core.words.markdown import fenced


def hunk_shown(hunk: str, room: int) -> str:
    """The end of a diff hunk: that is where the commented line is."""
    rows = [one_line(text) for text in hunk.rstrip("\n").split("\n")]

    def show(count: int, width: int) -> str:
        left_out = ["…"] if count < len(rows) else []
        return fenced("\n".join([*left_out, *(clipped(text, width) for text in rows[-count:])]), "diff")

    return grown(show, rows, room) if hunk.strip() else ""


def file_shown(path: str, rows: Sequence[str] | None, place: tuple[int, int] | None, room: int) -> str:
    """The lines of a file (None where it is gone) that are nearest to a place in it, 1-based, both ends included."""
    if not rows:
        text = "It is gone." if rows is None else "It is empty."
        return text if len(text) <= room else ""
    if place is None:
        return ""
    path, lines = clipped(path, LONGEST_LISTED), list(rows)
    first = min(max(place[0], 1), len(lines))
    last = min(max(place[1], first), len(lines))

    def show(count: int, width: int) -> str:
        start, end = _window(first, last, count, len(lines))
        shown = [clipped(text, width) for text in lines[start - 1 : end]]
        return fenced(show_lines(path, [*lines[: start - 1], *shown, *lines[end:]], start, end))

    return grown(show, lines, room)


def _window(first: int, last: int, count: int, total: int) -> tuple[int, int]:
    """So many lines of a file around those from `first` to `last`, as many above as below where there are."""
    around = count - (last - first + 1)
    if around <= 0:
        return first, first + count - 1
    above = min(first - 1, max((around + 1) // 2, around - (total - last)))
    return first - above, last + around - above
