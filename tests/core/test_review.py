"""The reviewers of a change, their material, and a report that is lost in part or in whole."""

import json
import threading
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from kodiai.core.errors import Broken, OutOfTime, Overloaded, Refused, Retry
from kodiai.core.judge.candidates import Reports
from kodiai.core.model.messages import ModelRequest, Text, ToolUse
from kodiai.core.plan.reviewers import SPECIALISTS
from kodiai.flows.review.review import Slots, run_concurrently
from kodiai.prompts.load import load
from tests.builders import a_file, a_finding, a_known, added
from tests.core.examining import CRASH, FOUR, OLD, PRICED, Desk, desk
from tests.core.panel import Books, Panel, is_extract, prose, report, said, texts, who
from tests.tables import each_row

TWO = {**CRASH, "number": 2, "title": "Two", "start_line": 2, "end_line": 2, "quote": "result = 0"}
ALL = [*SPECIALISTS]
KNOWN = a_known(a_finding(start_line=3, quote="return values[0]"), id="F-0123456789ab", hunk="gone")


def blocks(question: ModelRequest) -> list[Text]:
    return [block for block in question.messages[0].blocks if isinstance(block, Text)]


def titles(asked: Reports) -> list[str]:
    return [finding.title for each in asked.reports for finding in each.findings]


def unread(asked: Reports) -> list[tuple[str, str]]:
    return [(skipped.path, skipped.reason) for skipped in asked.unread]


def test_a_large_change_is_read_by_each_reviewer_over_one_prefix() -> None:
    """System prompt, pull request, changes and the code around are the same for all, byte by byte; the part is last.

    The first one sums up and nobody else: four summaries are three too many, nor is the extraction asked for one.
    """
    scene = desk({"correctness": [prose(CRASH, what_changed="It adds.")], "security": [prose(what_changed="It subs.")]})

    asked = scene.ask()

    finds, extracts = ([each for each in scene.panel.asked if is_extract(each) is wanted] for wanted in (False, True))
    assert titles(asked) == ["An empty list raises IndexError"]
    assert [who(each) for each in finds] == ALL
    assert {each.system for each in finds} == {"\n\n".join([load("shared").strip(), load("reviewer").strip()])}
    assert len({repr([each.system, blocks(each)[:4], each.tools, each.effort]) for each in finds}) == 1
    assert [block.ends_prefix for block in blocks(finds[0])] == [True, False, False, True, True, False]
    assert {each.effort for each in finds} == {"high"}
    assert {each.effort for each in extracts} == {"low"}
    assert [each.what_changed for each in asked.reports] == ["It adds.", *[""] * len(ALL[1:])]
    assert [load("extract_summary") in each.system for each in extracts] == [True, False]


def test_later_reviewers_are_shown_the_first_ones_findings() -> None:
    """After what all share, in front of their part, which says what it is for; without findings there is no list."""
    scene = desk({"correctness": [prose(CRASH, TWO)], "security": [prose(TWO)]})
    silent = desk({"security": [prose(CRASH)]})

    scene.ask()
    silent.ask()

    for name in ALL[1:]:
        *shared, reported, part = scene.panel.shown_to(name)
        assert shared == scene.panel.shown_to("correctness")[:-1] == silent.panel.shown_to(name)[:-1]
        assert reported.split("\n") == [
            "# Already reported",
            "",
            '{"title": "An empty list raises IndexError", "path": "src/app.py", "lines": "3", "severity": "MAJOR"}',
            '{"title": "Two", "path": "src/app.py", "lines": "2", "severity": "MAJOR"}',
        ]
        assert load("already_reported").strip() in part
        assert load("already_reported").strip() not in silent.panel.shown_to(name)[-1]
    assert len(scene.panel.shown_to("correctness")) == 6


def test_later_reviewers_begin_together_once_the_first_ones_report_is_data() -> None:
    """Until then there is nothing to show them, and the prefix that they share is in nobody's cache."""
    scene = desk({"correctness": [prose(CRASH)]}, parameters=FOUR)
    extracted, together = threading.Event(), threading.Barrier(len(ALL) - 1, timeout=20)

    def watch(question: ModelRequest) -> None:
        if is_extract(question):
            threading.Event().wait(0.2)
            extracted.set()
        elif who(question) != "correctness":
            assert extracted.is_set()
            together.wait()

    scene.panel.meanwhile = watch

    assert titles(scene.ask()) == ["An empty list raises IndexError"]
    assert sorted(who(each) for each in scene.panel.asked if not is_extract(each)) == sorted(ALL)


def test_a_failure_of_one_keeps_the_answers_of_the_others() -> None:
    """The next try asks only what was not answered; the most severe failure is the one that counts."""
    scene = desk({"security": [Overloaded("no room")]})
    with pytest.raises(Overloaded):
        scene.ask()
    scene.panel.steps = {}

    scene.ask()

    assert [who(each) for each in scene.panel.asked] == ["correctness", "extract", "security", *ALL[1:]]


def test_the_most_severe_failure_counts_and_nothing_more_is_begun() -> None:
    """A batch that has begun is finished first."""
    together, done = threading.Barrier(2, timeout=20), list[str]()

    def fails(error: Exception) -> None:
        together.wait()
        raise error

    def at_once(tasks: list[partial[Any]], slots: Slots, threads: int) -> None:
        run_concurrently([partial(slots.run, task) for task in tasks], threads)

    with pytest.raises(Broken):
        at_once([partial(fails, OutOfTime("late")), partial(fails, Broken("key"))], Slots(2), 2)
    with pytest.raises(StopIteration):
        at_once([partial(done.append, "first"), partial(next, iter([])), partial(done.append, "third")], Slots(1), 1)

    assert done == ["first"]


def test_a_failure_in_one_batch_begins_nothing_in_another() -> None:
    """Its later reviewers are not asked, though their own first one has reported."""
    scene = two_batches(parameters=FOUR)
    fails, reported = threading.Event(), threading.Event()

    def watch(question: ModelRequest) -> None:
        if is_extract(question):
            reported.set()
            assert fails.wait(20)
            threading.Event().wait(0.2)
        elif "src/login.py" in batch_of(question):
            assert reported.wait(20)
            fails.set()
            raise Overloaded("no room")

    scene.panel.meanwhile = watch

    with pytest.raises(Overloaded):
        scene.ask()
    assert [who(each) for each in scene.panel.asked] == ["correctness", "extract"]


LOST = "the model declined"
LOST_FINDING = "1 reported finding could not be read"
FIRST, SECOND, CRASHES = {**CRASH, "number": 1}, {**CRASH, "number": 2}, "An empty list raises IndexError"
CUT = [said("a", "max_tokens"), said("b", "max_tokens")]
LOOKS = replace(said("", "tool_use"), blocks=(ToolUse("t1", "read_files", {"files": [{"path": "src/app.py"}]}),))


DECLINES, SILENT = [said("", "refusal")], [said("", "max_tokens")]
NO_REPORT = "the model gave no report"
NO_DATA = "no security review: the report could not be read"


@each_row(
    ("steps", "reason"),
    [
        ({"security": DECLINES}, f"no security review: {LOST}"),
        ({"security": [said(" ", "end_turn")]}, f"no security review: {NO_REPORT} (end_turn)"),
        (
            {"security": DECLINES, "performance": DECLINES},
            f"no security review: {LOST}; no performance review: {LOST}",
        ),
        (
            {"correctness": DECLINES, "security": SILENT},
            f"no correctness review: {LOST}; no security review: {NO_REPORT} (max_tokens)",
        ),
        ({"correctness": CUT}, "the correctness report was cut short"),
        ({"security": [said("Look.", "model_context_window_exceeded")]}, "the security report was cut short"),
        ({"security": ["Look."], "extract": [json.dumps(report()), "no data"]}, NO_DATA),
        # Somebody uses tools for ever, or without having any.
        ({"security": [LOOKS]}, f"no security review: {NO_REPORT} (tool_use)"),
        ({"security": ["Look."], "extract": [json.dumps(report()), LOOKS]}, NO_DATA),
        ({"security": [prose(CRASH, TWO)], "extract": [json.dumps(report(FIRST))]}, LOST_FINDING),
    ],
)
def test_files_that_a_reviewer_could_not_read_in_full_are_unread(steps: dict[str, Any], reason: str) -> None:
    """Each once, with every reason: nobody can say that such a change is in order."""
    asked = desk(steps).ask()

    assert unread(asked) == [("src/app.py", reason)]
    assert asked.problems == ()


def test_findings_of_an_unread_file_are_reported_all_the_same() -> None:
    """From the other reviewers, from a report that was cut off, from one that lost a finding."""
    cut = prose(CRASH)
    steps = {
        "correctness": [said("", "refusal")],
        "security": [said(cut[:40], "max_tokens"), said(cut[40:], "max_tokens")],
        "performance": [prose(CRASH, {**TWO, "severity": "unheard of"})],
    }

    asked = desk(steps).ask()

    lost = f"no correctness review: {LOST}; the security report was cut short; 1 reported finding could not be read"
    assert titles(asked) == ["An empty list raises IndexError"] * 2
    assert unread(asked) == [("src/app.py", lost)]


def test_a_review_that_nobody_read_is_tried_again_and_the_last_try_says_so() -> None:
    """A review that names what was not read is better than none; without a file to name it is a problem of its own."""
    declined = {"generalist": [said("", "refusal")]}
    image, before = (a_file("image.png", patch=None, blob=blob) for blob in "21")
    known = a_known(a_finding(path="image.png"), id="F-0123456789ab", hunk=None)

    with pytest.raises(Retry, match=f"the model read nothing: {LOST}"):
        desk(declined, small=True, attempt=4).ask()
    asked = desk(declined, small=True, attempt=5).ask()
    looking_back = Desk([image], {}, Panel(declined), known=[known], before=[before], attempt=5).ask()

    assert (asked.reports, unread(asked)) == ((), [("src/app.py", LOST)])
    assert (looking_back.unread, looking_back.problems) == ((), (LOST,))


def test_a_report_that_is_cut_off_goes_on_where_it_stopped() -> None:
    """Both parts are one report; a refusal to go on does not take back the first one."""
    whole = prose(CRASH)
    scene = desk({"generalist": [said(whole[:40], "max_tokens"), whole[40:]]}, small=True)
    refused = desk({"generalist": [said(whole, "max_tokens"), said("", "refusal")]}, small=True)

    asked, kept = scene.ask(), refused.ask()

    assert titles(asked) == titles(kept) == ["An empty list raises IndexError"]
    assert (unread(asked), unread(kept)) == ([], [("src/app.py", "the generalist report was cut short")])
    assert scene.panel.asked[1].messages[1].blocks == (Text(whole[:40]),)


def test_a_report_is_data_and_not_markdown() -> None:
    """The extractor gets the report with each line behind a bar: no line ends it.

    A prompt that took more than half of what the model holds, as the API says, is known.
    """
    report_of = said(f"{prose(CRASH)}\n</report>", input_tokens=450_000, cache_read_tokens=100_000)
    scene = desk({"generalist": [report_of]}, small=True)

    scene.ask()

    [report_block, *_] = scene.panel.shown_to("extract")
    lines = report_block.partition("<report>\n")[2].partition("\n</report>")[0].split("\n")
    assert lines[-1] == "| </report>"
    assert all(line.startswith("| ") for line in lines)
    assert scene.answers.use.crowded == {"claude-sonnet-5-5": 0.55}


@each_row(
    ("extractions", "found", "lost", "times"),
    [
        # Finding 2 is left out, asked for once more, and there.
        ([report(FIRST), report(TWO)], [CRASHES, "Two"], [], 2),
        # It is left out twice: that is said.
        ([report(FIRST)], [CRASHES], [LOST_FINDING], 2),
        # What the headings do not count is taken over all the same: its quote has to stand in the code anyway.
        ([report(FIRST, {**TWO, "number": 3}, SECOND)], [CRASHES, "Two", CRASHES], [], 1),
        # What is no data is asked for once more.
        (["Here you are: {", report(FIRST, TWO)], [CRASHES, "Two"], [], 2),
        # One without a number stands for one of the headings.
        ([report(CRASH)], [CRASHES], [LOST_FINDING], 2),
    ],
)
def test_nothing_is_lost_between_the_report_and_the_data(
    extractions: list[Any], found: list[str], lost: list[str], times: int
) -> None:
    """Every finding of the prose is in the data, or is asked for once more, or counted."""
    steps = {"generalist": [prose(CRASH, TWO)], "extract": [json.dumps(each) for each in extractions]}
    scene = desk(steps, small=True)

    asked = scene.ask()

    assert titles(asked) == found
    assert [skipped.reason for skipped in asked.unread] == lost
    assert scene.panel.times("extract") == times


FEE = "The fee is lost in every order."
LOST_FEE = {**TWO, "title": "The fee is lost", "explanation": FEE}


@each_row(
    ("extractions", "lost", "times"),
    [
        # A finding without the heading that was asked for is left out, asked for once more, and there.
        ([report(CRASH), report(LOST_FEE)], [], 2),
        # It was there, with a severity that is none.
        ([report(CRASH, {**LOST_FEE, "severity": "SEVERE"}), report(LOST_FEE)], [], 2),
        # It is a preface, or the like.
        ([report(CRASH), report(nothing=[FEE])], [], 2),
        # It is left out twice.
        ([report(CRASH)], ["1 passage of the generalist report became no data"], 2),
        ([report()], ["1 passage of the generalist report became no data"], 2),
    ],
)
def test_a_passage_that_becomes_no_data_is_asked_for_once_more(
    extractions: list[Any], lost: list[str], times: int
) -> None:
    """The question names it. What is still left then was not reported, and its files are unread."""
    steps = {
        "generalist": [f"### Befund\n{CRASH['title']}\n{CRASH['explanation']}\n\n{FEE}"],
        "extract": [json.dumps(each) for each in extractions],
    }
    scene = desk(steps, small=True)

    asked = scene.ask()

    assert [skipped.reason for skipped in asked.unread] == lost
    assert scene.panel.times("extract") == times
    question = [each for each in scene.panel.asked if is_extract(each)][-1]
    assert texts(question)[-1].endswith(f"| {FEE}\n</missing>")
    assert load("extract_again") in question.system


ANSWER = {"finding": KNOWN.id, "answer": "ADDRESSED"}


@pytest.mark.parametrize(
    ("answers", "answered", "lost"),
    [
        ([[ANSWER]], 1, []),
        ([[], [ANSWER]], 1, []),
        ([[{**ANSWER, "answer": "FIXED"}], [ANSWER]], 1, []),
        ([[]], 0, ["1 answer about earlier findings could not be read"]),
    ],
)
def test_no_answer_about_an_earlier_finding_is_lost_on_the_way(
    answers: list[Any], answered: int, lost: list[str]
) -> None:
    """One whose id the report names is asked for once more where the data lacks it, then counted."""
    steps = {
        "generalist": [f"## Earlier findings\n{KNOWN.id}: ADDRESSED"],
        "extract": [json.dumps(report(earlier=each)) for each in answers],
    }
    scene = desk(steps, small=True, known=[KNOWN], before=[OLD])

    asked = scene.ask()

    assert len(asked.earlier) == answered
    assert [skipped.reason for skipped in asked.unread] == lost
    if scene.panel.times("extract") > 1:
        assert scene.panel.shown_to("extract", 1)[0].endswith("\n</missing>")
        assert f"<missing>\n| {KNOWN.id}\n" in scene.panel.shown_to("extract", 1)[0]


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
    """They are asked about one at a time: all reviewers of the first batch, then those of the next."""
    scene = two_batches(parameters={**PRICED, **FOUR}, allowance=0.04 * len(ALL))
    scene.panel.steps = {name: [said("NOTHING TO REPORT", output_tokens=3_000)] for name in ALL}

    asked = scene.ask()

    order = [(("login" in batch_of(each)), who(each)) for each in scene.panel.asked if not is_extract(each)]
    assert order[: len(ALL)] == [(True, name) for name in ALL]
    [(path, reason)] = unread(asked)
    assert path == "src/app.py"
    assert reason.endswith("the budget `budget.perPullRequest` is used up")


@pytest.mark.parametrize("allowance", [None, 100.0])
def test_batches_are_read_at_the_same_time_if_the_money_plainly_suffices(allowance: float | None) -> None:
    """As where nothing limits it."""
    scene = two_batches(parameters={**PRICED, **FOUR}, allowance=allowance)
    together = threading.Barrier(2, timeout=20)

    def watch(question: ModelRequest) -> None:
        if who(question) == "correctness":
            together.wait()

    scene.panel.meanwhile = watch

    assert unread(scene.ask()) == []
    assert not together.broken


def test_when_the_money_is_used_up_nothing_more_is_asked() -> None:
    """Findings are reported; reviewers that were not asked are named. Reports that were paid for still become data."""
    steps: dict[str, Any] = {"correctness": [said(prose(CRASH), output_tokens=4_000)]}
    scene = desk(steps, parameters=PRICED, allowance=0.1)

    asked = scene.ask()

    assert titles(asked) == ["An empty list raises IndexError"]
    assert [who(each) for each in scene.panel.asked] == ["correctness", "extract"]
    missing = [f"no {name} review: the budget `budget.perPullRequest` is used up" for name in ALL[1:]]
    assert unread(asked) == [("src/app.py", "; ".join(missing))]
    with pytest.raises(Refused, match=r"Nothing was read: the budget `budget.perPullRequest` is used up"):
        desk({}, parameters=PRICED, allowance=0.001, attempt=5).ask()


def test_earlier_findings_are_asked_about_by_the_first_reviewer_and_need_not_be_reported_by_the_others() -> None:
    """They stand after what all share, so that the prefix stays the same; their ids decide what counts as an answer."""
    scene = desk({}, known=[KNOWN], before=[OLD])

    scene.ask()

    first, second = scene.panel.shown_to("correctness"), scene.panel.shown_to("security")
    assert [text.split("\n")[0] for text in first] == [
        "# The pull request, as its author describes it",
        "# Its changes since the last review",
        "# Code around the changes",
        "# Its commits, and the other files that it changes",
        "# Pitfalls of Python",
        "# Findings of earlier reviews",
        "# Your part: correctness",
    ]
    assert first[:5] == second[:5]
    assert [text.split("\n")[0] for text in second[5:]] == ["# Already reported", "# Your part: security"]
    assert KNOWN.finding.title in second[5]
    assert "# You also look back" in first[-1]
    assert "# You also" not in second[-1]
    [extraction] = [each for each in scene.panel.asked if is_extract(each)]
    assert load("extract_earlier") in extraction.system


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

    scene = desk({}, parameters=FOUR, books=Narrow())

    assert unread(scene.ask()) == []
