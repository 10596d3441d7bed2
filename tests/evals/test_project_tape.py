"""The project's tape: what is on it, and for which cases a run uses it; CI replays all of it."""

from evals.case import read_cases
from evals.progress import Position, Progress
from evals.system import tape_or_recordings
from evals.tape import TAPE, read_lines
from local.model import Reply
from tests.evals.test_recorded import a_find


def test_each_line_of_the_tape_is_about_a_push_of_a_case() -> None:
    """It names one that is there, and orders are counted from 0 for each part."""
    cases = {case.slug: case for case in read_cases()}
    lines = read_lines(TAPE)

    orders: dict[tuple[object, ...], list[int]] = {}
    for line in lines:
        assert 0 <= line["push"] < len(cases[line["case"]].pushes), line["case"]
        assert line["answer"]["stop_reason"] == "tool_use"
        key = tuple(line[name] for name in ("case", "repeat", "push", "part"))
        orders.setdefault(key, []).append(line["order"])

    assert len({line["case"] for line in lines}) == 12
    assert {line["repeat"] for line in lines} == {1}
    assert [key for key, found in orders.items() if found != [*range(len(found))]] == []


def test_cases_that_are_on_the_tape_are_replayed_from_it_and_others_from_their_recordings() -> None:
    """The first line of a run names both sources; an answer that the tape lacks is known to the run."""
    cases = read_cases(pattern="*/[ps][rt][ir][ce]*")
    progress = Progress()
    for case in cases:
        progress[case.definition.title] = Position(case.slug, 1, 0)

    reviewer = tape_or_recordings(TAPE, cases, progress)

    assert reviewer.answers is not None
    assert reviewer.recorded is not None
    by_hand, taped, _ = (reviewer.answers.answer(a_find("generalist", title=case.definition.title)) for case in cases)
    assert reviewer.replays == (
        "the answers of a model that saw only the requests for 2 cases, and answers written by hand for 1"
    )
    assert {case.slug: reviewer.recorded.has(case.slug) for case in cases} == {
        "java/price-groups": True,
        "python/stream-feed": False,
        "typescript/price-list-cache": False,
    }
    assert isinstance(by_hand, Reply)
    assert by_hand == reviewer.recorded.answer(a_find("generalist", title=cases[0].definition.title))
    assert isinstance(taped, Reply)
    assert list(taped.content) in [line["answer"]["content"] for line in read_lines(TAPE)]
    assert reviewer.missing == []
    reviewer.answers.answer(a_find("nobody", title=cases[1].definition.title))
    assert reviewer.missing == ["nothing was recorded for ('python/stream-feed', 1, 0, 'nobody')"]
