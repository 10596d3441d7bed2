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
from local.model import Answers, Failure, ModelStandIn, Reply, Script, failure, is_extract, is_judge, json_reply, text
from tests.evals.test_recorded import a_find, a_judgement, an_extract
from tests.local.model.judging import a_candidate, a_claim

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
    script.when(is_judge, json_reply({"rulings": [], "resolutions": []}), always=True)
    with ModelStandIn(script.when(is_extract, json_reply({}), always=True)) as model:
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
    data, judged = ask(answers, an_extract("Second report")), ask(answers, a_judgement(a_candidate()))

    lines = [json.loads(line) for line in (tmp_path / "new" / FILE_NAME).read_text().splitlines()]
    assert [answer_text(each) for each in (first, second, data)] == ["First report", "Second report", "{}"]
    assert failed == failure(529, "busy", retry_after=7)
    assert [(line["push"], line["part"], line["order"]) for line in lines] == [
        (0, "security", 0),
        (0, "security", 1),
        (0, "security/data", 0),
        (0, "judge", 0),
    ]
    assert {line["case"] for line in lines} == {"python/discount"}
    assert isinstance(first, Reply)
    assert isinstance(judged, Reply)
    assert lines[0]["answer"] == first.message
    assert lines[0]["answer"]["usage"]["output_tokens"] == 3
    assert _KEY not in (tmp_path / "new" / FILE_NAME).read_text()


def test_a_tape_plays_back_in_order_by_case_push_and_part(
    tmp_path: Path, progress: Progress, client: anthropic.Anthropic
) -> None:
    """A request in other words gets the next answer of its part; the same report is extracted alike each time."""
    recording = Recorder(tmp_path, progress, client)
    for _ in range(3):
        ask(recording, a_find("security"))
    ask(recording, an_extract("Second report"))

    tape = Tape.read(tmp_path, progress)
    answers = TapeAnswers(tape)
    played = [ask(answers, a_find("security", "# Code around the changes\n\nmore")) for _ in range(2)]
    data = [ask(answers, an_extract("Second report")) for _ in range(2)]
    over, other = ask(answers, a_find("security")), ask(answers, a_find("performance"))

    assert [answer_text(each) for each in [*played, *data]] == ["First report", "Second report", "{}", "{}"]
    assert isinstance(played[0], Reply)
    assert played[0].message is not None
    assert over == failure(404, "nothing was recorded for ('python/discount', 1, 0, 'security')")
    assert other == failure(404, "nothing was recorded for ('python/discount', 1, 0, 'performance')")
    assert len(tape.missing) == 2


def a_tape(folder: Path, progress: Progress, *said: tuple[str, str], digest: str = "") -> Tape:
    """A tape of the made-up case: parts, and the answers in each; the last one to the request with this digest."""
    lines = []
    for order, (part, words) in enumerate(said):
        answer = {"content": [{"type": "text", "text": words}], "stop_reason": "end_turn"}
        place = {"case": "python/discount", "repeat": 1, "push": 0, "part": part, "order": order}
        request = digest if order == len(said) - 1 else f"{order}"
        lines.append(json.dumps({**place, "request": request, "answer": answer}))
    (folder / FILE_NAME).write_text("\n".join(lines))
    return Tape.read(folder, progress)


def test_the_very_same_request_gets_its_own_answer(tmp_path: Path, progress: Progress) -> None:
    """The requests before it do not matter."""
    request = a_find("security")
    tape = a_tape(tmp_path, progress, ("security", "First"), ("security", "Own"), digest=digest_of(request))

    answers = TapeAnswers(tape)

    assert [answer_text(answers.answer(request)) for _ in range(2)] == ["Own", "First"]


def test_cases_that_are_on_the_tape_are_answered_from_it_and_others_by_others(
    tmp_path: Path, progress: Progress
) -> None:
    """A report is extracted alike as often as it is asked; what the tape lacks fails, and is noted."""
    tape = a_tape(tmp_path, progress, ("security", "First"), ("security/data", "{}"), ("security", "Second"))
    answers = TapeAnswers(tape, Script().when(lambda _: True, text("By hand"), always=True))

    first, second = (answer_text(answers.answer(a_find("security"))) for _ in range(2))
    data = [answer_text(answers.answer(an_extract("First"))) for _ in range(2)]
    other = answer_text(answers.answer(a_find("security", title="Another one")))
    over = answers.answer(a_find("security"))

    assert (first, second, data, other) == ("First", "Second", ["{}", "{}"], "By hand")
    assert isinstance(over, Failure)
    assert tape.missing == ["nothing was recorded for ('python/discount', 1, 0, 'security')"]


def test_questions_that_the_recorded_judge_never_got_are_missing_answers(tmp_path: Path, progress: Progress) -> None:
    """Its answer is given; each candidate and claim that neither it nor its earlier answers name is noted."""
    ruled = json.dumps({"rulings": [{"number": 1}], "resolutions": [{"finding": "F-1"}]})
    again = json.dumps({"rulings": [{"number": 2}], "resolutions": [{"finding": "F-2"}]})
    tape = a_tape(tmp_path, progress, ("judge", ruled), ("judge", again))
    request = a_judgement(a_candidate(1), a_candidate(2), claims=[a_claim("F-1"), a_claim("F-2")])

    answers = TapeAnswers(tape, Script())
    played = [answer_text(answers.answer(request)) for _ in range(2)]

    assert played == [ruled, again]
    assert [line.partition(": ")[2] for line in tape.missing] == [
        "nothing was recorded about candidate 2",
        "nothing was recorded about finding F-2",
    ]


def test_a_tape_says_whose_answers_it_holds(tmp_path: Path, progress: Progress, client: anthropic.Anthropic) -> None:
    """The recorder writes it, or a person does; without either the tape says that the file is missing."""
    Recorder(tmp_path, progress, client, whose="claude-sonnet-5-5")
    (tmp_path / FILE_NAME).touch()

    by_recording = Tape.read(tmp_path, progress).whose
    (tmp_path / WHOSE_FILE_NAME).write_text("a colleague who saw the requests only\n\nIn May.\n")
    by_hand = Tape.read(tmp_path, progress).whose
    (tmp_path / WHOSE_FILE_NAME).unlink()

    assert (by_recording, by_hand) == ("claude-sonnet-5-5", "a colleague who saw the requests only")
    assert Tape.read(tmp_path, progress).whose == f"somebody (there is no whose.txt in {tmp_path})"


def test_a_folder_without_a_tape_is_an_error(tmp_path: Path, progress: Progress) -> None:
    """A missing tape and a file that is no tape raise the same error, which names the file."""
    with pytest.raises(UnreadableTape, match=FILE_NAME):
        Tape.read(tmp_path, progress)

    (tmp_path / FILE_NAME).write_text('{"case": "x"}\n')
    with pytest.raises(UnreadableTape, match="order"):
        Tape.read(tmp_path, progress)


def test_an_unreachable_model_is_answered_as_a_failure_of_the_service(tmp_path: Path, progress: Progress) -> None:
    """The engine then retries."""
    with anthropic.Anthropic(api_key=_KEY, base_url="http://127.0.0.1:1") as client:
        answer = ask(Recorder(tmp_path, progress, client), a_find("security"))

    assert isinstance(answer, Failure)
    assert (answer.status, answer.message.partition(":")[0]) == (502, "the model cannot be reached")
