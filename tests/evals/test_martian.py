"""Martian's benchmark is read, recomputed and exported to; small files in its formats stand in for it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evals.__main__ import main
from evals.case import read_cases
from evals.history import write_histories
from evals.martian.cases import make_cases
from evals.martian.command import table
from evals.martian.files import offline_folder, rows
from tests.evals.made_up import a_finding, a_run, pushed, reviewed
from tests.git_repository import GitRepository

Json = dict[str, Any]
ONE, TWO = "https://github.com/acme/shop/pull/7", "https://github.com/acme/bank/pull/12"


def evaluation(true: int, false: int, missed: int, **more: Any) -> Json:
    return {
        "skipped": False,
        "true_positives": [{"golden_comment": f"{number}"} for number in range(true)],
        "false_positives": [{"candidate": f"{number}"} for number in range(false)],
        "false_negatives": [{"golden_comment": f"{number}"} for number in range(missed)],
        "errors": [{"error": "timed out"}],
        **more,
    }


def a_checkout(folder: Path, published: Json) -> Path:
    """Two pull requests, two tools, one judge."""
    comments = [{"comment": "The lock is never released", "severity": "Critical"}]
    evaluations = {
        ONE: {"ours": evaluation(2, 1, 0), "theirs": evaluation(0, 0, 2)},
        TWO: {"ours": evaluation(1, 2, 3), "theirs": {"skipped": True, "reason": "No golden comments"}},
    }
    files = {
        "golden_comments/shop.json": [{"pr_title": "One", "url": ONE, "az_comment": "x", "comments": comments}],
        "golden_comments/bank.json": [{"pr_title": "Two", "url": TWO, "original_url": "y", "comments": []}],
        "results/some_judge/evaluations.json": evaluations,
        "results/pr_labels.json": {ONE: {"derived": {"language": "TypeScript"}}},
        "analysis/benchmark_dashboard.json": {"models": {"some_judge": {"overall_metrics": published}}},
    }
    for name, content in files.items():
        (folder / "offline" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "offline" / name).write_text(json.dumps(content), encoding="utf-8")
    return folder


def percent(precision: float, recall: float, f1: float) -> Json:
    return {"precision": precision, "recall": recall, "f1": f1, "tp": 0}


def test_figures_are_recomputed_over_all_reviews_and_compared_with_the_published_ones(tmp_path: Path) -> None:
    """Counts are added up before they are divided; skipped reviews add nothing; percentages are rounded to a tenth."""
    checkout = a_checkout(tmp_path, {"ours": percent(50.0, 50.0, 50.0)})

    ours, theirs = rows(offline_folder(checkout))

    assert (ours.tool, ours.reviews, ours.figures) == ("ours", 2, (0.5, 0.5, 0.5))
    assert ours.difference == 0
    assert (theirs.figures, theirs.published, theirs.difference) == ((0, 0, 0), None, None)
    assert [" ".join(line.split()) for line in table([ours, theirs])[1:]] == [
        "some_judge ours 2 50.0 / 50.0 50.0 / 50.0 50.0 / 50.0 0.0000",
        "some_judge theirs 2 0.0 / – 0.0 / – 0.0 / – not published",
        "1 of 2 compared, the largest difference is 0.0000",
    ]


@pytest.mark.parametrize(("recall", "status"), [(50.9, 0), (51.1, 1)])
def test_the_command_fails_where_a_figure_is_more_than_a_hundredth_off(
    tmp_path: Path, recall: float, status: int
) -> None:
    """Rounding is forgiven, another way of counting is not."""
    checkout = a_checkout(tmp_path, {"ours": percent(50.0, recall, 50.0)})

    assert main(["martian", str(checkout)]) == status


def test_a_folder_that_is_no_checkout_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the folder, or the file and the key."""
    assert main(["martian", str(tmp_path)]) == 1
    checkout = a_checkout(tmp_path, {})
    (checkout / "offline/results/some_judge/evaluations.json").write_text('{"u": {"t": {"true_positives": 3}}}')
    assert main(["martian", str(checkout)]) == 1

    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("no folder offline/golden_comments")
    assert second.endswith("evaluations.json: u.t.true_positives: Input should be a valid array")


def test_a_run_is_exported_next_to_the_candidates_of_other_tools(tmp_path: Path) -> None:
    """The pull request's address is the key, the first repeat counts; cases of other origin are left out."""
    checkout = a_checkout(tmp_path / "checkout", {})
    run = a_run(
        reviewed("typescript/acme-shop-7", pushed(a_finding())),
        reviewed("typescript/acme-shop-7", pushed(), repeat=2),
        reviewed("go/acme-bank-12", pushed()),
        reviewed("python/discount", pushed(a_finding())),
    )
    run.write(tmp_path / "run")
    out = tmp_path / "out"
    out.mkdir()
    (out / "candidates.json").write_text(json.dumps({ONE: {"theirs": []}, "other": {"theirs": []}}))

    main(["martian", str(checkout), "--export", str(tmp_path / "run"), "--out", str(out), "--tool", "us"])

    candidates = json.loads((out / "candidates.json").read_text())
    words = f"{a_finding().title}. {a_finding().explanation}"
    assert candidates == {
        ONE: {"theirs": [], "us": [{"text": words, "path": "shop/orders.py", "line": 2, "source": "extracted"}]},
        "other": {"theirs": []},
        TWO: {"us": []},
    }
    assert json.loads((out / "reviews.json").read_text())[ONE]["review_comments"][0]["body"] == words


def test_its_pull_requests_become_cases_of_a_clone(tmp_path: Path) -> None:
    """The change starts at the merge base; golden comments have no place, so they are expected anywhere."""
    origin = GitRepository(tmp_path / "origin.git")
    start = origin.commit({"a.ts": "1\n", "b.ts": "1\n"}, branch="main")
    tip = origin.commit({"b.ts": "2\n"}, start, branch="main")
    head = origin.commit({"a.ts": "2\n"}, start, branch="change")
    repository = {"clone_url": str(origin.path), "language": "JavaScript"}
    pull = {"title": "One", "body": None, "head": {"sha": head}, "base": {"sha": tip, "repo": repository}}
    github: Mapping[str, Json] = {
        "/repos/acme/shop/pulls/7": pull,
        f"/repos/acme/shop/compare/{tip}...{head}": {"merge_base_commit": {"sha": start}},
    }
    golden = a_checkout(tmp_path / "checkout", {}) / "offline"
    (golden / "golden_comments/bank.json").unlink()

    make_cases(golden, tmp_path / "cases", github.__getitem__, limit=None)

    [case] = read_cases(tmp_path / "cases")
    history = write_histories(tmp_path / "all.git", [case])[case.slug]
    assert (case.slug, case.definition.title) == ("typescript/acme-shop-7", "One")
    [expected] = case.pushes[0].expected
    assert (expected.path, expected.severity, expected.mechanism) == (None, "CRITICAL", "The lock is never released")
    shown = GitRepository.__new__(GitRepository)
    shown.path = tmp_path / "all.git"
    changed = shown.git("diff", "--name-only", history.base, history.heads[0]).decode().split()
    assert changed == ["a.ts"]
