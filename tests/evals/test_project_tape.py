"""The project's tape: what is on it, and what the engine makes of it."""

from pathlib import Path

import pytest

from evals.__main__ import main
from evals.case import read_cases
from evals.judge import RuleJudge
from evals.result import read_run
from evals.scoring import score_run
from evals.tape import TAPE, read_lines


def test_each_line_of_the_tape_is_about_a_push_of_a_case() -> None:
    """It names one that is there, and orders are counted from 0 for each part."""
    cases = {case.slug: case for case in read_cases()}
    lines = read_lines(TAPE)

    orders: dict[tuple[object, ...], list[int]] = {}
    for line in lines:
        assert 0 <= line["push"] < len(cases[line["case"]].pushes), line["case"]
        assert line["answer"]["stop_reason"] in ("end_turn", "tool_use")
        key = tuple(line[name] for name in ("case", "repeat", "push", "part"))
        orders.setdefault(key, []).append(line["order"])

    assert len({line["case"] for line in lines}) == 12
    assert {line["repeat"] for line in lines} == {1}
    assert [key for key, found in orders.items() if found != [*range(len(found))]] == []


@pytest.mark.slow  # two pull requests go through the whole local system
@pytest.mark.xdist_group("evals")
def test_what_a_model_said_goes_through_the_engine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its tools, prose and data: what is wrong is posted, once, and resolved by its fix."""
    price_and_stream = "*/[ps][rt][ir][ce]*"
    status = main(["run", "--replay", "--cases", price_and_stream, "--out", str(tmp_path)])

    run = read_run(tmp_path)
    scored = score_run(read_cases(), run, RuleJudge())
    assert capsys.readouterr().out.startswith(
        "Replays the answers of a model that saw only the requests for 2 cases, and answers written by hand for 1\n"
    )
    assert (status, run.violations, run.missing) == (0, (), ())
    assert {one.case: one.by_hand for one in run.results} == {
        "java/price-groups": True,
        "python/stream-feed": False,
        "typescript/price-list-cache": False,
    }
    assert [miss for one in scored for miss in one.misses] == []
    assert [false.finding.title for one in scored for false in one.false] == []
    assert [check for one in scored for check in one.statuses if not check.is_right] == []
    assert [hit.expected.id for one in scored for hit in one.accepted] == ["test-fits-milliseconds"]
