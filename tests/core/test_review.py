"""The readers of a change, their material, and a report that is lost in part or in whole."""

import threading
from functools import partial
from typing import Any

import pytest

from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.judge.candidates import Reports
from kodiai.core.model.messages import ModelRequest, Text
from kodiai.flows.review.review import run_concurrently
from kodiai.prompts.load import load
from tests.builders import a_file, a_finding, a_known, added
from tests.core.examining import CALLER, CRASH, FOUR, OLD, PRICED, Desk, desk
from tests.core.panel import FINISH, Books, Panel, found, reads, reporting, said, texts, turn, who
from tests.tables import each_row

TWO = {**CRASH, "title": "Two", "start_line": 2, "end_line": 2, "quote": "result = 0"}
BOTH = ["behavior", "promises"]
KNOWN = a_known(a_finding(start_line=3, quote="return values[0]"), id="F-0123456789ab", hunk="gone")


def blocks(question: ModelRequest) -> list[Text]:
    return [block for block in question.messages[0].blocks if isinstance(block, Text)]


def titles(asked: Reports) -> list[str]:
    return [each.finding.title for each in asked.findings]


def unread(asked: Reports) -> list[tuple[str, str]]:
    return [(skipped.path, skipped.reason) for skipped in asked.unread]


def test_a_large_change_is_read_by_each_reader_over_one_prefix() -> None:
    """System prompt, tools, pull request, changes and the code around are the same for all; the part is last.

    The first one sums up and nobody else: two summaries are one too many.
    """
    scene = desk({"behavior": [reporting(CRASH, what_changed="It adds.")]})

    asked = scene.ask()

    assert titles(asked) == ["An empty list raises IndexError"]
    assert [who(each) for each in scene.panel.asked] == BOTH
    assert {each.system for each in scene.panel.asked} == {f"{load('shared').strip()}\n\n{load('reviewer').strip()}"}
    assert len({repr([each.system, blocks(each)[:4], each.tools, each.effort]) for each in scene.panel.asked}) == 1
    assert [block.ends_prefix for block in blocks(scene.panel.asked[0])] == [True, False, False, True, True, False]
    assert [each.what_changed for each in asked.summaries] == ["It adds.", ""]
    assert [load("sum_up").strip() in scene.panel.shown_to(name)[-1] for name in BOTH] == [True, False]


def test_later_readers_are_shown_what_earlier_ones_found_and_each_text_that_they_looked_up_once() -> None:
    """After what all share, in front of their part, which says what it is for; without findings there is no list."""
    looks = turn(reads("src/caller.py"), reads("src/caller.py"))
    scene = desk({"behavior": [looks, looks, reporting(CRASH, TWO)], "promises": [reporting(TWO)]})
    silent = desk({})

    assert titles(scene.ask()) == ["An empty list raises IndexError", "Two"]
    silent.ask()

    *shared, looked_up, reported, part = scene.panel.shown_to("promises")
    assert shared == scene.panel.shown_to("behavior")[:-1] == silent.panel.shown_to("promises")[:-1]
    assert looked_up.split("\n")[:3] == [
        "# Looked up by the readers before you",
        "",
        'FILE "src/caller.py" lines 1-5 of 5',
    ]
    assert looked_up.count("total([])") == CALLER.count("total([])")
    assert reported.split("\n") == [
        "# Already reported",
        "",
        '{"title": "An empty list raises IndexError", "path": "src/app.py", "lines": "3", "severity": "MAJOR"}',
        '{"title": "Two", "path": "src/app.py", "lines": "2", "severity": "MAJOR"}',
    ]
    assert load("already_reported").strip() in part
    assert load("already_reported").strip() not in silent.panel.shown_to("promises")[-1]


def test_the_most_severe_failure_counts_and_nothing_more_is_begun() -> None:
    """A batch that has begun is finished first."""
    together, done = threading.Barrier(2, timeout=20), list[str]()

    def fails(error: Exception) -> None:
        together.wait()
        raise error

    with pytest.raises(Broken):
        run_concurrently([partial(fails, OutOfTime("late")), partial(fails, Broken("key"))], 2)
    with pytest.raises(StopIteration):
        run_concurrently([partial(done.append, "first"), partial(next, iter([])), partial(done.append, "third")], 1)

    assert done == ["first"]


DECLINED, DECLINES = "the model declined", [said("", "refusal")]
FORMLESS = found({**CRASH, "severity": "unheard of"})


@each_row(
    ("steps", "reason"),
    [
        ({"promises": DECLINES}, f"no promises review: {DECLINED}"),
        ({"promises": [said(" ")]}, "no promises review: the model gave no report (end_turn)"),
        (
            {"behavior": DECLINES, "promises": [said("", "max_tokens")]},
            f"no behavior review: {DECLINED}; no promises review: the model gave no report (max_tokens)",
        ),
        (
            {"promises": [said("Look.", "model_context_window_exceeded")]},
            "no promises review: the model gave no report (model_context_window_exceeded)",
        ),
        # It looks up for ever, though it was told that it may not.
        ({"promises": [turn(reads("src/app.py"))]}, "no promises review: the model did not finish"),
        # It never corrects a report that nobody can read.
        ({"promises": [turn(FORMLESS, FINISH), turn(FINISH)]}, "1 reported finding could not be read"),
        (
            {"behavior": DECLINES, "promises": [turn(FORMLESS, FINISH)]},
            f"no behavior review: {DECLINED}; 1 reported finding could not be read",
        ),
    ],
)
def test_files_that_a_reader_could_not_read_in_full_are_unread(steps: dict[str, Any], reason: str) -> None:
    """Each once, with every reason: nobody can say that such a change is in order."""
    asked = desk(steps, attempt=5).ask()

    assert unread(asked) == [("src/app.py", reason)]
    assert asked.problems == ()


def test_findings_of_a_reader_who_does_not_finish_are_reported_all_the_same() -> None:
    """It has not reported, so that the file is unread; the next reader is shown what it found."""
    scene = desk({"behavior": [turn(found(CRASH)), *DECLINES], "promises": [turn(FORMLESS, found(TWO), FINISH)]})

    asked = scene.ask()

    assert titles(asked) == ["An empty list raises IndexError", "Two"]
    reasons = f"no behavior review: {DECLINED}; 1 reported finding could not be read"
    assert unread(asked) == [("src/app.py", reasons)]
    assert "An empty list raises IndexError" in scene.panel.shown_to("promises")[-2]


def test_a_review_that_nobody_read_is_tried_again_and_the_last_try_says_so() -> None:
    """A review that names what was not read is better than none; without a file to name it is a problem of its own."""
    declined = {"generalist": DECLINES}
    image, before = (a_file("image.png", patch=None, blob=blob) for blob in "21")
    known = a_known(a_finding(path="image.png"), id="F-0123456789ab", hunk=None)

    with pytest.raises(Retry, match=f"the model read nothing: {DECLINED}"):
        desk(declined, small=True, attempt=4).ask()
    asked = desk(declined, small=True, attempt=5).ask()
    looking_back = Desk([image], {}, Panel(declined), known=[known], before=[before], attempt=5).ask()

    assert (asked.summaries, unread(asked)) == ((), [("src/app.py", DECLINED)])
    assert (looking_back.unread, looking_back.problems) == ((), (DECLINED,))


def batch_of(question: ModelRequest) -> str:
    return texts(question)[1]


def two_batches(**given: Any) -> Desk:
    """Two files, one conversation each; the one that has to do with identity is the riskier one."""
    files = {name: [f"{name[4]}{n} = {n}" for n in range(60)] for name in ("src/app.py", "src/login.py")}
    changed = [added(path, *lines) for path, lines in files.items()]
    texts_of = {path: "\n".join(lines) for path, lines in files.items()}
    given["parameters"] = {"limits/batch-tokens": "600", **given.get("parameters", {})}
    return Desk(changed, texts_of, Panel({}), **given)


def test_money_that_may_not_suffice_goes_to_the_riskiest_files() -> None:
    """They are asked about one at a time: all readers of the first batch, then those of the next.

    Only the batch that an outsider may reach has a reader of security.
    """
    three = [*BOTH, "security"]
    scene = two_batches(parameters={**PRICED, **FOUR}, allowance=0.15)
    scene.panel.steps = {name: [turn(FINISH, output_tokens=3_000)] for name in three}

    asked = scene.ask()

    order = [("login" in batch_of(each), who(each)) for each in scene.panel.asked]
    assert order == [(True, name) for name in three]
    [(path, reason)] = unread(asked)
    assert path == "src/app.py"
    assert reason.endswith("the budget `budget.perPullRequest` is used up")


@pytest.mark.parametrize("allowance", [None, 100.0])
def test_batches_are_read_at_the_same_time_if_the_money_plainly_suffices(allowance: float | None) -> None:
    """As where nothing limits it."""
    scene = two_batches(parameters={**PRICED, **FOUR}, allowance=allowance)
    together = threading.Barrier(2, timeout=20)

    def watch(question: ModelRequest) -> None:
        if who(question) == "behavior":
            together.wait()

    scene.panel.meanwhile = watch

    assert unread(scene.ask()) == []
    assert not together.broken


def test_when_the_money_is_used_up_nothing_more_is_asked() -> None:
    """What was recorded until then is reported, in the middle of a conversation too; who did not finish is named."""
    steps = {"behavior": [turn(found(CRASH), output_tokens=8_000)]}
    scene = desk(steps, parameters=PRICED, allowance=0.1)

    asked = scene.ask()

    used_up = "the budget `budget.perPullRequest` is used up"
    assert titles(asked) == ["An empty list raises IndexError"]
    assert [who(each) for each in scene.panel.asked] == ["behavior"]
    assert unread(asked) == [("src/app.py", used_up)]
    with pytest.raises(Refused, match=rf"Nothing was read: {used_up}"):
        desk({}, parameters=PRICED, allowance=0.001, attempt=5).ask()


def test_earlier_findings_are_asked_about_by_the_first_reader_and_need_not_be_reported_by_the_others() -> None:
    """They stand after what all share, so that the prefix stays the same.

    One that the first reader calls addressed is not listed as open to the next one.
    """
    answers = (
        {"answer": "CANNOT_TELL"},
        {"answer": "ADDRESSED", "quote": "return result + values[0]"},
        {"answer": "?"},
    )
    earlier = [{"finding": KNOWN.id, "why": "It is so.", **each} for each in answers]
    scenes = [desk({"behavior": [reporting(earlier=[each])]}, known=[KNOWN], before=[OLD]) for each in earlier]

    asked = [scene.ask() for scene in scenes]

    first = scenes[0].panel.shown_to("behavior")
    second, after, _ = (scene.panel.shown_to("promises") for scene in scenes)
    assert [[*each.earlier] for each in asked] == [[KNOWN.id], [KNOWN.id], []]
    lost = [("src/app.py", "1 answer about earlier findings could not be read")]
    assert [unread(each) for each in asked] == [[], [], lost]
    assert [text.split("\n")[0] for text in first] == [
        "# The pull request, as its author describes it",
        "# Its changes since the last review",
        "# Code around the changes",
        "# Its commits, and the other files that it changes",
        "# Pitfalls of Python",
        "# Findings of earlier reviews",
        "# Your part: behavior",
    ]
    assert first[:5] == second[:5]
    assert [text.split("\n")[0] for text in second[5:]] == ["# Already reported", "# Your part: promises"]
    assert KNOWN.finding.title in second[5]
    assert [text.split("\n")[0] for text in after[5:]] == ["# Your part: promises"]
    assert "# You also look back" in first[-1]
    assert "# You also" not in second[-1]


def test_two_threads_never_use_the_ledger_at_the_same_time() -> None:
    """The SDK's table is for one thread at a time."""

    class Narrow(Books):
        inside = 0

        def kept_answer(self, question: str) -> Any:
            self.inside += 1
            threading.Event().wait(0.01)
            assert self.inside == 1
            self.inside -= 1
            return super().kept_answer(question)

    scene = two_batches(parameters=FOUR, books=Narrow())

    assert unread(scene.ask()) == []
