"""What is kept of a model's answers, and how they are played back."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evals.asking import Course, Where
from evals.reel import FILE_NAME, WHOSE_FILE_NAME, UnreadableTape
from evals.tape import Tape
from local.model import ModelStandIn, Script, failure, filled, is_extract, is_judge, text
from tests.evals.test_recorded import a_find, a_judgement, an_extract
from tests.local.model.judging import a_candidate

Json = dict[str, Any]
_KEY = "sk-ant-very-secret"
_HEADERS = {"x-api-key": _KEY, "anthropic-version": "2023-06-01"}
_OPEN = {"type": "object", "properties": {}, "additionalProperties": False}


def ask(tape: Tape, request: Json) -> httpx.Response:
    body = {"model": "claude-sonnet-5-5", "max_tokens": 500, **request}
    return httpx.post(f"{tape.url}/v1/messages", json=body, headers=_HEADERS, timeout=60)


def said(response: httpx.Response) -> str:
    return str(response.json()["content"][0]["text"])


@pytest.fixture
def course() -> Course:
    course = Course()
    course.move("Give a discount", Where("python/discount", 1, 0))
    return course


@pytest.fixture
def model() -> Iterator[ModelStandIn]:
    script = Script(text("First report"), failure(529), text("Second report"))
    with ModelStandIn(script.when(is_extract, filled({}), always=True)) as model:
        yield model


def test_a_tape_passes_everything_on_and_keeps_what_was_answered(
    tmp_path: Path, course: Course, model: ModelStandIn
) -> None:
    """Failures are passed back and not kept; the key is passed on and never written down."""
    with Tape(tmp_path / "new", course, model.url) as tape:
        first, failed, second = (ask(tape, a_find("security")) for _ in range(3))
        data = ask(tape, an_extract("Second report", _OPEN))

    lines = [json.loads(line) for line in (tmp_path / "new" / FILE_NAME).read_text().splitlines()]
    assert (said(first), failed.status_code, said(second), said(data)) == ("First report", 529, "Second report", "{}")
    assert [(line["push"], line["part"], line["order"]) for line in lines] == [
        (0, "security", 0),
        (0, "security", 1),
        (0, "security/data", 0),
    ]
    assert {line["case"] for line in lines} == {"python/discount"}
    assert lines[0]["answer"] == first.json()
    assert _KEY not in (tmp_path / "new" / FILE_NAME).read_text()
    assert model.violations == []


def test_a_tape_plays_back_in_order_by_case_push_and_part(tmp_path: Path, course: Course, model: ModelStandIn) -> None:
    """A request in other words gets the next answer of its part; the same report is extracted alike each time."""
    with Tape(tmp_path, course, model.url) as tape:
        for _ in range(3):
            ask(tape, a_find("security"))
        ask(tape, an_extract("Second report", _OPEN))

    with Tape(tmp_path, course) as tape:
        played = [ask(tape, a_find("security", "# Code around the changes\n\nmore")) for _ in range(2)]
        data = [ask(tape, an_extract("Second report", _OPEN)) for _ in range(2)]
        over = ask(tape, a_find("security"))
        other = ask(tape, a_find("performance"))
        missing = tape.missing

    assert [said(response) for response in [*played, *data]] == ["First report", "Second report", "{}", "{}"]
    assert (over.status_code, other.status_code) == (404, 404)
    assert other.json()["error"]["message"] == "nothing was recorded for ('python/discount', 1, 0, 'performance')"
    assert len(missing) == 2


def test_the_judge_has_a_part_of_its_own_on_the_tape(tmp_path: Path, course: Course) -> None:
    """It is known by the pull request that it is shown; a schema that is no report's is looked up nowhere."""
    judgement = a_judgement(a_candidate())
    unknown = {**an_extract("", _OPEN), "messages": [{"role": "user", "content": "How do you feel?"}]}
    script = Script().when(is_judge, filled({"rulings": [], "resolutions": []})).when(lambda _: True, filled({}))

    with ModelStandIn(script) as model, Tape(tmp_path, course, model.url) as tape:
        said_first = said(ask(tape, judgement))
        assert ask(tape, unknown).status_code == 200
    with Tape(tmp_path, course) as tape:
        played, lost = ask(tape, judgement), ask(tape, unknown)

    assert said(played) == said_first == '{"rulings": [], "resolutions": []}'
    assert [json.loads(line)["part"] for line in (tmp_path / FILE_NAME).read_text().splitlines()] == ["judge"]
    assert lost.json()["error"]["message"] == "nothing was recorded for this request"


def test_a_tape_says_whose_answers_it_holds(tmp_path: Path, course: Course, model: ModelStandIn) -> None:
    """Who records it says so, or somebody writes it into the folder; else it is said that nobody did."""
    with Tape(tmp_path, course, model.url, whose="claude-sonnet-5-5"):
        (tmp_path / FILE_NAME).touch()

    with Tape(tmp_path, course) as tape:
        assert tape.whose == "claude-sonnet-5-5"
    (tmp_path / WHOSE_FILE_NAME).write_text("a colleague who saw the requests only\n\nIn May.\n")
    with Tape(tmp_path, course) as tape:
        assert tape.whose == "a colleague who saw the requests only"
    (tmp_path / WHOSE_FILE_NAME).unlink()
    with Tape(tmp_path, course) as tape:
        assert tape.whose == f"somebody (there is no whose.txt in {tmp_path})"


def test_a_folder_without_a_tape_is_complained_of(tmp_path: Path, course: Course) -> None:
    """Nothing to play and something that is no tape are told alike, with the file."""
    with pytest.raises(UnreadableTape, match=FILE_NAME):
        Tape(tmp_path, course)

    (tmp_path / FILE_NAME).write_text('{"case": "x"}\n')
    with pytest.raises(UnreadableTape, match="order"):
        Tape(tmp_path, course)


def test_a_model_that_cannot_be_reached_is_told_as_a_failure_of_the_service(tmp_path: Path, course: Course) -> None:
    """So that whoever asks tries again."""
    with Tape(tmp_path, course, "http://127.0.0.1:1") as tape:
        assert ask(tape, a_find("security")).status_code == 502
