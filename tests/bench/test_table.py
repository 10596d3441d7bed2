"""The tables of the benchmarks, their picture, and the program that runs all parts."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.__main__ import PARTS, run, tables_of, write
from bench.table import Table, draw, shown

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Row:
    name_of_it: str
    dollars: float
    each: Mapping[str, float | None]


ROWS = (Row("one", 0.5, {"few": 1.0, "many": 2000.4}), Row("another", 12.345, {"few": None, "many": 3.0}))


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (0, "0"),
        (12_345, "12,345"),
        (0.0012345, "0.00123"),
        (0.0000123456, "0.00001235"),
        (3.14159, "3.14"),
        (1_234.5, "1,234"),
        (None, ""),
        (True, "True"),
        ("a word", "a word"),
    ],
)
def test_numbers_are_shown_with_three_digits_that_count(value: object, cell: str) -> None:
    """Counts and large numbers are whole, small ones are never 0."""
    assert shown(value) == cell


def test_dataclasses_become_a_table() -> None:
    """A field is a column, a field that is a mapping one for each key; numbers end at the same place."""
    table = Table.of("A title", ROWS, ["What it means."])

    assert table.lines == [
        "A title",
        "name of it  dollars  few   many",
        "one             0.5    1  2,000",
        "another        12.3           3",
        "What it means.",
    ]


def test_a_table_is_read_as_it_was_written() -> None:
    """A table survives JSON too."""
    table = Table.of("A title", ROWS, ["What it means."])

    assert Table.read(json.loads(json.dumps(table.written()))) == table


def test_a_picture_is_drawn_of_saved_tables(tmp_path: Path) -> None:
    """Dollars and failures are drawn as they are, also where matplotlib would read them as a formula."""
    tables = [Table("Costs $5 and $6", ("a",), (("$1",),)), Table("Broken", error="ValueError: $")]

    draw(tables, tmp_path / "tables.png")

    assert (tmp_path / "tables.png").read_bytes().startswith(PNG)


def fails(quick: bool) -> list[Table]:
    raise ValueError(f"nothing works, {quick}")


def works(quick: bool) -> list[Table]:
    return [Table("Works", ("quick",), ((f"{quick}",),))]


def test_the_other_parts_run_if_one_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """The failed part has a table with the error."""
    done = run({"one": fails, "two": works}, quick=True)

    assert [table.error for table in tables_of(done.values())] == ["ValueError: nothing works, True", None]
    assert "FAILED: ValueError: nothing works, True" in capsys.readouterr().out


def test_a_part_is_written_over_what_it_was_and_the_others_stay(tmp_path: Path) -> None:
    """The file has the parts in their order, whenever each was measured."""
    first, last, *_ = PARTS
    write(run({last: works}, quick=True), tmp_path)
    write(run({first: works}, quick=True), tmp_path)
    write(run({last: works}, quick=False), tmp_path)

    written = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert [(name, part["tables"][0]["rows"]) for name, part in written.items()] == [
        (first, [["True"]]),
        (last, [["False"]]),
    ]
    assert (tmp_path / "bench.png").read_bytes().startswith(PNG)
