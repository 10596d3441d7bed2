"""A table in the terminal."""

import shutil
import sys
from collections.abc import Iterator, Sequence

from rich.text import Text

from local.rendering.visible import visible_line

_PIPED_WIDTH = 1_000


def terminal_width() -> int:
    """The number of characters of a line: the terminal's, and many where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """The lines of a table whose last column is shortened to the width."""
    shown = [columns, *([visible_line(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    for row in shown:
        line = Text("  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip())
        line.truncate(width, overflow="ellipsis")
        yield line.plain
