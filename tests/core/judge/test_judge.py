"""The questions to the judge, their material, and a run in which it does not answer."""

import json
import threading
from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from kodiai.core.errors import OutOfTime, Overloaded, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.judge.judgement import Judgement
from kodiai.core.model.messages import ModelRequest, Text
from tests.builders import a_finding, a_known, a_reply, a_thread
from tests.core import examining
from tests.core.examining import FOUR, LINES, OLD, PRICED, Desk, judged, rows
from tests.core.examining import desk as any_desk
from tests.core.panel import prose, said, texts, who
from tests.tables import each_row

desk = partial(any_desk, small=True)
CRASH: dict[str, Any] = {
    **examining.CRASH,
    "replacement": None,
    "cause": {"path": "src/caller.py", "quote": "total([])"},
}
MINOR = {**CRASH, "severity": "MINOR", "title": "A bad start", "start_line": 2, "end_line": 2, "quote": "result = 0"}
ID = "F-0123456789ab"
KNOWN = a_known(a_finding(start_line=3, quote="return values[0]", title="It crashes"), id=ID, hunk=OLD.hunks[0].key)
ADDRESSED = {"finding": ID, "answer": "ADDRESSED", "path": "src/app.py", "quote": LINES[2], "why": "It adds now."}


def again(steps: dict[str, Any], **given: Any) -> Desk:
    """A re-review of a file in which an earlier finding's code was edited."""
    then = {"src/app.py": "\n".join([*LINES[:2], "    return values[0]"])}
    return desk(steps, known=[KNOWN], before=[OLD], then=then, **given)


def kept(examined: Judgement) -> list[Finding]:
    return [each.finding for each in examined.kept]


def titles(examined: Judgement) -> list[str]:
    return [each.title for each in kept(examined)]


def judges(scene: Desk) -> list[ModelRequest]:
    return [each for each in scene.panel.asked if who(each) == "judge"]


def blocks(question: ModelRequest) -> list[Text]:
    return [block for block in question.messages[0].blocks if isinstance(block, Text)]


def headings(shown: Sequence[str]) -> list[str]:
    return [text.partition("\n")[0] for text in shown]


def many(number: int, **given: Any) -> list[dict[str, Any]]:
    """So many different findings, from line 4 on."""
    lines = [{"start_line": 4 + n, "end_line": 4 + n, "quote": f"x{n} = {n}"} for n in range(number)]
    return [{**CRASH, **line, "title": f"Case {n}", **given} for n, line in enumerate(lines)]


def test_the_judge_is_shown_each_candidate_in_full() -> None:
    """Its reviewer, the place of its code, the reason, and the program's facts about it."""
    scene = desk({"generalist": [prose({**CRASH, "start_line": 1, "end_line": 1})], "judge": [judged({})]})

    scene.examine()

    [shown] = [scene.panel.shown_to("judge")]
    assert headings(shown)[-2:] == ["# Candidates", "# Your part: judge"]
    [row] = rows(shown, "Candidates")
    notes = row.pop("notes")
    assert row == {
        "number": 1,
        "reviewer": "generalist",
        "severity": "MAJOR",
        "category": "correctness",
        "kind": "impact",
        "path": "src/app.py",
        "lines": "3",
        "title": "An empty list raises IndexError",
        "mechanism": "An empty list leaves `total` unset, so the first report fails.",
        "quote": "    return result + values[0]",
        "cause": {"path": "src/caller.py", "quote": "total([])"},
        "replacement": None,
        "presumed": None,
    }
    assert "src/app.py parses." in notes
    assert "Line 3 of src/app.py is changed by this pull request." in notes


def test_the_judge_is_shown_earlier_findings_and_what_is_said_to_be_resolved() -> None:
    """The earlier findings in its files with what people said, and a claim with the code before and after."""
    words = a_thread(a_reply("An empty list cannot happen?"), finding=ID)
    steps = {"generalist": [prose(MINOR, earlier=[ADDRESSED])], "judge": [judged({})]}
    scene = again(steps, threads=[words])

    scene.examine()

    shown = scene.panel.shown_to("judge")
    assert headings(shown)[-4:] == ["# Candidates", "# Earlier findings", "# Said to be resolved", "# Your part: judge"]
    assert rows(shown, "Earlier findings") == [
        {
            "finding": ID,
            "status": "open",
            "severity": "MAJOR",
            "category": "correctness",
            "path": "src/app.py",
            "now": "its code was edited or removed",
            "title": "It crashes",
            "problem": "An empty list leaves `total` unset, so the first report fails.",
            "quote": "return values[0]",
            "said": [{"by": "ann", "said": "An empty list cannot happen?"}],
        }
    ]
    [claim] = rows(shown, "Said to be resolved")
    assert claim.pop("before") == "\n".join([*LINES[:2], "    return values[0]"])
    assert "-    return values[0]\n+    return result + values[0]" in claim.pop("after")
    assert claim == {
        "finding": ID,
        "title": "It crashes",
        "problem": "An empty list leaves `total` unset, so the first report fails.",
        "quote": "return values[0]",
        "evidence": {"path": "src/app.py", "quote": "    return result + values[0]"},
        "why": "It adds now.",
    }


@each_row(
    ("resolutions", "is_resolved"),
    [
        ([{"resolved": True}], True),
        ([{"resolved": False}], False),
        ([], False),
        ([{"resolved": True, "finding": "F-ffffffffffff"}], False),
        (["it is"], False),
    ],
)
def test_a_claim_resolves_a_finding_only_if_the_judge_agrees(resolutions: list[Any], is_resolved: bool) -> None:
    """Without any candidate it is asked about the claim alone; silence about it, or about another, is no agreement."""
    about = {"finding": ID, "path": "src/app.py", "quote": LINES[2], "why": "It does."}
    whole = [{**about, **each} if isinstance(each, dict) else each for each in resolutions]
    scene = again({"generalist": [prose(earlier=[ADDRESSED])], "judge": [judged(resolutions=whole)]})

    examined = scene.examine()

    assert rows(scene.panel.shown_to("judge"), "Candidates") == []
    evidence = {ID: Evidence("src/app.py", "    return result + values[0]")}
    assert examined.resolved == (evidence if is_resolved else {})


def test_twelve_candidates_are_judged_together_the_most_severe_first() -> None:
    """Later conversations are told what is kept already, and may name it."""
    reported = [*many(13, severity="MINOR"), {**CRASH, "severity": "CRITICAL"}]
    first = [{"number": number, "severity": "MINOR"} for number in range(1, 12)]
    steps = {
        "correctness": [prose(*reported)],
        "judge": [
            judged({"number": 14, "severity": "CRITICAL"}, *first),
            judged({"number": 12, "fate": "same-as", "same_as": 14}, {"number": 13, "fate": "not-worth-it"}),
        ],
    }
    scene = desk(steps, small=False)

    examined = scene.examine()

    shown = [scene.panel.shown_to("judge", nth) for nth in (0, 1)]
    numbers = [[row["number"] for row in rows(each, "Candidates")] for each in shown]
    assert numbers == [[14, *range(1, 12)], [12, 13]]
    assert "# Kept already" not in headings(shown[0])
    told = rows(shown[1], "Kept already")
    assert [row["number"] for row in told] == numbers[0]
    assert told[0] == {
        "number": 14,
        "path": "src/app.py",
        "lines": "3",
        "title": "An empty list crashes",
        "problem": "It has no first value.",
    }
    assert len(judges(scene)) == 2
    assert [each.fate for each in examined.suppressed] == ["same-as", "not-worth-it"]
    assert examined.suppressed[0].reason == "the same as “An empty list crashes”"
    assert (examined.judged, examined.unjudged) == (14, 0)


def test_rulings_that_cannot_be_followed_are_asked_for_once_more() -> None:
    """With what is wrong with them; the others stay as they were, whatever the second answer says of them."""
    wrong = {"fate": "wrong", "quote": "guard(values)", "why": "It is guarded."}
    steps = {
        "generalist": [prose(CRASH, MINOR)],
        "judge": [
            judged(wrong, {"fate": "not-worth-it", "why": "Nobody sees it."}),
            judged({"title": "It crashes after all"}, {"title": "No"}),
        ],
    }
    scene = desk(steps)

    examined = scene.examine()

    first, second = judges(scene)
    assert blocks(first)[:-1] == blocks(second)[:-1]
    asked = blocks(second)[-1].text
    assert asked.startswith(blocks(first)[-1].text)
    assert "\n\n- Candidate 1, ruled {" in asked
    assert (
        "}: the quote does not stand in the code at that path, or has no two letters or digits to find it by.\n\n"
        in asked
    )
    assert "Candidate 2" not in asked
    assert titles(examined) == ["It crashes after all"]
    assert [(each.fate, each.reason) for each in examined.suppressed] == [("not-worth-it", "Nobody sees it.")]


def test_a_ruling_that_cannot_be_followed_twice_leaves_the_finding_standing() -> None:
    """It is asked once more and not twice, and the finding says that nobody verified it.

    Where the second time fails, what could be followed of the first is followed.
    """
    wrong = {"fate": "wrong", "quote": "guard(values)"}
    scene = desk({"generalist": [prose(CRASH)], "judge": [judged(wrong)]})
    refused = desk({"generalist": [prose(CRASH, MINOR)], "judge": [judged(wrong, {}), said("", "refusal")]})

    examined, other = scene.examine(), refused.examine()

    unverified = "not verified: what was quoted against it is no line of code that prevents it"
    assert (len(judges(scene)), [each.caveat for each in kept(examined)]) == (2, [unverified])
    assert (examined.judged, examined.unjudged) == (0, 1)
    assert (titles(other), other.problems) == (["An empty list raises IndexError", "An empty list crashes"], ())


GUARDED = {"fate": "wrong", "quote": LINES[1], "why": "It begins with zero."}


def second(*confirmed: bool, why: str = "I read it.") -> str:
    """A second ruling on the candidates from 1."""
    rows = [{"number": number, "confirmed": each, "why": why} for number, each in enumerate(confirmed, 1)]
    return json.dumps({"confirmations": rows})


def test_blockers_that_the_first_ruling_lets_go_are_ruled_on_once_more_together() -> None:
    """One question, which begins as the first one did and shows its rulings; what never blocked is not in it."""
    twin = {**CRASH, "title": "A list fails", "category": "reliability"}
    ruled = judged(GUARDED, {**GUARDED, "severity": "CRITICAL"}, {"fate": "not-worth-it", "severity": "MINOR"})
    agreed = json.dumps({"confirmations": [{"number": n, "confirmed": n == 1, "why": f"By {n}."} for n in (1, 2)]})
    scene = desk({"generalist": [prose(CRASH, twin, MINOR)], "judge": [ruled, agreed]})

    examined = scene.examine()

    first, again = judges(scene)
    assert blocks(again)[: len(blocks(first)) - 1] == blocks(first)[:-1]
    said = {"fate": "wrong", "path": "src/app.py", "quote": LINES[1], "why": "It begins with zero."}
    assert rows(texts(again), "Let go") == [
        {"number": 1, "ruled": {**said, "severity": "MAJOR"}},
        {"number": 2, "ruled": {**said, "severity": "CRITICAL"}},
    ]
    assert titles(examined) == ["A list fails"]
    assert [(each.fate, each.reason) for each in examined.suppressed] == [
        ("wrong", "It begins with zero."),
        ("not-worth-it", "I looked."),
    ]
    assert [each.reason for each in examined.doubted] == [
        "two rulings on it do not agree; first ruling: wrong, It begins with zero.; second ruling: By 2."
    ]


@each_row(
    ("answers", "why"),
    [
        ([said("", "refusal")], "the model gave no answer (refusal)"),
        (["I do."], "the model's answer is not JSON"),
        ([judged({})], "the model's answer has no list of confirmations"),
        ([second()], "the judge gave no answer about it"),
        ([Overloaded("no room")], "the model was busy"),
    ],
)
def test_nothing_is_let_go_without_a_second_ruling(answers: list[Any], why: str) -> None:
    """Whatever the first one says, the finding is posted as not verified."""
    scene = desk({"generalist": [prose(CRASH)], "judge": [judged(GUARDED), *answers]}, attempt=5)

    [found] = kept(scene.examine())

    assert (found.severity, found.caveat) == ("MAJOR", f"not verified: there is no second ruling: {why}")


def test_the_second_ruling_counts_to_the_budget_and_is_paid_for_once() -> None:
    """Where it would cost too much, nothing is let go; what is left to be asked is asked by the next message."""
    steps = {"generalist": [prose(CRASH)], "judge": [said(judged(GUARDED), output_tokens=4_000), second(True)]}
    poor = desk(steps, parameters=PRICED, allowance=0.06)
    late = desk({**steps, "judge": [judged(GUARDED), OutOfTime("no time"), second(True)]})

    [found] = kept(poor.examine())
    with pytest.raises(OutOfTime):
        late.examine()
    examined, again = late.examine(), late.examine()

    used_up = "the budget `budget.perPullRequest` is used up"
    assert (poor.panel.times("judge"), found.caveat) == (1, f"not verified: there is no second ruling: {used_up}")
    assert [each.fate for each in (*examined.suppressed, *again.suppressed)] == ["wrong", "wrong"]
    assert late.panel.times("judge") == 3


@pytest.mark.parametrize(
    ("answer", "attempt", "times", "why"),
    [
        ("I keep them all.", 1, 2, "the model's answer is not JSON"),
        ('{"resolutions": []}', 1, 2, "the model's answer has no list of rulings"),
        (said("I will not.", "refusal"), 1, 2, "the model gave no answer (refusal)"),
        (Overloaded("no room"), 5, 1, "the model was busy"),
    ],
)
def test_without_a_judge_everything_says_that_it_is_not_verified(
    answer: Any, attempt: int, times: int, why: str
) -> None:
    """A blocker gets its comment, another finding is listed, the same code of the same category is one finding."""
    twin = {**CRASH, "title": "values[0] fails", "severity": "CRITICAL"}
    scene = desk({"generalist": [prose(CRASH, MINOR, twin)], "judge": [answer]}, attempt=attempt)

    examined = scene.examine()

    judged_by = Counter(map(who, scene.panel.asked))["judge"]
    found = examined
    # The stand-in for a model that is busy is asked too.
    assert judged_by == times * (2 if isinstance(answer, Overloaded) else 1)
    assert titles(examined) == ["values[0] fails", "A bad start"]
    assert [each.caveat for each in kept(examined)] == [f"not verified: {why}"] * 2
    assert [each.inline for each in found.kept] == [True, False]
    assert [(each.fate, each.reason) for each in found.suppressed] == [
        ("same-as", "the same code as “values[0] fails”")
    ]
    assert found.unjudged == 2
    assert examined.problems == (f"no judge: {why}",)


@pytest.mark.parametrize(
    ("error", "again", "attempt"), [(Overloaded("no room"), Retry, 1), (OutOfTime("no time"), OutOfTime, 5)]
)
def test_a_judge_that_is_busy_or_late_is_asked_by_the_next_message(
    error: Exception, again: type[Exception], attempt: int
) -> None:
    """The reports of the reviewers are kept, and not asked for again; the next message has time enough."""
    scene = desk({"generalist": [prose(CRASH)], "judge": [error, judged({})]}, attempt=attempt)

    with pytest.raises(again):
        scene.examine()

    assert titles(scene.examine()) == ["An empty list crashes"]
    assert Counter(map(who, scene.panel.asked)) == {"generalist": 1, "extract": 1, "judge": 2}


def test_nobody_is_asked_with_nothing_to_judge() -> None:
    """Neither a candidate nor a claim: the run ends with the reviewers."""
    silent, repeated = desk({}), again({"generalist": [prose({**CRASH, "title": "It crashes"})]})

    nothing, open_still = silent.examine(), repeated.examine()

    assert judges(silent) == judges(repeated) == []
    assert (nothing.kept, nothing.suppressed, nothing.problems) == ((), (), ())
    assert list(open_still.repeated) == [ID]


def test_a_candidate_of_a_file_that_no_batch_shows_is_judged_with_the_first_one() -> None:
    """It is not lost; words and a fence around the judge's answer do not count."""
    elsewhere = {**CRASH, "path": "src/caller.py", "start_line": 3, "end_line": 3, "quote": "total([])"}
    ruled = judged({"path": "src/caller.py", "quote": "total([])"})
    scene = desk({"generalist": [prose(elsewhere)], "judge": [f"Here it is:\n```json\n{ruled}\n```\nThat is all."]})

    examined = scene.examine()

    assert [each.path for each in kept(examined)] == ["src/caller.py"]
    assert [each.inline for each in examined.kept] == [False]
    assert (examined.judged, len(judges(scene))) == (1, 1)


@each_row(
    ("answers", "asked"),
    [
        ([judged({})], (1, 1)),
        ([judged({"quote": "return values[1]"}), judged({})], (2, 2)),
        (["I am not sure.", judged({})], (2, 2)),
        (["I am not sure.", "Nor now.", judged({})], (2, 3)),
        ([judged({"quote": "return values[1]"}), "I am not sure.", "Nor now.", judged({})], (3, 4)),
    ],
)
def test_an_answer_of_the_judge_that_can_be_read_is_paid_for_once(answers: list[str], asked: tuple[int, int]) -> None:
    """The next attempt asks nothing again, except for what could not be read: until then the finding has a caveat."""
    scene = desk({"generalist": [prose(CRASH)], "judge": answers})

    first = scene.examine()
    counted = scene.panel.times("judge")
    then = scene.examine()

    assert (counted, scene.panel.times("judge")) == asked
    assert [bool(each.caveat) for each in kept(first)] == [asked[0] != asked[1]]
    assert [each.caveat for each in kept(then)] == [None]


def test_the_judge_is_asked_the_same_whichever_reviewer_is_done_first() -> None:
    """Its questions are kept under everything that it is shown: another order would have them paid for twice."""
    asked = [_asked_when_done_in(order) for order in (("security", "performance"), ("performance", "security"))]

    assert asked[0] == asked[1]
    assert [json.loads(row)["title"] for row in asked[0][-2].split("\n")[2:]] == ["Leaks", "Slow"]


def _asked_when_done_in(order: tuple[str, str]) -> list[str]:
    """The judge's material if the second reviewer answers only after the first one's report was extracted."""
    first_is_done = threading.Event()
    titles = {"security": "Leaks", "performance": "Slow"}

    def meanwhile(question: ModelRequest) -> None:
        if who(question) == order[1]:
            assert first_is_done.wait(10)
        elif who(question) == "extract" and titles[order[0]] in texts(question)[0]:
            first_is_done.set()

    steps = {name: [prose({**CRASH, "title": title})] for name, title in titles.items()}
    scene = desk({**steps, "judge": [judged({}, {})]}, small=False, parameters=FOUR)
    scene.panel.meanwhile = meanwhile
    scene.examine()
    return scene.panel.shown_to("judge")
