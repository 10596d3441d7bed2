"""The code that a thread is about: its diff hunk, and its file around the place."""

from collections.abc import Sequence

from kodiai.core.changes.show import one_line, show_lines
from kodiai.core.conversation.room import LONGEST_LISTED, clipped, most
from kodiai.core.words.markdown import fenced


def hunk_shown(hunk: str, room: int) -> str:
    """The end of a diff hunk: that is where the commented line is."""
    lines = [one_line(text) for text in hunk.rstrip("\n").split("\n")]

    def show(rows: Sequence[str], count: int) -> str:
        left_out = ["…"] if count < len(rows) else []
        return fenced("\n".join([*left_out, *rows[-count:]]), "diff")

    return most(show, lines, room) if hunk.strip() else ""


def file_shown(path: str, lines: Sequence[str] | None, place: tuple[int, int] | None, room: int) -> str:
    """The lines of a file (None where it is gone) that are nearest to a place in it, 1-based, both ends included."""
    if not lines:
        text = "It is gone." if lines is None else "It is empty."
        return text if len(text) <= room else ""
    if place is None:
        return ""
    name = clipped(path, LONGEST_LISTED)
    first = min(max(place[0], 1), len(lines))
    last = min(max(place[1], first), len(lines))

    def show(rows: Sequence[str], count: int) -> str:
        return fenced(show_lines(name, list(rows), *_window(first, last, count, len(rows))))

    return most(show, lines, room)


def _window(first: int, last: int, count: int, total: int) -> tuple[int, int]:
    """So many lines of a file around those from `first` to `last`, as many above as below where there are."""
    around = count - (last - first + 1)
    if around <= 0:
        return first, first + count - 1
    above = min(first - 1, max((around + 1) // 2, around - (total - last)))
    return first - above, last + around - above
