"""Tables of figures, as text and as a picture."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_NUMBER = re.compile(r"-?\$?[\d,.]+%?")
_DIGITS = 3
_INCHES_PER_CHARACTER, _INCHES_PER_LINE, _MARGIN = 0.083, 0.19, 0.4


@dataclass(frozen=True)
class Table:
    """Rows of cells under their heads; `notes` are sentences below, and `error` is why there are no rows."""

    title: str
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    error: str | None = None

    @classmethod
    def of(cls, title: str, rows: Sequence["DataclassInstance"], notes: Sequence[str] = ()) -> Self:
        """Make a table of dataclasses: a column for each field, and for each key of a field that is a mapping."""
        if not rows:
            return cls(title, notes=tuple(notes))
        heads = [head for field in fields(rows[0]) for head in _heads(field.name, getattr(rows[0], field.name))]
        cells = [tuple(_cells(row)) for row in rows]
        return cls(title, tuple(head.replace("_", " ") for head in heads), tuple(cells), tuple(notes))

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Read what `written` made."""
        rows = tuple(tuple(row) for row in given["rows"])
        return cls(given["title"], tuple(given["heads"]), rows, tuple(given["notes"]), given["error"])

    def written(self) -> dict[str, Any]:
        """The table as JSON has it."""
        return asdict(self)

    @property
    def lines(self) -> list[str]:
        """The table as lines of text with columns; numbers end at the same place."""
        every = [self.heads, *self.rows]
        widths = [max(len(row[at]) for row in every) for at in range(len(self.heads))]
        numeric = [all(_NUMBER.fullmatch(row[at]) or not row[at] for row in self.rows) for at in range(len(widths))]
        columns = list(zip(widths, numeric, strict=True))
        text = [
            "  ".join(
                cell.rjust(width) if right else cell.ljust(width)
                for cell, (width, right) in zip(row, columns, strict=True)
            ).rstrip()
            for row in every
            if row
        ]
        error = [f"FAILED: {self.error}"] if self.error else []
        return [self.title, *text, *error, *self.notes]


def _heads(name: str, value: object) -> list[str]:
    return list(value) if isinstance(value, Mapping) else [name]


def _cells(row: "DataclassInstance") -> list[str]:
    values = [getattr(row, field.name) for field in fields(row)]
    return [shown(part) for value in values for part in (value.values() if isinstance(value, Mapping) else [value])]


def shown(value: object) -> str:
    """A cell: a number with three digits that count, and nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int) or abs(value) >= 10**_DIGITS:
        return f"{value:,.0f}"
    rounded = f"{value:.{_DIGITS}g}"
    return f"{value:.8f}".rstrip("0") if "e" in rounded else rounded


def draw(tables: Sequence[Table], picture: Path) -> None:
    """Draw all tables below each other, as PNG."""
    import matplotlib as mpl  # noqa: PLC0415 - half a second, for the picture only

    mpl.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - after its backend is chosen

    lines = [(line, at == 0) for table in tables for at, line in enumerate([*table.lines, ""])]
    width = max(len(line) for line, _ in lines) * _INCHES_PER_CHARACTER + 2 * _MARGIN
    height = len(lines) * _INCHES_PER_LINE + 2 * _MARGIN
    figure = plt.figure(figsize=(width, height))
    for at, (line, is_title) in enumerate(lines):
        figure.text(
            _MARGIN / width,
            1 - (_MARGIN + at * _INCHES_PER_LINE) / height,
            line.replace("$", r"\$"),
            family="monospace",
            size=10,
            weight="bold" if is_title else "normal",
            va="top",
        )
    figure.savefig(picture, dpi=100)
    plt.close(figure)
