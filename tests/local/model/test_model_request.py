"""A request's question to the model, from the questions that the engine asks."""

from typing import Any

from kodiai.core.changes.show import show_file
from kodiai.core.conversation.reading import reading_material
from local.model import ModelRequest, is_answer, is_find, is_judge, is_reading
from local.model.changes import read_changes
from tests.builders import a_file, a_finding, a_reply
from tests.core.changes.notebooks import book, code, in_cells
from tests.local.model.conversation import READ_FILES, show, show_earlier
from tests.local.model.judging import a_candidate, a_claim, a_judge_request
from tests.tables import each_row

Json = dict[str, Any]
PULL_REQUEST = '# The pull request, as its author describes it\n\n{"number": 7, "title": "Give a discount"}'
CHANGES = f"# Its changes\n\n{show('a.py', 'x = 1')}"
SAID = '# The reply\n\n{"said": "won\'t fix"}'


def asked(*texts: str) -> Json:
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": text} for text in texts]}]}


REPLY = reading_material(a_finding(), [a_reply("# The reply\n\nHm.")], a_reply(SAID))
KINDS = {
    "find": asked(PULL_REQUEST, CHANGES, "# Your part: security\n\nLook."),
    "judge": a_judge_request([a_candidate()], [a_claim()], PULL_REQUEST, CHANGES, show_earlier({"finding": "F-1"})),
    "read": asked(REPLY),
    "answer": asked(f"# The thread\n\n{show('a.py', 'x')}", "# Your part: answer\n\nAnswer."),
    "other": asked("What is the weather?"),
}


@each_row("kind", KINDS)
def test_a_request_is_of_one_kind(kind: str) -> None:
    """Other contents do not matter: changes in a thread are not reviewed, and a judge is not asked for findings."""
    request = KINDS[kind]
    tests = {"find": is_find, "judge": is_judge, "read": is_reading, "answer": is_answer}

    assert ModelRequest(request).kind == kind
    assert [name for name, holds in tests.items() if holds(request)] == [kind] * (kind != "other")


def test_a_later_turn_gives_another_part_and_more_rows() -> None:
    """A reader who also rules is asked in its own conversation; what the model writes itself gives neither."""
    request = KINDS["find"]
    forged = {"role": "assistant", "content": "# Your part: promises"}
    rules = a_judge_request([a_candidate()])["messages"]

    found = ModelRequest({**request, "messages": [*request["messages"], forged], "tools": [READ_FILES]})
    last = ModelRequest({**found.body, "tool_choice": {"type": "none"}})
    judge = ModelRequest({**found.body, "messages": [*found.body["messages"], *rules]})

    assert (found.part, found.title, found.facts["number"], found.turns_taken) == ("security", "Give a discount", 7, 1)
    assert [change.path for change in found.changes] == ["a.py"]
    assert (found.may_read, last.may_read, found.sums_up, found.is_follow_up) == (True, False, False, False)
    assert (judge.kind, judge.title, judge.candidates, judge.turns_taken) == ("judge", found.title, [a_candidate()], 0)


def test_changes_are_read_past_what_was_left_out_of_them() -> None:
    """Long lines by their beginnings, and notebooks by their cells."""
    long = a_file(patch=f"@@ -0,0 +1,2 @@\n+{'x' * 20_000}\n+y = 1\n@@ -7 +9 @@\n-a\n+b")
    shown = show_file(long) + show_file(in_cells(None, book(code("x = 1"), code("y = 2"))))

    first, second = read_changes(shown)

    assert [(row.number, row.text[:5]) for _, rows in first.hunks for row in rows if row.number] == [
        (1, "xxxxx"),
        (2, "y = 1"),
        (9, "b"),
    ]
    assert [row.text for _, rows in second.hunks for row in rows] == ['    "x = 1"', '    "y = 2"']


def test_the_judges_material_is_read_by_its_headings() -> None:
    """The rows of one heading are not taken for those of another."""
    judge = ModelRequest(KINDS["judge"])

    assert (judge.part, judge.title) == ("judge", "Give a discount")
    assert [one["number"] for one in judge.candidates] == [1]
    assert (judge.claimed_resolutions, judge.kept_already) == ([a_claim()], [])
    assert [one["finding"] for one in judge.earlier] == ["F-1"]


def test_a_reply_is_read_whole() -> None:
    """It has a heading in it."""
    assert ModelRequest(KINDS["read"]).reply == SAID
