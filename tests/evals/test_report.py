"""The reports of a run: Markdown and JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.judge import RuleJudge
from evals.report import DATA, MARKDOWN, write_reports
from evals.result import RunResult, UnreadableRun, read_run
from evals.scoring import score_run
from evals.summary import Comparison, Summary, compare, summarize
from tests.evals.made_up import a_finding, a_run, pushed, reviewed, write_both

NASTY = "</script><script>alert(1)</script> | [x](y) <!-- {{ 7 * 7 }}"


def summary_of(tmp_path: Path, run: RunResult) -> Summary:
    return summarize(run, score_run(write_both(tmp_path / "cases"), run, RuleJudge()), "rule")


def written(folder: Path, summary: Summary, comparison: Comparison | None = None) -> tuple[str, Any]:
    write_reports(folder, summary, comparison)
    return (folder / MARKDOWN).read_text(encoding="utf-8"), json.loads((folder / DATA).read_text(encoding="utf-8"))


def test_a_report_has_figures_languages_cases_and_errors(tmp_path: Path) -> None:
    """Markdown is for people, JSON for programs; no text of a finding breaks them.

    Requests and input tokens are those of all pushes of a case.
    """
    noise = a_finding("F-2", title=NASTY, path=NASTY, start_line=1, end_line=1)
    first = pushed(a_finding(), noise, cost_usd=0.02, calls=3, input_tokens=9_000)
    second = pushed(statuses={"F-1": "open"}, calls=2, input_tokens=1_500)
    run = a_run(
        reviewed("python/discount", first, second),
        reviewed("python/readme", failed="it broke"),
        reviewer=f"a model {NASTY}",
    )

    markdown, read = written(tmp_path, summary_of(tmp_path, run))

    assert read["figures"]["precision"]["value"] == 0.5
    assert read["figures"]["recall"] == {"value": 1, "low": 1, "high": 1}
    assert read["counts"]["failed"] == 1
    assert [one["kind"] for one in read["pull_requests"][0]["false"]] == ["wrong"]
    assert "| Precision | 50.0 % [50.0 %, 50.0 %] |" in markdown
    assert "| python | 2 | 50.0 %" in markdown
    assert "| python/discount | 2 | 1 | 0 | 1 | 0 | 0 of 1 | 5 | 10,500 |  | 0.0 |" in markdown
    assert "| All | 2 | 1 | 0 | 1 | 0 | 0 of 1 | 5 | 10,500 |  | 0.0 |" in markdown
    assert [read["figures"][name]["value"] for name in ("requests", "input_tokens")] == [2.5, 5_250]
    assert [one["counts"]["requests"] for one in read["pull_requests"]] == [5, 0]
    assert "- status, push 2: discount-added is still_open, not resolved" in markdown
    assert "- failed: it broke" in markdown
    assert "<script" not in markdown.lower()


def test_two_runs_are_compared_with_their_difference(tmp_path: Path) -> None:
    """The difference is over common cases, and bold if its interval excludes 0."""
    good = a_run(reviewed("python/discount", pushed(a_finding())), reviewed("python/readme", pushed()), reviewer="good")
    bad = a_run(reviewed("python/discount", pushed()), reviewed("python/readme", pushed(a_finding())), reviewer="bad")
    summary, other = summary_of(tmp_path, good), summary_of(tmp_path, bad)

    markdown, read = written(tmp_path, summary, compare(summary, other))

    assert read["differences"]["figures"]["recall"] == {"value": 1, "low": 1, "high": 1}
    assert read["differences"]["cases"] == 2
    assert read["against"]["reviewer"] == "bad"
    all_of_it = "100.0 % [100.0 %, 100.0 %]"
    assert f"| Recall | {all_of_it} | 0.0 % [0.0 %, 0.0 %] | **+{all_of_it}** |" in markdown


def test_a_run_of_nothing_has_a_report_too(tmp_path: Path) -> None:
    """Every figure is a dash."""
    markdown, read = written(tmp_path, summary_of(tmp_path, a_run()))

    assert "| Precision | – |" in markdown
    assert read["figures"]["silence"] == {"value": None, "low": None, "high": None}


def test_a_run_is_stored_and_read_again(tmp_path: Path) -> None:
    """A run is read by its folder or its file; any other file raises an error with the path."""
    run = a_run(reviewed("python/discount", pushed(a_finding(), statuses={"F-1": "open"}, cost_usd=0.5)))

    run.write(tmp_path / "run")

    assert read_run(tmp_path / "run") == run == read_run(tmp_path / "run" / "run.json")
    with pytest.raises(UnreadableRun, match=r"run\.json"):
        read_run(tmp_path)
    (tmp_path / "other.json").write_text('{"reviewer": 1}')
    with pytest.raises(UnreadableRun, match=r"other\.json: reviewer"):
        read_run(tmp_path / "other.json")
