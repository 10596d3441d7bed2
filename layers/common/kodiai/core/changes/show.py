"""How changes and files are shown to the model, and how a change that is too large for one conversation is cut.

Lines are numbered, so that the model can name them and nothing in them can pose as a label.
"""

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.tokens import estimated_tokens

T = TypeVar("T")

_BREAKS = re.compile("\r(?!\\Z)|[\x85\u2028\u2029]")
_ROW = " 123456 | "
_HEADER_TOKENS = estimated_tokens("@@ -1234567,123456 +1234567,123456 @@\n")


def show_file(file: ChangedFile) -> str:
    """Show one file's hunks with the new side's line numbers.

    Each line of code follows a marker and a number, so that no text in it can end the block.
    Other characters that end lines are shown as spaces.
    """
    origin = f" from {json.dumps(file.previous_path)}" if file.previous_path else ""
    encoding = f", in {file.encoding}" if file.encoding else ""
    title = f"### FILE {json.dumps(file.path)} {file.status}{origin}{encoding}"
    if file.shown is not None:
        return f"{title}\n{file.shown}\n"
    return "\n".join([title, *(_show_hunk(hunk) for hunk in file.hunks)]) + "\n"


def _show_hunk(hunk: Hunk) -> str:
    old, new = hunk.counts
    rows = [f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"]
    rows += [f"{line.marker}{line.new or '':>6} | {one_line(line.text)}" for line in hunk.lines]
    return "\n".join(rows)


def show_lines(path: str, lines: list[str], start: int, end: int, added: Container[int] | None = None) -> str:
    """Show the lines `start` to `end` (1-based, both included) of a file, numbered.

    With `added`, line numbers, each line has its marker: "+" for those, " " for others.
    """
    title = f"FILE {json.dumps(path)} lines {start}-{end} of {len(lines)}"
    rows = (f"{number:>6} | {one_line(lines[number - 1])}" for number in range(start, end + 1))
    if added is not None:
        rows = (f"{'+' if number in added else ' '}{row}" for number, row in enumerate(rows, start))
    return "\n".join([title, *rows])


def one_line(text: str) -> str:
    """Keep a line of code on one line: only a carriage return at its very end is left as it is."""
    has_breaks = "\r" in text or not text.isascii()
    return _BREAKS.sub(" ", text) if has_breaks else text


def token_size(file: ChangedFile) -> int:
    """How many tokens the file takes in a batch, the blank line before the next one included."""
    return estimated_tokens(show_file(file) + "\n")


def pieces(file: ChangedFile, tokens: int) -> tuple[ChangedFile, ...]:
    """Cut a file into parts of at most so many tokens, in order; a file that fits is its only piece.

    Each piece has some of the hunks, or of the lines of one, with their line numbers. There are none where a single
    line takes more.
    """
    if token_size(file) <= tokens:
        return (file,)
    room = tokens - token_size(file.with_hunks(()))
    cut = [part for hunk in file.hunks for part in _parts(hunk, room)]
    if any(_hunk_size(part) > room for part in cut):
        return ()
    return tuple(file.with_hunks(group) for group in packed(cut, _hunk_size, room))


def packed(items: Iterable[T], size: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """Group items in their order, as many as fit into the room; a larger item has a group of its own."""
    group: list[T] = []
    left = room
    for item in items:
        needed = size(item)
        if group and needed > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= needed
    if group:
        yield group


def _parts(hunk: Hunk, room: int) -> Iterator[Hunk]:
    """Cut a hunk at its lines, as late as possible; a part that is a single line may be larger than the room."""
    return hunk.split(packed(hunk.lines, _line_size, room - _HEADER_TOKENS))


def _hunk_size(hunk: Hunk) -> int:
    return _HEADER_TOKENS + sum(map(_line_size, hunk.lines))


def _line_size(line: Line) -> int:
    return estimated_tokens(f"{_ROW}{one_line(line.text)}\n")
