"""The form in which the model sees changes and files; a change that is too large for one conversation is cut.

Lines are numbered, so that the model can name them and nothing in them can pose as a label.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.kinds import is_sensitive
from kodiai.core.changes.long_lines import LONGEST, Cut, cut
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.text.tokens import estimated_tokens

T = TypeVar("T")

_BREAKS = re.compile("\r(?!\\Z)|[\x85\u2028\u2029]")
_ROW = " 123456 | "
_FEW_MOVES = 5
_GAP_TOKENS = 400  # for each that there may be in a long line
_MOST_BROKEN = 20
_LONGEST_LINE = 300
_HEADER_TOKENS = estimated_tokens("@@ -1234567,123456 +1234567,123456 @@\n")


def show_files(files: Sequence[ChangedFile]) -> list[str]:
    """Show files; many that were only moved, from one folder to another, by the folders and how many they are."""
    moves = Counter(map(_move, files))
    return [
        *(
            f"### {count} FILES below {json.dumps(move[1])} renamed from {json.dumps(move[0])} without a change\n"
            for move, count in moves.items()
            if move is not None and count > _FEW_MOVES
        ),
        *(show_file(file) for file in files if (move := _move(file)) is None or moves[move] <= _FEW_MOVES),
    ]


def _move(file: ChangedFile) -> tuple[str, str] | None:
    """From which folder to which a file was moved, the ends that both paths share left out.

    None if that is not all that is shown of it: a file may become a sensitive one, such as a workflow, by its place.
    """
    before = file.previous_path or ""
    if not file.is_only_moved or is_sensitive(file.path) > is_sensitive(before):
        return None
    was, now = before.split("/"), file.path.split("/")
    while was and now and was[-1] == now[-1]:
        was, now = was[:-1], now[:-1]
    return "/".join([*was, ""]), "/".join([*now, ""])


def show_file(file: ChangedFile) -> str:
    """Show one file's hunks with the new side's line numbers, below the references that resolve no more.

    Each line of code follows a marker and a number, so that no text in it can end the block. What is left out of a
    long line begins a row without a number. Other characters that end lines are shown as spaces.
    """
    origin = f" from {json.dumps(file.previous_path)}" if file.previous_path else ""
    encoding = f", in {file.encoding}" if file.encoding else ""
    title = f"### FILE {json.dumps(file.path)} {file.status}{origin}{encoding}"
    hidden = [f"(not visible on GitHub: {file.hidden})"] if file.hidden else []
    rows = [
        title,
        *hidden,
        *_broken_rows(file),
        *([f"(left out of what changed: {file.left_out})"] if file.left_out else []),
    ]
    if file.shown is None:
        rows += [_show_hunk(hunk, "" if file.left_out is None else hunk.heading) for hunk in file.hunks]
    else:
        rows.append(file.shown)
    return "\n".join(rows) + "\n"


def _broken_rows(file: ChangedFile) -> Iterator[str]:
    """Each line with references that resolve no more, and what they are."""
    shown = ("", 0)
    for each in file.broken[:_MOST_BROKEN]:
        if each.path not in (file.path, shown[0]):
            yield f"in another file, {json.dumps(each.path)}:"
        if shown != (shown := (each.path, each.line)):
            yield f"{each.line:>7} | {one_line(each.code)[:_LONGEST_LINE]}"
        yield f"names nothing any more: {each.shown}"
    if (more := len(file.broken) - _MOST_BROKEN) > 0:
        yield f"and {more} more references resolve no more"


def _show_hunk(hunk: Hunk, heading: str) -> str:
    """Show a hunk; its heading is code, unless it is the name of a cell."""
    old, new = hunk.counts
    rows = [f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@ {heading}".rstrip()]
    rows += [_row(line, hunk.cuts.get(at)) for at, line in enumerate(hunk.lines)]
    return "\n".join(rows)


def _row(line: Line, cut: Cut | None) -> str:
    row, text = f"{line.marker}{line.new or '':>6} | ", one_line(line.text)
    return cut.rows(text, row, f"{line.marker}{'':>7}") if cut else row + text


def show_lines(path: str, lines: list[str], start: int, end: int) -> str:
    """Show the lines `start` to `end` (1-based, both included) of a file, numbered."""
    title = f"FILE {json.dumps(path)} lines {start}-{end} of {len(lines)}"
    rows = [title]
    for number in range(start, end + 1):
        text = one_line(lines[number - 1])
        rows.append(cut(text).rows(text, f"{number:>6} | ", " " * 7))
    return "\n".join(rows)


def one_line(text: str) -> str:
    """Keep a line of code on one line: only a carriage return at its very end is left as it is."""
    has_breaks = "\r" in text or not text.isascii()
    return _BREAKS.sub(" ", text) if has_breaks else text


def longest_in_part(file: ChangedFile) -> int:
    """The length of the longest line of which something that changed is not shown, 0 if there is none."""
    if file.shown is not None:
        return 0
    cuts = ((hunk.lines[at], cut) for hunk in file.hunks for at, cut in hunk.cuts.items())
    return max((len(line.text) for line, cut in cuts if cut.hides and line.marker == "+"), default=0)


def token_size(file: ChangedFile) -> int:
    """The tokens that the file takes in a batch, the blank line before the next one included."""
    return estimated_tokens(show_file(file) + "\n")


def pieces(file: ChangedFile, tokens: int) -> tuple[ChangedFile, ...]:
    """Cut a file into parts of at most this number of tokens, in order; a file that fits is its only piece.

    Each piece has some of the hunks, or of the lines of one, with their line numbers, or of the rows in their place.
    There are none where what is shown of a single line takes more.
    """
    if token_size(file) <= tokens:
        return (file,)
    if file.shown is not None:
        room = tokens - token_size(replace(file, shown=""))
        groups = packed(file.shown.split("\n"), lambda row: estimated_tokens(f"{row}\n"), room)
        shown = [replace(file, shown="\n".join(group)) for group in groups]
        return tuple(shown) if all(token_size(part) <= tokens for part in shown) else ()
    room = tokens - token_size(file.with_hunks(()))
    parts = [part for hunk in file.hunks for part in _parts(hunk, room)]
    if any(_hunk_size(part) > room for part in parts):
        return ()
    return tuple(file.with_hunks(group) for group in packed(parts, _hunk_size, room))


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
    """The number of tokens that a line takes; a long one may be parted from the line that it is compared with."""
    if len(line.text) <= LONGEST:
        return estimated_tokens(f"{_ROW}{one_line(line.text)}\n")
    return estimated_tokens(cut(line.text, [range(len(line.text))]).rows(one_line(line.text), _ROW)) + _GAP_TOKENS
