"""What becomes of the changes in a run: who reads them, what of their reports is told, and what it rests on."""

import json
import threading
from functools import partial
from typing import Any

import pytest

from kodiai.core.config import Config, ReviewConfig
from kodiai.core.errors import Broken, OutOfTime, Overloaded, Refused
from kodiai.flows.review.ask import at_once
from kodiai.ports import Question
from tests.builders import a_finding, a_known, added
from tests.core.examining import Desk, Panel, prose, report, said, verdicts, who
from tests.core.test_answers import Books

LINES = ["def total(values):", "    result = 0", "    return result + values[0]"]
LINES += [f"x{n} = {n}" for n in range(120)]
LARGE = added("src/app.py", *LINES)
SMALL = added("src/app.py", *LINES[:3])
FILES = {"src/app.py": "\n".join(LINES) + "\n", "src/caller.py": "from app import total\n\ntotal([])\n"}
CRASH = {
    **a_finding(
        start_line=3, quote="    return result + values[0]", title="An empty list raises IndexError"
    ).model_dump(exclude={"pre_existing", "caveat"}),
    "cause": None,
}
ALL = ["correctness", "security", "performance", "tests", "documentation"]
TWO = {
    **CRASH,
    "number": 2,
    "title": "Two",
    "start_line": 2,
    "end_line": 2,
    "quote": "result = 0",
    "explanation": "Decimals are added to a number.",
}
SEEN = {"path": "src/caller.py", "quote": "total([])"}


def desk(steps: dict[str, Any], *, small: bool = True, **given: Any) -> Desk:
    return Desk([SMALL if small else LARGE], FILES, Panel(steps), **given)


def blocks(question: Question) -> list[Any]:
    return list(question.messages[0]["content"])


def told(examined: Any) -> list[str]:
    return [kept.finding.title for kept in examined.judgement.kept]


def reasons(examined: Any) -> list[str]:
    return [dropped.reason for dropped in examined.judgement.dropped]


def test_a_large_change_is_read_by_each_reviewer_over_one_prefix() -> None:
    """Brief, pull request, changes and the code around are the same for all, byte by byte; the part comes last."""
    scene = desk({"correctness": [prose(CRASH)], "verification": [verdicts(SEEN)]}, small=False)

    examined = scene.examine()

    assert list(examined.reviewers) == ALL
    assert told(examined) == ["An empty list raises IndexError"]
    finds = [each for each in scene.panel.asked if each.schema is None]
    assert [who(each) for each in finds] == [*ALL, "verification"]
    shared = {json.dumps([each.system, blocks(each)[:-1], each.tools, each.effort]) for each in finds[:5]}
    assert len(shared) == 1
    assert blocks(finds[5])[:-2] == blocks(finds[0])[:-1]
    assert ["cache_control" in block for block in blocks(finds[0])] == [True, False, True, False]
    assert {each.effort for each in finds} == {"high"}
    assert {each.effort for each in scene.panel.asked if each.schema} == {None}


def test_the_first_reviewer_sums_up_and_nobody_else_does() -> None:
    """Five summaries of one change are four too many."""
    steps = {name: [prose({**CRASH, "severity": "MINOR"}, what_changed=f"By {name}.")] for name in ALL}

    examined = desk(steps, small=False).examine()

    assert [each.what_changed for each in examined.asked.reports] == ["By correctness.", "", "", "", ""]
    assert (told(examined), len(examined.judgement.dropped)) == (["An empty list raises IndexError"], 4)


def test_no_reviewer_asks_before_the_first_has_an_answer() -> None:
    """Until then the prefix that they share is in nobody's cache, and each would pay for it; then all go at once."""
    scene = desk({}, small=False, parameters={"limits/parallel-calls": "4"})
    first, together = threading.Event(), threading.Barrier(3, timeout=20)

    def watch(question: Question) -> None:
        if who(question) == "correctness":
            threading.Event().wait(0.2)
            first.set()
        elif question.schema is None:
            assert first.is_set()
            if who(question) in ("security", "performance", "tests"):
                together.wait()

    scene.panel.meanwhile = watch

    assert scene.examine().judgement.kept == ()
    assert scene.panel.times("documentation") == 1


def test_a_failure_of_one_keeps_what_the_others_were_told() -> None:
    """The next try asks only what was not answered; the gravest failure is the one that counts."""
    scene = desk({"security": [Overloaded("no room")]}, small=False)
    with pytest.raises(Overloaded):
        scene.examine()
    scene.panel.steps = {}

    scene.examine()

    assert [who(each) for each in scene.panel.asked] == [
        *("correctness", "extract", "security"),
        *("security", "performance", "tests", "documentation"),
    ]


def test_the_gravest_failure_counts_and_nothing_more_is_begun() -> None:
    """What has begun is finished first."""
    together, done = threading.Barrier(2, timeout=20), list[str]()

    def fails(error: Exception) -> None:
        together.wait()
        raise error

    with pytest.raises(Broken):
        at_once([partial(fails, OutOfTime("late")), partial(fails, Broken("key"))], 2)
    with pytest.raises(StopIteration):
        at_once([partial(done.append, "first"), partial(next, iter([])), partial(done.append, "third")], 1)

    assert done == ["first"]


PRICE = {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 2.5}
FOUR = {"limits/parallel-calls": "4"}


def test_a_reviewer_who_declines_costs_no_file() -> None:
    """It is said; only where nobody gave a report the files count as not read."""
    scene = desk({"security": [said("", "refusal")], "tests": [said("", "max_tokens")]}, small=False)

    examined = scene.examine()

    assert examined.asked.unread == ()
    assert examined.asked.problems == (
        "no security review of 1 file: the model declined to read it",
        "no tests review of 1 file: the model gave no report (max_tokens)",
    )
    with pytest.raises(Broken, match="the model read nothing: the model declined to read it"):
        desk({"generalist": [said("", "refusal")]}).examine()


def test_a_report_that_is_cut_off_goes_on_where_it_stopped() -> None:
    """Both parts are one report; where the second is cut off too that is said."""
    whole = prose(CRASH)
    first, rest = whole[:40], whole[40:]
    scene = desk({"generalist": [said(first, "max_tokens"), rest], "verification": [verdicts(SEEN)]})

    examined = scene.examine()

    assert told(examined) == ["An empty list raises IndexError"]
    assert examined.asked.problems == ()
    assert scene.panel.asked[1].messages[1]["content"] == [{"type": "text", "text": first}]
    again = desk({"generalist": [said("a", "max_tokens"), said("b", "max_tokens")]}).examine()
    assert again.asked.problems == ("the generalist report was cut short (max_tokens)",)


@pytest.mark.parametrize(
    ("rulings", "attempt", "titles", "reason", "caveat"),
    [
        ([verdicts(SEEN)], 1, ["An empty list raises IndexError"], None, None),
        (
            [verdicts({**SEEN, "valid": {"yes": False, "why": "Nobody passes one."}})],
            1,
            [],
            "a second look rejects it: not valid: Nobody passes one.",
            None,
        ),
        # An invented quote is asked about once more, and counts for nothing.
        (
            [verdicts({"path": "src/caller.py", "quote": "total(None)"}), verdicts(SEEN)],
            1,
            ["An empty list raises IndexError"],
            None,
            None,
        ),
        (
            [verdicts({"path": "src/caller.py", "quote": "total(None)"})],
            1,
            [],
            "a second look rejects it: not valid: no code that is there was quoted to show it",
            None,
        ),
        # No answer at all leaves a grave finding standing, and says so.
        (
            [said("", "refusal")],
            1,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model gave no answer (refusal)",
        ),
        (
            ["I am not sure."],
            1,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model's answer has no list of verdicts",
        ),
        (
            [Overloaded("no room")],
            5,
            ["An empty list raises IndexError"],
            None,
            "a second look could not settle it: the model was busy",
        ),
    ],
)
def test_what_blocks_is_looked_at_twice(
    rulings: list[Any], attempt: int, titles: list[str], reason: str | None, caveat: str | None
) -> None:
    """One proven no holds it back; what cannot be verified is told with that caveat."""
    examined = desk({"generalist": [prose(CRASH)], "verification": rulings}, attempt=attempt).examine()

    assert told(examined) == titles
    assert reasons(examined) == ([reason] if reason else [])
    assert [kept.finding.caveat for kept in examined.judgement.kept] == ([caveat] if titles else [])
    assert examined.verified == 1


def test_the_second_look_may_find_that_two_are_the_same() -> None:
    """In words that share nothing; the graver one is told. Far apart, or in another file, they stay two."""
    near = {**CRASH, "title": "Nobody thought of Sundays", "explanation": "Then nothing comes in.", "severity": "MAJOR"}
    near |= {"start_line": 2, "end_line": 2, "quote": "    result = 0"}
    far = {**near, "start_line": 60, "end_line": 60, "quote": "x56 = 56", "title": "Fridays are lost"}
    grave = {**CRASH, "severity": "CRITICAL"}
    one = {"path": "src/app.py", "quote": "result = 0"}
    steps = {"correctness": [prose(grave, near, far)]}
    steps["verification"] = [verdicts({**one}, {**one, "same_as": 1}, {**one, "same_as": 1})]

    examined = desk(steps, small=False).examine()

    assert told(examined) == ["An empty list raises IndexError", "Fridays are lost"]
    assert reasons(examined) == ["the second look finds it to be the same as what is said of line 3"]


def test_what_says_the_same_as_something_rejected_has_a_second_look_of_its_own() -> None:
    """The graver wording is wrong, the other one is right: it is not lost with its twin."""
    wrong = {**CRASH, "severity": "CRITICAL", "title": "An empty list empties the ledger with an IndexError"}
    no = {**SEEN, "valid": {"yes": False, "why": "There is no ledger."}}
    steps = {"generalist": [prose(wrong, CRASH)], "verification": [verdicts(no), verdicts(SEEN)]}
    scene = desk(steps)

    examined = scene.examine()

    assert told(examined) == ["An empty list raises IndexError"]
    assert reasons(examined) == ["a second look rejects it: not valid: There is no ledger."]
    assert (scene.panel.times("verification"), examined.verified) == (2, 2)


def test_which_findings_are_looked_at_twice_is_the_repositorys_choice() -> None:
    """Those that block, all, or none; one that does not block and could not be verified is held back."""
    minor = {**CRASH, "severity": "MINOR"}

    def asked(verify: Any, finding: Any, *rulings: Any) -> tuple[int, list[str], list[str]]:
        config = Config(review=ReviewConfig(verify=verify))
        scene = desk({"generalist": [prose(finding)], "verification": list(rulings)}, config=config)
        examined = scene.examine()
        return scene.panel.times("verification"), told(examined), reasons(examined)

    assert asked("none", CRASH) == (0, ["An empty list raises IndexError"], [])
    assert asked("blocking", minor) == (0, ["An empty list raises IndexError"], [])
    assert asked("all", minor, verdicts(SEEN)) == (1, ["An empty list raises IndexError"], [])
    assert asked("all", minor, said("", "refusal"))[1:] == (
        [],
        ["it could not be verified: the model gave no answer (refusal)"],
    )


def test_the_second_look_is_shown_what_is_left_and_no_more_than_eight_at_once() -> None:
    """Each with its number, after the duplicates and what is not grounded are gone."""
    many = [
        {
            **CRASH,
            "title": f"x{n * 10} is wrong",
            "explanation": f"Because of x{n * 10}.",
            "quote": f"x{n * 10} = {n * 10}",
            "start_line": 4 + n * 10,
            "end_line": 4 + n * 10,
        }
        for n in range(9)
    ]
    steps: dict[str, Any] = {"correctness": [prose(*many, {**CRASH, "quote": "nowhere()"})]}
    steps["verification"] = [verdicts(*[SEEN] * 8), verdicts(SEEN)]

    examined = desk(steps, small=False).examine()
    scene = desk(steps, small=False)
    scene.examine()

    assert len(told(examined)) == 9
    shown = [scene.panel.shown_to("verification", nth)[-2].split("\n")[2:] for nth in (0, 1)]
    assert [len(rows) for rows in shown] == [8, 1]
    assert [json.loads(rows[0])["number"] for rows in shown] == [1, 1]
    assert "nowhere()" not in "".join(map("".join, shown))


@pytest.mark.parametrize(
    ("extractions", "titles", "problems", "times"),
    [
        # Finding 2 is left out, asked for once more, and there.
        (
            [
                report({**CRASH, "number": 1}),
                report(TWO),
            ],
            ["Two", "An empty list raises IndexError"],
            (),
            2,
        ),
        # It is left out twice: that is said.
        (
            [report({**CRASH, "number": 1})],
            ["An empty list raises IndexError"],
            ("1 reported findings or answers could not be read",),
            2,
        ),
        # What the headings do not count is taken over all the same: its quote has to stand in the code anyway.
        (
            [report({**CRASH, "number": 1}, {**TWO, "number": 3}, {**CRASH, "number": 2, "quote": "nowhere"})],
            ["Two", "An empty list raises IndexError"],
            (),
            1,
        ),
        # Without numbers they are only counted.
        (
            [report(CRASH)],
            ["An empty list raises IndexError"],
            ("1 reported findings or answers could not be read",),
            1,
        ),
    ],
)
def test_nothing_is_lost_between_the_report_and_the_data(
    extractions: list[Any], titles: list[str], problems: tuple[str, ...], times: int
) -> None:
    """Every finding of the prose is in the data, or is asked for once more, or counted."""
    steps = {
        "generalist": [prose(CRASH, {**CRASH, "title": "Two"})],
        "extract": [json.dumps({**each, "what_changed": "It adds up."}) for each in extractions],
    }
    scene = desk(steps, config=Config(review=ReviewConfig(verify="none")))

    examined = scene.examine()

    assert told(examined) == titles
    assert examined.asked.problems == problems
    assert scene.panel.times("extract") == times


def test_when_the_money_is_used_up_nothing_more_is_asked() -> None:
    """What was read is told; who was not asked is named. Reports that were paid for are still turned into data."""
    prices = json.dumps(dict.fromkeys(("claude-sonnet-5-5", "claude-haiku-5-5", "claude-opus-5-5"), PRICE))
    steps: dict[str, Any] = {"correctness": [said(prose({**CRASH, "severity": "MINOR"}), output_tokens=4_000)]}
    scene = desk(steps, small=False, parameters={"models/prices": prices}, allowance=0.06)

    examined = scene.examine()

    assert told(examined) == ["An empty list raises IndexError"]
    assert [who(each) for each in scene.panel.asked] == ["correctness", "extract"]
    assert examined.asked.problems == tuple(f"no {name} review of 1 file: the budget is used up" for name in ALL[1:])
    with pytest.raises(Refused, match="Nothing was read: the budget is used up"):
        desk({}, small=False, parameters={"models/prices": prices}, allowance=0.001).examine()


def test_findings_of_before_are_asked_about_by_the_first_reviewer_only() -> None:
    """They stand after what all share, so that the prefix stays the same."""
    known = a_known(a_finding(start_line=3, quote="return values[0]"), id="F-0123456789ab", hunk="gone")
    old = added("src/app.py", *LINES[:2], "    return values[0]")
    scene = desk({}, known=[known], before=[old], small=False)

    scene.examine()

    first, second = scene.panel.shown_to("correctness"), scene.panel.shown_to("security")
    assert [text.split("\n")[0] for text in first] == [
        "# The pull request, as its author describes it",
        "# Its changes since the last review",
        "# Its commits, and the other files that it changes",
        "# Findings of earlier reviews",
        "# Your part: correctness",
    ]
    assert first[:3] == second[:3]
    assert len(second) == 4
    assert "# You also look back" in first[-1]
    assert "# You also" not in second[-1]


def test_a_crowded_context_is_known() -> None:
    """More than half of what the model holds, by what the API says that the prompt took."""
    scene = desk({"generalist": [said("Fine.", input_tokens=90_000, cache_read_tokens=20_000)]})

    scene.examine()

    assert scene.answers.crowded_models == {"claude-sonnet-5-5": 0.55}


def test_the_same_question_from_several_threads_is_asked_once() -> None:
    """Five reviewers who say the very same have one extraction between them."""
    steps = {name: [prose({**CRASH, "severity": "MINOR"})] for name in ALL}
    scene = desk(steps, small=False, parameters=FOUR)

    def take_time(_: Question) -> None:
        threading.Event().wait(0.05)

    scene.panel.meanwhile = take_time
    scene.examine()

    assert scene.panel.times("extract") == 1


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

    scene = desk({}, small=False, parameters=FOUR, books=Narrow())

    assert scene.examine().judgement.kept == ()
