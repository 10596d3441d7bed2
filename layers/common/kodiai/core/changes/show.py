"""How changes and files are shown to the model: numbered, so that it can name lines and nothing can pose as a label."""

import json
import re
from collections.abc import Container

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.hunk import Hunk

_BREAKS = re.compile("\r(?!\\Z)|[\x85\u2028\u2029]")


def show_file(file: ChangedFile) -> str:
    """Show one file's hunks with the new side's line numbers.

    Each line of code stands behind a marker and a number, so that no text in it can end the block;
    what else than a newline could be taken for the end of a line is shown as a space.
    """
    origin = f" from {json.dumps(file.previous_path)}" if file.previous_path else ""
    title = f"### FILE {json.dumps(file.path)} {file.status}{origin}"
    return "\n".join([title, *(_show_hunk(hunk) for hunk in file.hunks)]) + "\n"


def _show_hunk(hunk: Hunk) -> str:
    old, new = hunk.counts
    rows = [f"@@ -{hunk.old_start},{old} +{hunk.new_start},{new} @@"]
    rows += [f"{line.marker}{line.new or '':>6} | {one_line(line.text)}" for line in hunk.lines]
    return "\n".join(rows)


def show_lines(path: str, lines: list[str], start: int, end: int, added: Container[int] | None = None) -> str:
    """Show the lines `start` to `end` (1-based, both included) of a file, numbered.

    With `added`, line numbers, each line has the marker that it has in a hunk: "+" for those, " " for others.
    """
    title = f"FILE {json.dumps(path)} lines {start}-{end} of {len(lines)}"
    rows = (f"{number:>6} | {one_line(lines[number - 1])}" for number in range(start, end + 1))
    if added is not None:
        rows = (f"{'+' if number in added else ' '}{row}" for number, row in enumerate(rows, start))
    return "\n".join([title, *rows])


def one_line(text: str) -> str:
    """Keep a line of code on one line: only a carriage return at its very end is left as it is."""
    return _BREAKS.sub(" ", text)
