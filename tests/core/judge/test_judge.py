"""The questions to the judge, their material, and a run in which it does not answer."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from kodiai.core.errors import OutOfTime, Overloaded, Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.judge.judgement import Anchor, Judgement
from kodiai.core.model.messages import ModelAnswer, ModelRequest, Text
from kodiai.prompts.load import load
from tests.builders import a_file, a_finding, a_known, a_reply, a_thread
from tests.core import examining
from tests.core.examining import LINES, OLD, PRICED, Desk, judged, rows
from tests.core.examining import desk as any_desk
from tests.core.panel import FINISH, found, reads, reporting, said, texts, turn, who
from tests.tables import each_row

desk = partial(any_desk, small=True)
CRASH = examining.CRASH
MINOR = {**CRASH, "severity": "MINOR", "title": "A bad start", "start_line": 2, "end_line": 2, "quote": "result = 0"}
ID = "F-0123456789ab"
KNOWN = a_known(a_finding(start_line=3, quote="return values[0]", title="It crashes"), id=ID, hunk=OLD.hunks[0].key)
ADDRESSED = {"finding": ID, "answer": "ADDRESSED", "path": "src/app.py", "quote": LINES[2], "why": "It adds now."}
DECLINES = [said("", "refusal")]
UNCLEAR = {"finding": ID, "answer": "CANNOT_TELL", "why": "Who knows."}


def again(steps: dict[str, Any], **given: Any) -> Desk:
    """A re-review of a file in which an earlier finding's code was edited."""
    then = {"src/app.py": "\n".join([*LINES[:2], "    return values[0]"])}
    return desk(steps, known=[KNOWN], before=[OLD], then=then, **given)


def kept(examined: Judgement) -> list[Finding]:
    return [each.finding for each in examined.kept]


def titles(examined: Judgement) -> list[str]:
    return [each.title for each in kept(examined)]


def blocks(question: ModelRequest) -> list[Text]:
    return [block for block in question.messages[0].blocks if isinstance(block, Text)]


def headings(shown: Sequence[str]) -> list[str]:
    return [text.partition("\n")[0] for text in shown]


def test_the_judge_is_shown_each_candidate_in_full() -> None:
    """Its reviewer, the place of its code, the reason, the program's facts, and what was looked up in its file."""
    lines = {"start_line": 3, "end_line": 3, "text": "    return result"}
    crash = {**CRASH, "older": True, "depends_on": 1, "fix": "Add both.", "replacement": lines}
    steps = [turn(reads("src/app.py"), reads("src/caller.py")), reporting(MINOR, crash)]
    scene = desk({"generalist": steps, "judge": [judged({}, {"severity": "MINOR"})]})

    scene.examine()

    [shown] = [scene.panel.shown_to("judge")]
    looked_up = "# Looked up by the readers before you"
    assert headings(shown)[-3:] == [looked_up, "# Candidates", "# Your part: judge"]
    assert ["src/caller.py" in shown[-3], "src/app.py" in shown[-3]] == [False, True]
    row, other = rows(shown, "Candidates")
    notes = row.pop("notes")
    assert row == {
        "number": 2,
        "reviewer": "generalist",
        "severity": "MAJOR",
        "category": "correctness",
        "kind": "impact",
        "path": "src/app.py",
        "lines": "3",
        "title": "An empty list raises IndexError",
        "mechanism": "An empty list leaves `total` unset, so the first report fails.",
        "fix": "Add both.",
        "quote": "    return result + values[0]",
        "older": True,
        "depends_on": "A bad start",
        "replacement": {"lines": "3-3", "text": "    return result"},
        "presumed": None,
    }
    assert {"older", "depends_on", "replacement", "cause", "fix"}.isdisjoint(other)
    assert "src/app.py parses." in notes
    assert "Line 3 of src/app.py is changed by this pull request." in notes


def test_the_judge_is_shown_earlier_findings_and_what_is_said_to_be_resolved() -> None:
    """The earlier findings in its files and a claim without the change, which stands before it."""
    words = a_thread(a_reply("An empty list cannot happen?"), finding=ID)
    steps = {"generalist": [reporting(MINOR, earlier=[ADDRESSED])], "judge": [judged({})]}
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
    assert "# Its changes since the last review" in headings(shown)
    assert rows(shown, "Said to be resolved") == [
        {
            "finding": ID,
            "title": "It crashes",
            "problem": "An empty list leaves `total` unset, so the first report fails.",
            "quote": "return values[0]",
            "evidence": {"path": "src/app.py", "quote": "    return result + values[0]"},
            "why": "It adds now.",
        }
    ]


@each_row(
    ("resolutions", "is_resolved"),
    [
        ([{"resolved": True}], True),
        ([{"resolved": False}], False),
        ([], False),
        ([{"resolved": True, "finding": "F-ffffffffffff"}], False),
        ([{"resolved": "perhaps"}], False),
    ],
)
def test_a_claim_resolves_a_finding_only_if_the_judge_agrees(resolutions: list[Any], is_resolved: bool) -> None:
    """Without any candidate it is asked about the claim alone; silence about it, or about another, is no agreement."""
    about = {"finding": ID, "path": "src/app.py", "quote": LINES[2], "why": "It does."}
    whole = [{**about, **each} for each in resolutions]
    scene = again({"generalist": [reporting(earlier=[ADDRESSED])], "judge": [judged(resolutions=whole)]})

    examined = scene.examine()

    assert rows(scene.panel.shown_to("judge"), "Candidates") == []
    evidence = {ID: Evidence("src/app.py", "    return result + values[0]")}
    assert examined.resolved == (evidence if is_resolved else {})


def test_twenty_candidates_are_judged_together_the_most_severe_first() -> None:
    """Later conversations are told what is kept already, and may name it."""
    lines = [{"start_line": 4 + n, "end_line": 4 + n, "quote": f"x{n} = {n}", "title": f"Case {n}"} for n in range(21)]
    reported = [*({**CRASH, **line, "severity": "MINOR"} for line in lines), {**CRASH, "severity": "CRITICAL"}]
    first = [{"number": number, "severity": "MINOR"} for number in range(1, 19)]
    steps = {
        "behavior": [reporting(*reported)],
        "judge": [
            judged({"number": 22, "severity": "CRITICAL"}, *first, {"number": 19, "fate": "not-worth-it"}),
            judged({"number": 20, "fate": "same-as", "same_as": 22}, {"number": 21, "fate": "not-worth-it"}),
        ],
    }
    scene = desk(steps, small=False)

    examined = scene.examine()

    shown = [scene.panel.shown_to("judge", nth) for nth in (0, 1)]
    numbers = [[row["number"] for row in rows(each, "Candidates")] for each in shown]
    assert numbers == [[22, *range(1, 20)], [20, 21]]
    assert "# Kept already" not in headings(shown[0])
    told = rows(shown[1], "Kept already")
    assert [row["number"] for row in told] == [22, *range(1, 19)], "what was dropped is not among them"
    assert told[0] == {
        "number": 22,
        "path": "src/app.py",
        "lines": "3",
        "title": "An empty list crashes",
        "problem": "It has no first value.",
    }
    assert scene.panel.times("judge") == 2
    assert [each.fate for each in examined.suppressed] == ["not-worth-it", "same-as", "not-worth-it"]
    assert examined.suppressed[1].reason == "the same as “An empty list crashes”"
    assert (examined.judged, examined.unjudged) == (22, 0)


@each_row(
    ("patch", "first", "suggestion", "refused"),
    [
        (f"@@ -0,0 +1,3 @@\n+{LINES[0]}\n+{LINES[1]}\n+{LINES[2]}", 2, "    return sum(values)\n", {}),
        (f"@@ -3 +3 @@\n-    return 0\n+{LINES[2]}", 3, None, {"its lines are not in the diff": 1}),
    ],
)
def test_the_comment_stands_on_exactly_the_lines_that_it_offers_to_replace(
    patch: str, first: int, suggestion: str | None, refused: dict[str, int]
) -> None:
    """GitHub replaces what a comment stands on; where it takes none, the finding gets its comment alone."""
    lines = {"start_line": 2, "end_line": 3, "text": "    return sum(values)"}
    steps = {"generalist": [reporting({**CRASH, "replacement": lines})], "judge": [judged({"offer_replacement": True})]}
    scene = desk(steps)
    scene.changed = [a_file("src/app.py", patch=patch)]

    examined = scene.examine()

    [only] = examined.kept
    assert only.anchor == Anchor("src/app.py", first, 3)
    assert (only.suggestion, examined.refused_replacements) == (suggestion, refused)


KNOWN_MINOR = a_known(a_finding(**KNOWN.finding.model_dump() | {"severity": "MINOR"}), id=ID, hunk=KNOWN.hunk)


@each_row(
    ("turns", "known", "is_own"),
    [
        ([reporting(MINOR, earlier=[UNCLEAR])], KNOWN, True),
        ([reporting(earlier=[ADDRESSED])], KNOWN_MINOR, True),
        ([reporting(CRASH, earlier=[UNCLEAR])], KNOWN, False),
        ([reporting(MINOR, earlier=[ADDRESSED])], KNOWN, False),
        ([turn(found(MINOR)), said("", "refusal")], KNOWN, False),
    ],
)
def test_a_small_push_is_judged_by_its_reader_unless_something_blocks(
    turns: list[Any], known: KnownFinding, is_own: bool
) -> None:
    """In the same conversation, which has read everything already, and trying to refute itself; a judge starts over."""
    scene = again({"generalist": turns, "judge": [judged({"severity": "MINOR"})]})
    scene.known = [known]

    examined = scene.examine()

    asked, read = scene.panel.to("judge")[0], scene.panel.to("generalist")[0]
    part = texts(asked)[-1]
    assert examined.problems == ()
    begins_alike = [each.text for each in blocks(asked)] == [each.text for each in blocks(read)]
    assert (begins_alike, load("refute").strip() in part) == (is_own, is_own)
    for name, heading in (("judge", "# Candidates"), ("resolved", "# Said to be resolved")):
        assert (load(name).strip() in part) == (heading in headings(texts(asked)))


GUARDED = {"fate": "wrong", "quote": LINES[1], "why": "It begins with zero."}


def test_a_ruling_that_cannot_be_followed_twice_leaves_the_finding_standing() -> None:
    """It is asked once more and not twice, and the finding says that nobody verified it.

    Of a judge who does not finish, what can be followed is followed, but nothing is let go without a second ruling.
    """
    wrong = {"fate": "wrong", "quote": "guard(values)"}
    scene = desk({"generalist": [reporting(CRASH)], "judge": [judged(wrong)]})
    turns = [judged({**GUARDED, "number": 2}, {"number": 1, "severity": "MINOR"}, {"number": 3, **wrong}), *DECLINES]
    refused = desk({"generalist": [reporting(MINOR, CRASH, {**CRASH, "title": "Three"})], "judge": turns})

    examined, other = scene.examine(), refused.examine()

    unverified = "not verified: what was quoted against it is no line of code that prevents it"
    assert (scene.panel.times("judge"), [each.caveat for each in kept(examined)]) == (2, [unverified])
    assert (examined.judged, examined.unjudged) == (0, 1)
    no_second = "not verified: there is no second ruling: the model declined"
    assert [each.caveat for each in kept(other)] == [no_second, None]
    assert other.problems == ("no judge: the model declined",)


def second(*confirmed: bool) -> ModelAnswer:
    """A second ruling on the candidates from 1, and the end."""
    calls = [("confirm", {"number": n, "confirmed": each, "why": f"By {n}."}) for n, each in enumerate(confirmed, 1)]
    return turn(*calls, FINISH)


def test_blockers_that_the_first_ruling_lets_go_are_ruled_on_once_more_together() -> None:
    """One question, which begins as the first one did and shows its rulings; what never blocked is not in it."""
    twin = {**CRASH, "title": "A list fails", "category": "reliability"}
    ruled = judged(GUARDED, {**GUARDED, "severity": "CRITICAL"}, {"fate": "not-worth-it", "severity": "MINOR"})
    scene = desk({"generalist": [reporting(CRASH, twin, MINOR)], "judge": [ruled, second(True, False)]})

    examined = scene.examine()

    first, again = scene.panel.to("judge")
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
        ([said("", "refusal")], "the model declined"),
        ([said("I do.")], "the model gave no report (end_turn)"),
        ([judged({})], "the judge gave no answer about it"),
        ([second()], "the judge gave no answer about it"),
        ([Overloaded("no room")], "the model was busy"),
    ],
)
def test_nothing_is_let_go_without_a_second_ruling(answers: list[Any], why: str) -> None:
    """Whatever the first one says, the finding is posted as not verified."""
    scene = desk({"generalist": [reporting(CRASH)], "judge": [judged(GUARDED), *answers]}, attempt=5)

    [found] = kept(scene.examine())

    assert (found.severity, found.caveat) == ("MAJOR", f"not verified: there is no second ruling: {why}")


def test_the_second_ruling_counts_to_the_budget_and_is_paid_for_once() -> None:
    """Where it would cost too much, nothing is let go; what is left to be asked is asked by the next message."""
    steps = {"generalist": [reporting(CRASH)], "judge": [judged(GUARDED, output_tokens=4_000), second(True)]}
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
        (said("I keep them all."), 1, 2, "the model gave no report (end_turn)"),
        (said("I will not.", "refusal"), 1, 1, "the model declined"),
        (Overloaded("no room"), 5, 1, "the model was busy"),
    ],
)
def test_without_a_judge_everything_says_that_it_is_not_verified(
    answer: Any, attempt: int, times: int, why: str
) -> None:
    """A blocker gets its comment, another finding is listed, the same code of the same category is one finding."""
    twin = {**CRASH, "title": "values[0] fails", "severity": "CRITICAL"}
    scene = desk({"generalist": [reporting(CRASH, MINOR, twin)], "judge": [answer]}, attempt=attempt)

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
    scene = desk({"generalist": [reporting(CRASH)], "judge": [error, judged({})]}, attempt=attempt)

    with pytest.raises(again):
        scene.examine()

    assert titles(scene.examine()) == ["An empty list crashes"]
    assert Counter(map(who, scene.panel.asked)) == {"generalist": 1, "judge": 2}


def test_nobody_is_asked_with_nothing_to_judge() -> None:
    """Neither a candidate nor a claim: the run ends with the reviewers."""
    silent, repeated = desk({}), again({"generalist": [reporting({**CRASH, "title": "It crashes"})]})

    nothing, open_still = silent.examine(), repeated.examine()

    assert silent.panel.to("judge") == repeated.panel.to("judge") == []
    assert (nothing.kept, nothing.suppressed, nothing.problems) == ((), (), ())
    assert list(open_still.repeated) == [ID]


def test_a_candidate_of_a_file_that_no_batch_shows_is_judged_with_the_first_one() -> None:
    """It is not lost."""
    elsewhere = {**CRASH, "path": "src/caller.py", "start_line": 3, "end_line": 3, "quote": "total([])"}
    ruled = judged({"path": "src/caller.py", "quote": "total([])"})
    scene = desk({"generalist": [reporting(elsewhere)], "judge": [ruled]})

    examined = scene.examine()

    assert [each.path for each in kept(examined)] == ["src/caller.py"]
    assert [each.inline for each in examined.kept] == [False]
    assert (examined.judged, scene.panel.times("judge")) == (1, 1)


@each_row(
    ("answers", "asked"),
    [
        ([judged({})], (1, 1)),
        ([judged({"quote": "return values[1]"}), judged({})], (2, 2)),
        ([said("I am not sure."), judged({})], (2, 2)),
        ([said("I am not sure."), said("Nor now."), judged({})], (2, 3)),
        ([judged({"quote": "return values[1]"}), said("Hm."), said("Nor now."), judged({})], (3, 4)),
    ],
)
def test_an_answer_of_the_judge_that_can_be_read_is_paid_for_once(answers: list[Any], asked: tuple[int, int]) -> None:
    """The next attempt asks nothing again, except for what could not be read: until then the finding has a caveat."""
    scene = desk({"generalist": [reporting(CRASH)], "judge": answers})

    first = scene.examine()
    counted = scene.panel.times("judge")
    then = scene.examine()

    assert (counted, scene.panel.times("judge")) == asked
    assert [bool(each.caveat) for each in kept(first)] == [asked[0] != asked[1]]
    assert [each.caveat for each in kept(then)] == [None]
