"""Conversations turn by turn: reports by tools, until the model has finished, and answers in text."""

from typing import Any, cast

import pytest

from kodiai.core.errors import OutOfTime
from kodiai.core.model.messages import ModelAnswer, Text
from kodiai.flows.model.conversation import converse
from tests.core.examining import CRASH, Desk, desk
from tests.core.panel import FINISH, found, reads, reporting, said, told, turn
from tests.tables import each_row

TWO = {**CRASH, "title": "Two", "start_line": 2, "end_line": 2, "quote": "result = 0"}
NOWHERE = {**CRASH, "quote": "nobody wrote this"}
OPEN = "Not finished: refused and not corrected: report 1. Correct that, or finish again to leave it as it is."
REFUSED = "Report 1 is refused: its quote does not stand in src/app.py. It reads there:"
CUT, BOTH = "This call was cut off. Make it again, shorter.", [CRASH["title"], "Two"]
RECORDED = "Recorded as report 1, at src/app.py, lines 3."


def small(*turns: ModelAnswer | Exception, **given: Any) -> Desk:
    """A change that a generalist reads, in these turns."""
    return desk({"generalist": turns}, small=True, **given)


def outcome(scene: Desk) -> tuple[list[str], list[str]]:
    """The titles of what is reported, and why the file is unread."""
    asked = scene.ask()
    return [each.finding.title for each in asked.findings], [each.reason for each in asked.unread]


@each_row(
    ("turns", "titles", "results"),
    [
        # The end is taken last wherever it stands, so that it is refused with what stands behind it.
        ([turn(FINISH, found(NOWHERE)), reporting(CRASH)], [CRASH["title"]], [OPEN, REFUSED]),
        # The call at which the answer was cut off is made again, the others count.
        ([turn(found(CRASH), found(TWO), stop_reason="max_tokens"), reporting(TWO)], BOTH, [RECORDED, CUT]),
        # What only others may call is no tool.
        ([turn(("rule", {"number": 1})), reporting(CRASH, TWO)], BOTH, ["rule is no tool of yours"]),
    ],
)
def test_each_call_is_answered_and_what_is_recorded_is_reported(
    turns: list[ModelAnswer], titles: list[str], results: list[str]
) -> None:
    """The results stand in the order of the calls."""
    scene = small(*turns)

    assert outcome(scene) == (titles, [])
    assert len(scene.panel.asked) == len(turns)
    assert [each.partition("\n")[0] for question in scene.panel.asked for each in told(question)] == results


def test_a_text_alone_is_not_read_and_is_reminded_once() -> None:
    """Whoever writes another one has not reported; after a turn of tools there is another reminder."""
    reminded = small(said("I see."), turn(found(CRASH)), said("So."), turn(FINISH))
    writes_on = small(said("I see."), said("As I said."), attempt=5)

    assert outcome(reminded) == ([CRASH["title"]], [])
    assert outcome(writes_on) == ([], ["the model gave no report (end_turn)"])
    last = [question.messages[-1].blocks[-1] for question in (reminded.panel.asked[1], reminded.panel.asked[3])]
    assert {cast(Text, each).text for each in last} == {
        "What you write outside of the tools is not read. Report by the tools, then call `finish`."
    }


def test_twenty_turns_without_a_look_up_are_the_most() -> None:
    """A model that never finishes costs no more; what it has recorded counts, and what is refused goes to the judge."""
    scene = small(turn(found(CRASH), found({**NOWHERE, "title": "Two"})))

    assert outcome(scene) == ([CRASH["title"], "Two"], ["the model did not finish"])
    assert len(scene.panel.asked) == 20


def test_turns_of_look_ups_are_as_many_as_the_settings_say() -> None:
    """Then it is told so, once, and what it looks up all the same is not shown."""
    looks = turn(reads("src/caller.py"))
    scene = small(looks, looks, looks, reporting(CRASH), parameters={"limits/tool-turns": "2"})

    assert outcome(scene) == ([CRASH["title"]], [])
    said_so = "Nothing more can be looked up. Report what you have found, and finish."
    shown = [text for question in scene.panel.asked for text in told(question)]
    assert [said_so == text for text in shown] == [False, False, True]
    whole = [block for message in scene.panel.asked[-1].messages for block in message.blocks]
    assert sum(isinstance(block, Text) and block.text == said_so for block in whole) == 1


def test_a_killed_conversation_records_the_same_when_it_begins_again() -> None:
    """Kept turns are not asked again: what was recorded, looked up and refused follows from them."""
    turns = [
        turn(reads("src/caller.py"), found(TWO)),
        turn(found(NOWHERE)),
        turn(found({**CRASH, "number": 2}), FINISH),
    ]
    whole, killed = small(*turns), small(*turns[:2], OutOfTime("no time"), *turns[2:])

    def recorded(scene: Desk) -> object:
        read = scene.read()
        return read.reports, [each.transcript for of in read.by_batch for each in of.reports]

    expected = recorded(whole)
    with pytest.raises(OutOfTime):
        killed.read()
    assert recorded(killed) == recorded(killed) == expected
    assert len(killed.panel.asked) == len(turns) + 1


def test_an_answer_in_text_that_is_cut_off_goes_on_where_it_stopped() -> None:
    """Both parts are one answer; a refusal to go on does not take back the first one."""

    def answer(rest: ModelAnswer) -> tuple[str, str, int]:
        scene = desk({"Look.": [said("An ans", "max_tokens"), rest]})
        answer = converse(scene.scene()[1][0], [Text("Look.")])
        return answer.text, answer.stop_reason, len(scene.panel.asked)

    assert answer(said("wer.")) == ("An answer.", "end_turn", 2)
    assert answer(said("", "refusal")) == ("An ans", "max_tokens", 2)
