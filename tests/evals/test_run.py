"""Cases through the whole local system, once, with the recorded answers; CI replays all of them."""

import json
from pathlib import Path

import pytest

from evals.__main__ import main
from evals.result import read_run
from tests.evals.made_up import write_both


def test_what_is_true_is_posted_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the recorded findings of all cases: what the judge keeps is posted and resolved by its fix; silence is kept.

    Nothing that is invented, refuted by the program or dropped with a line of code is posted, nor anything twice.
    The first line says whose answers these are.
    The run can be scored again, and set beside itself; a figure that falls short makes the command fail.
    """
    out = tmp_path / "out"
    figures = [f"--at-least={name}=1" for name in ("recall", "statuses", "silence", "precision")]

    status = main(["run", "--replay", "recordings", "--cases", "go/*", "--out", str(out), *figures])
    again = main(["score", str(out), "--against", str(out), "--out", str(tmp_path / "again")])
    short = main(["score", str(out), "--at-most", "comments=0.4"])

    run = read_run(out)
    assert (status, again, short) == (0, 0, 1)
    printed = capsys.readouterr().out
    assert printed.startswith("Replays answers written by hand for 7 cases\n")
    assert ", more than 0.4" in printed
    assert (run.reviewer, run.violations) == ("recorded answers", ())
    said = [(result.case, one) for result in run.results for push in result.pushes for one in push.said]
    wrong = [(case, one.fate, one.title) for case, one in said if one.told is not (one.fate == "kept")]
    assert len(said) > 30
    assert wrong == []
    report = json.loads((out / "report.json").read_text())
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
