"""The CPU time of the tests has a budget."""

from pathlib import Path
from typing import Any

import pytest

from scripts.test_cpu import BUDGET, allowed, main

ROOT = Path(__file__).parents[2]


def test_the_last_line_counts_with_a_tenth_more() -> None:
    """A change that needs more than that adds a line."""
    budget = "| date | CPU minutes | why |\n|---|---|---|\n| 2026-01-01 | 9.0 | a |\n| 2026-01-02 | 5.0 | b |\n"

    assert allowed(budget) == pytest.approx(5.5)
    assert allowed((ROOT / BUDGET).read_text("utf-8")) > 1


@pytest.mark.parametrize(("in_ci", "minutes", "status"), [("true", "9.0", 0), ("true", "0.0", 1), ("", "0.0", 0)])
def test_tests_that_take_more_fail_in_ci_alone(
    in_ci: str, minutes: str, status: int, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    """Elsewhere they say so: a machine that is slow for another reason stops nobody's work."""
    monkeypatch.setenv("CI", in_ci)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take most of the time
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    (tmp_path / "budget.md").write_text(f"| 2026-01-01 | {minutes} | so |\n")

    ended = main(["-q", "--rootdir", str(tmp_path), str(tmp_path)], tmp_path / "budget.md")

    said = capfd.readouterr().out
    assert ended == status
    assert "1 passed" in said
    assert ("add a line that says why they grew" in said) == (minutes == "0.0")
