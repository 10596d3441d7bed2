"""Cases through the whole local system, once, with the recorded answers; CI replays all of them."""

import json
from pathlib import Path

import pytest

from evals.__main__ import main
from evals.result import read_run
from tests.evals.made_up import write_both


def test_only_true_findings_are_posted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the recorded findings, those that the judge keeps are posted and resolved by their fix; clean cases get none.

    Findings that are invented, refuted by the engine or suppressed with a line of code are not posted, and none twice.
    The first line of the output names the source of the answers.
    The run can be scored again and compared with itself; a figure below its limit makes the command fail.
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
    reported = [(result.case, one) for result in run.results for push in result.pushes for one in push.reported]
    wrong = [(case, one.fate, one.title) for case, one in reported if one.posted is not (one.fate == "kept")]
    assert len(reported) > 30
    assert wrong == []
    report = json.loads((out / "report.json").read_text())
    assert report["counts"]["failed"] == 0


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
