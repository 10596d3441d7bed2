"""The table of docs/gate.md is that of the code."""

from pathlib import Path

from kodiai.core.gate.gate import PASSING, TABLE

PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


def test_the_table_of_conclusions_is_that_of_the_code() -> None:
    """Somebody whose pull request waits looks here for the title of the check; each row says what to do."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines() if line[:1] == "|"]

    assert [row[:4] for row in rows[2:]] == [list(row) for row in TABLE.values()]
    assert all(len(row) == 5 and row[4] for row in rows)


def test_the_conclusions_that_let_a_change_pass_are_named() -> None:
    """GitHub's rule is not to be guessed from colors."""
    [sentence] = [line for line in PAGE.splitlines() if line.startswith("GitHub lets a pull request be merged with")]

    assert set(sentence.partition(", and with no other")[0].split("`")[1::2]) == PASSING
