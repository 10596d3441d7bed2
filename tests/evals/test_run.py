"""Cases through the whole local system, once, with recorded answers; CI replays all cases of the project."""

from pathlib import Path

import pytest

from evals.__main__ import main
from evals.result import read_run
from tests.evals.made_up import (
    CLEAN,
    DEFECT,
    DEFECT_RECORDED,
    DISCOUNTED,
    EMPTY_PROBLEM,
    FIXED,
    expected,
    recorded,
    write_both,
    write_case,
)

LOST = recorded(
    expects="empty-order",
    fate="wrong",
    severity="MEDIUM",
    start_line=6,
    end_line=6,
    title="The first price of an empty list is read",
    explanation="An order without prices raises an IndexError.",
    quote="return prices[0]",
    ruling={"quote": "def first(prices):", "why": "Every order has a price."},
)
NOISE = recorded(
    label=False,
    expects=None,
    path="README.md",
    start_line=3,
    end_line=3,
    title="The title is wrong",
    explanation="A reader of the title learns nothing about the shop.",
    quote="It sells.",
    ruling={
        "why": "The title is short.",
        "problem": "A reader of the title learns nothing about the shop.",
        "fix": "Describe the shop in the title.",
    },
)
FIGURES = {"precision": "50.0 %", "recall": "50.0 %", "statuses": "0.0 %", "silence": "0.0 %"}


def write_wrong(root: Path) -> None:
    """Write a case of which one problem is lost and one gets another status than wanted, and a clean one with noise."""
    wanted = [{"expected": [expected(), EMPTY_PROBLEM]}, {"statuses": {"discount-added": "still_open"}}]
    found = [{"reports": {"generalist": [recorded(), LOST]}}, DEFECT_RECORDED["pushes"][1]]
    files = [{"shop/orders.py": text} for text in (DISCOUNTED, FIXED)]
    write_case(root, "python/discount", {**DEFECT, "pushes": wanted}, *files, said={"pushes": found})
    noise = {"pushes": [{"reports": {"generalist": [NOISE]}}]}
    write_case(root, "python/readme", CLEAN, {"README.md": "# A shop\n\nIt sells.\n"}, said=noise)


def test_a_run_reports_what_was_posted_and_fails_if_a_figure_is_below_its_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One problem is posted and resolved by its fix, one is lost by the judge, and a clean change gets a finding.

    The case wants the resolved problem to stay open, so every figure is too low, and each is named.
    The stored run can be scored again, with the same figures, and compared with itself.
    """
    cases, out = tmp_path / "cases", tmp_path / "out"
    write_wrong(cases)
    given = ["--root", str(cases), *(f"--at-least={name}=1" for name in FIGURES)]

    status = main(["run", "--replay", *given, "--out", str(out)])
    printed = capsys.readouterr().out.splitlines()
    again = main(["score", str(out), *given, "--against", str(out), "--out", str(tmp_path / "again")])
    scored = capsys.readouterr().out.splitlines()

    run = read_run(out)
    defect, clean = run.results
    [(posted,), nothing] = (push.posted for push in defect.pushes)
    [noise] = clean.pushes[0].posted
    assert (status, again) == (1, 1)
    assert printed[0] == "Replays answers written by hand for 2 cases"
    assert printed[-4:] == scored[-4:] == [f"evals: {name} is {share}, less than 1" for name, share in FIGURES.items()]
    assert (run.reviewer, run.violations, defect.failed, clean.failed) == ("recorded answers", (), None, None)
    assert (posted.title, noise.title, nothing) == (recorded()["title"], NOISE["title"], ())
    assert [push.statuses for push in defect.pushes] == [{posted.id: "open"}, {posted.id: "fixed"}]
    assert [(one.title, one.posted) for one in defect.pushes[0].reported] == [
        (posted.title, True),
        (LOST["title"], False),
    ]
    [suppressed] = defect.pushes[0].suppressed
    assert suppressed == f"[MEDIUM] shop/orders.py (6): {LOST['title']} -- wrong"
    assert (defect.by_hand, clean.by_hand) == (True, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--cases", "cobol/*"], "is called cobol/*"),
        (["run", "--replay", "nowhere"], "answers.jsonl"),
        (["score", "nowhere"], "nowhere: "),
        (["score", "RUN", "--at-least", "beauty=1"], "beauty=1: give one of precision, recall"),
    ],
)
def test_an_impossible_command_says_why_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """It starts no system."""
    write_both(tmp_path)

    status = main([*arguments, "--root", str(tmp_path)])

    assert status == 1
    assert message in capsys.readouterr().err
