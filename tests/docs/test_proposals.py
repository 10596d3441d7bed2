"""The tests that docs/proposals.md names for the rules of proposals."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "proposals.md").read_text(encoding="utf-8")
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


@cache
def names_in(path: str) -> frozenset[str]:
    """The names of the tests of a file; none where there is no such file."""
    file = TESTS / path
    if not file.exists():
        return frozenset()
    parsed = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(
        each.name for each in parsed.body if isinstance(each, ast.FunctionDef) and each.name[:5] == "test_"
    )


def unheld(page: str) -> list[str]:
    """The rules of a page without a test, and the tests that are not there."""
    table = page.partition("\n| rule | test |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = [line.strip("|").rpartition("|") for line in table.splitlines()]
    assert rows, "a page without rules holds nothing"
    named = {rule.strip(): _TEST.findall(tests) for rule, _, tests in rows}
    without = [rule for rule, tests in named.items() if not tests]
    gone = [f"{path}::{name}" for tests in named.values() for path, name in tests if name not in names_in(path)]
    return [*without, *gone]


def test_every_rule_of_proposals_names_tests_that_are_there() -> None:
    """A contributor who renames a test takes its name in the table along."""
    assert unheld(PAGE) == []


def test_a_rule_without_a_test_is_found() -> None:
    """A helper is no test, nor is a name in a file that is gone."""
    here = "docs/test_proposals.py"
    tests = f"`{here}::test_a_rule_without_a_test_is_found`<br>`{here}::unheld`<br>`docs/gone.py::test_it`"

    found = unheld(f"\n| rule | test |\n|---|---|\n| Held | {tests} |\n| Bare | nobody |\n")

    assert found == ["Bare", f"{here}::unheld", "docs/gone.py::test_it"]
