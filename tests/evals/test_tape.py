"""The storage and replay of a model's answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import pytest

from evals.progress import Position, Progress
from evals.tape import FILE_NAME, WHOSE_FILE_NAME, Recorder, Tape, TapeAnswers, UnreadableTape, digest_of
from local.model import Answers, Failure, ModelStandIn, Reply, Script, failure, is_judge, reporting, text
from tests.evals.test_recorded import a_find, a_judgement
from tests.local.model.judging import a_candidate

Json = dict[str, Any]
_KEY = "sk-ant-very-secret"


def ask(answers: Answers, request: Json) -> Reply | Failure | None:
    return answers.answer({"model": "claude-haiku-4-5", "max_tokens": 500, **request})


def answer_text(answer: object) -> str:
    assert isinstance(answer, Reply)
    return str(answer.content[0]["text"])


@pytest.fixture
def progress() -> Progress:
    progress = Progress()
    progress["Give a discount"] = Position("python/discount", 1, 0)
    progress["Another one"] = Position("python/other", 1, 0)
    return progress


@pytest.fixture
def model() -> Iterator[ModelStandIn]:
    script = Script(text("First report"), failure(529, "busy", retry_after=7), text("Second report"))
    with ModelStandIn(script.when(is_judge, text("{}"), always=True)) as model:
        yield model
        assert model.violations == []


@pytest.fixture
def client(model: ModelStandIn) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key=_KEY, base_url=model.url) as client:
        yield client


def test_a_real_model_is_asked_and_its_answers_are_stored(
    tmp_path: Path, progress: Progress, client: anthropic.Anthropic
) -> None:
    """Failures are passed back and not stored; the key is never written down."""
    answers = Recorder(tmp_path / "new", progress, client)

    first, failed, second = (ask(answers, a_find("security")) for _ in range(3))
    judged = ask(answers, a_judgement(a_candidate()))

    lines = [json.loads(line) for line in (tmp_path / "new" / FILE_NAME).read_text().splitlines()]
    assert [answer_text(each) for each in (first, second, judged)] == ["First report", "Second report", "{}"]
    assert failed == failure(529, "busy", retry_after=7)
    assert [(line["push"], line["part"], line["order"]) for line in lines] == [
        (0, "security", 0),
        (0, "security", 1),
        (0, "judge", 0),
    ]
    assert {line["case"] for line in lines} == {"python/discount"}
    assert isinstance(first, Reply)
    assert lines[0]["answer"] == first.message
    assert lines[0]["answer"]["usage"]["output_tokens"] == 3
    assert _KEY not in (tmp_path / "new" / FILE_NAME).read_text()


def test_a_tape_plays_back_in_order_by_case_push_and_part(
    tmp_path: Path, progress: Progress, client: anthropic.Anthropic
) -> None:
    """A request in other words gets the next answer of its part."""
    recording = Recorder(tmp_path, progress, client)
    for _ in range(3):
        ask(recording, a_find("security"))

    tape = Tape(tmp_path)
    answers = TapeAnswers(tape, progress)
    played = [ask(answers, a_find("security", "# Code around the changes\n\nmore")) for _ in range(2)]
    over, other = ask(answers, a_find("security")), ask(answers, a_find("behavior"))

    assert [answer_text(each) for each in played] == ["First report", "Second report"]
    assert isinstance(played[0], Reply)
    assert played[0].message is not None
    assert over == failure(404, "nothing was recorded for ('python/discount', 1, 0, 'security')")
    assert other == failure(404, "nothing was recorded for ('python/discount', 1, 0, 'behavior')")
    assert len(tape.missing) == 2


def a_tape(folder: Path, *said: str, digest: str = "") -> Tape:
    """A tape of the made-up case: the answers of its reader of security; the last to the request with this digest."""
    lines = []
    for order, words in enumerate(said):
        answer = {"content": [{"type": "text", "text": words}], "stop_reason": "end_turn"}
        place = {"case": "python/discount", "repeat": 1, "push": 0, "part": "security", "order": order}
        request = digest if order == len(said) - 1 else f"{order}"
        lines.append(json.dumps({**place, "request": request, "answer": answer}))
    (folder / FILE_NAME).write_text("\n".join(lines))
    return Tape(folder)


def test_the_very_same_request_gets_its_own_answer(tmp_path: Path, progress: Progress) -> None:
    """The requests before it do not matter."""
    request = a_find("security")
    answers = TapeAnswers(a_tape(tmp_path, "First", "Own", digest=digest_of(request)), progress)

    assert [answer_text(answers.answer(request)) for _ in range(2)] == ["Own", "First"]


def test_cases_that_are_on_the_tape_are_answered_from_it_and_others_by_others(
    tmp_path: Path, progress: Progress
) -> None:
    """What the tape lacks is noted: at the beginning of a conversation it fails, later the model finishes."""
    tape = a_tape(tmp_path, "First", "Second")
    answers = TapeAnswers(tape, progress, Script().when(lambda _: True, text("By hand"), always=True))
    request = a_find("security")
    later = [{"role": "assistant", "content": "…"}, {"role": "user", "content": "Not finished: no ruling on 2."}]

    first, second = (answer_text(answers.answer(request)) for _ in range(2))
    other = answer_text(answers.answer(a_find("security", title="Another one")))
    over = answers.answer(request)
    last = answers.answer({"messages": [*request["messages"], *later]})

    assert (first, second, other) == ("First", "Second", "By hand")
    assert isinstance(over, Failure)
    assert last == reporting()
    assert tape.missing == ["nothing was recorded for ('python/discount', 1, 0, 'security')"] * 2


def test_a_tape_says_whose_answers_it_holds(tmp_path: Path, progress: Progress, client: anthropic.Anthropic) -> None:
    """The recorder writes it, or a person does; without either the tape says that the file is missing."""
    Recorder(tmp_path, progress, client, whose="claude-sonnet-5-5")
    (tmp_path / FILE_NAME).touch()

    by_recording = Tape(tmp_path).whose
    (tmp_path / WHOSE_FILE_NAME).write_text("a colleague who saw the requests only\n\nIn May.\n")
    by_hand = Tape(tmp_path).whose
    (tmp_path / WHOSE_FILE_NAME).unlink()

    assert (by_recording, by_hand) == ("claude-sonnet-5-5", "a colleague who saw the requests only")
    assert Tape(tmp_path).whose == f"somebody (there is no whose.txt in {tmp_path})"


def test_a_folder_without_a_tape_is_an_error(tmp_path: Path) -> None:
    """A missing tape and a file that is no tape raise the same error, which names the file."""
    with pytest.raises(UnreadableTape, match=FILE_NAME):
        Tape(tmp_path)

    (tmp_path / FILE_NAME).write_text('{"case": "x"}\n')
    with pytest.raises(UnreadableTape, match="order"):
        Tape(tmp_path)


def test_an_unreachable_model_is_answered_as_a_failure_of_the_service(tmp_path: Path, progress: Progress) -> None:
    """The engine then retries."""
    with anthropic.Anthropic(api_key=_KEY, base_url="http://127.0.0.1:1") as client:
        answer = ask(Recorder(tmp_path, progress, client), a_find("security"))

    assert isinstance(answer, Failure)
    assert (answer.status, answer.message.partition(":")[0]) == (502, "the model cannot be reached")
