"""The project's tape: what is on it, and what the engine makes of it."""

import json
from pathlib import Path

import pytest

from evals.__main__ import main
from evals.asking import Course, Where
from evals.case import read_cases
from evals.judge import RuleJudge
from evals.reel import FILE_NAME, TAPE, PlayedAnswers, Reel, read_lines
from evals.result import read_run
from evals.scoring import score_run
from local.model import Failure, Reply, Script, text
from tests.evals.test_recorded import a_find, a_judgement, an_extract
from tests.local.model.judging import a_candidate, a_claim

_OPEN = {"type": "object", "properties": {}, "additionalProperties": False}


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
    assert [false.told.title for one in scored for false in one.false] == []
    assert [check for one in scored for check in one.statuses if not check.is_right] == []
    assert [hit.expected.id for one in scored for hit in one.accepted] == ["test-fits-milliseconds"]


@pytest.fixture
def course() -> Course:
    course = Course()
    course.move("Give a discount", Where("python/discount", 1, 0))
    course.move("Another one", Where("python/other", 1, 0))
    return course


def a_reel(folder: Path, course: Course, *said: tuple[str, str]) -> Reel:
    """A tape of the made-up case: parts, and what was said in each."""
    lines = []
    for order, (part, words) in enumerate(said):
        answer = {"content": [{"type": "text", "text": words}], "stop_reason": "end_turn"}
        place = {"case": "python/discount", "repeat": 1, "push": 0, "part": part, "order": order}
        lines.append(json.dumps({**place, "request": f"{order}", "answer": answer}))
    (folder / FILE_NAME).write_text("\n".join(lines))
    return Reel.read(folder, course)


def words_of(said: object) -> str:
    assert isinstance(said, Reply)
    return str(said.content[0]["text"])


def test_cases_that_are_on_the_tape_are_answered_from_it_and_others_by_others(tmp_path: Path, course: Course) -> None:
    """A report is extracted alike as often as it is asked; what the tape lacks fails, and is noted."""
    reel = a_reel(tmp_path, course, ("security", "First"), ("security/data", "{}"), ("security", "Second"))
    answers = PlayedAnswers(reel, Script().when(lambda _: True, text("By hand"), always=True))

    first, second = (words_of(answers.answer(a_find("security"))) for _ in range(2))
    data = [words_of(answers.answer(an_extract("First", _OPEN))) for _ in range(2)]
    other = words_of(answers.answer(a_find("security", title="Another one")))
    over = answers.answer(a_find("security"))

    assert (first, second, data, other) == ("First", "Second", ["{}", "{}"], "By hand")
    assert isinstance(over, Failure)
    assert reel.missing == ["nothing was recorded for ('python/discount', 1, 0, 'security')"]


def test_what_the_judge_was_not_asked_about_then_is_missing(tmp_path: Path, course: Course) -> None:
    """Its answer is given, and each candidate and claim is noted that it passes over, if its answers before did too."""
    ruled = json.dumps({"rulings": [{"number": 1}], "resolutions": [{"finding": "F-1"}]})
    again = json.dumps({"rulings": [{"number": 2}], "resolutions": [{"finding": "F-2"}]})
    reel = a_reel(tmp_path, course, ("judge", ruled), ("judge", again))
    request = a_judgement(a_candidate(1), a_candidate(2), claims=[a_claim("F-1"), a_claim("F-2")])

    answers = PlayedAnswers(reel, Script())
    said = [words_of(answers.answer(request)) for _ in range(2)]

    assert said == [ruled, again]
    assert [line.partition(": ")[2] for line in reel.missing] == [
        "nothing was recorded about candidate 2",
        "nothing was recorded about finding F-2",
    ]
