"""The cases through the whole local system, once."""

import json
from pathlib import Path

import pytest

from evals.__main__ import main
from evals.result import read_run
from tests.evals.made_up import write_both


@pytest.mark.slow  # it starts the whole local system, and reviews three pushes with it
@pytest.mark.xdist_group("evals")
def test_the_recorded_answers_go_through_the_real_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is true is told and resolved by its mending, what is invented is not told, and a clean change gets silence.

    The run can be scored again, and set beside itself; a figure that falls short makes the command fail.
    """
    write_both(tmp_path / "cases")
    shared = ["--root", str(tmp_path / "cases")]
    out = tmp_path / "out"

    status = main(
        ["run", *shared, "--replay", "--out", str(out), "--at-least", "precision=1", "--at-least", "recall=1"]
    )
    again = main(["score", str(out), *shared, "--against", str(out), "--out", str(tmp_path / "again")])
    short = main(["score", str(out), *shared, "--at-most", "comments=0.4"])

    run = read_run(out)
    told = {result.case: [len(push.told) for push in result.pushes] for result in run.results}
    assert (status, again, short) == (0, 0, 1)
    assert "comments is 0.50, more than 0.4" in capsys.readouterr().out
    assert told == {"python/discount": [1, 0], "python/readme": [0]}
    assert (run.reviewer, run.violations) == ("recorded answers", ())
    [discount] = [result for result in run.results if result.case == "python/discount"]
    assert [list(push.standing.values()) for push in discount.pushes] == [["open"], ["fixed"]]
    assert [(one.fate, one.told) for one in discount.pushes[0].said][:1] == [("told", True)]
    report = json.loads((out / "report.json").read_text())
    assert report["figures"]["statuses"]["value"] == report["figures"]["silence"]["value"] == 1
    assert report["counts"]["failed"] == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["run", "--cases", "cobol/*"], "is called cobol/*"),
        (["run", "--replay", "nowhere"], "answers.jsonl"),
        (["score", "nowhere"], "nowhere: "),
        (["score", "RUN", "--at-least", "beauty=1"], "beauty=1: give one of precision, recall"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    """And nothing is started for it."""
    write_both(tmp_path)

    status = main([*arguments, "--root", str(tmp_path)])

    assert status == 1
    assert complaint in capsys.readouterr().err
