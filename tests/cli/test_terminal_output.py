"""The output of `kodiai review` in a terminal, in brief and in full."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, cast

import pytest
from rich.console import Console

from cli import full_output
from cli.brief_output import print_push_briefly, print_total
from cli.pull_request_api import PullRequestApi, push_result
from cli.results import ChangedFile, Finding, Push, Reply, Result
from kodiai.core.review.run import Run
from kodiai.ports.ledger import Ledger
from tests.builders import a_finding, a_known
from tests.cli.stories import HOSTILE, MODEL, PUSHES, SHOWN, everywhere, files_of, known, printed, push, reply, story
from tests.tables import each_row

VERDICT = ":red_circle: **Address before merging** · 1 critical · not blocking: 2 medium"


def print_push(one: dict[str, Any], console: Console, diff: Sequence[dict[str, Any]] = ()) -> None:
    full_output.print_push(Push(**one), console, {file["path"]: ChangedFile(**file) for file in diff}, "Push 1 of 3")


def full(one: dict[str, Any], *diff: dict[str, Any], width: int = 110) -> str:
    return printed(lambda console: print_push(one, console, diff), width=width)


def body_of(text: str) -> str:
    """The printed body of a review, without the rule above and the figures below."""
    return "\n".join(full(push(text)).split("\n")[1:-4]).strip("\n")


def print_reply(one: dict[str, Any], console: Console, before: Sequence[dict[str, Any]] = ()) -> None:
    full_output.print_reply(Reply(**one), console, [Finding(**finding) for finding in before])


def answered(before: Sequence[dict[str, Any]], **more: Any) -> str:
    return printed(lambda console: print_reply(reply(**more), console, before), width=80)


def brief(pushes: Sequence[dict[str, Any]], number: int = 1, of: int = 1, width: int = 100) -> list[str]:
    def print_it(console: Console) -> None:
        title = f"Push {number} of {of}" if of > 1 else "Review"
        print_push_briefly([Push(**push) for push in pushes], console, title, list_open=number == of)

    return printed(print_it, width=width).split("\n")


@each_row(("number", "scope", "figures"), [
    (0, "full (requested)", ("3 new · full · 0/0 files read · 0/0 hunks reviewed · no model calls · "
     "GitHub: 0 calls (0 writes) · 12 s")),
    (1, "incremental (requested)", ("1 new · 1 resolved · 1 still open · 1 dismissed · 1 thread resolved · "
     "incremental · 2/3 files read · 4/5 hunks reviewed · model: 2 calls, 1,500 tokens in (500 from cache), 80 out · "
     "GitHub: 8 calls (1 write) · 2.5 s")),
    (2, "unchanged (since abc1234)", ("2 still open · unchanged · 0/0 files read · 0/0 hunks reviewed · no model calls "
     "· GitHub: 0 calls (0 writes) · 0 ms")),
])  # fmt: skip
def test_a_push_begins_with_its_scope_and_ends_with_its_figures(number: int, scope: str, figures: str) -> None:
    """Amounts that are zero are left out of the results."""
    first, *_, last = full(PUSHES[number], width=300).rstrip().split("\n")

    assert first.rstrip("─ ") == f"Push 1 of 3 · aaaaaaa onto bbbbbbb · {scope}"
    assert last == figures


@each_row(("text", "shown"), [
    (
        ("## What Changed\n\n- [ ] one\n- [x] two\n\n[MAJOR] a.py (3): `x` is *not* there\nBecause.\n\n"
        "```python\nx = 1\n```\n\n:red_circle: **No** -- [why](https://example.org/a)\n"),
        ("What Changed\n\n • ☐ one\n • ☑ two\n\n[MAJOR] a.py (3): x is not there\nBecause.\n\n\n x = 1\n\n\n"
        "🔴 No -- why (https://example.org/a)"),
    ),
    (
        ("<details><summary>Kodiai Re-Review Summary</summary>\n\n## New Findings\n\n:new: [MAJOR] a.py (2): title\n\n"
        "## Still Open\n\n1 still open.\n\n<details><summary>Show</summary>\n\n- [MINOR] c.py: other\n\n</details>\n\n"
        "</details>\n\n<!-- kodiai:review run=1 -->"),
        ("▾ Kodiai Re-Review Summary\n\nNew Findings\n\n🆕 [MAJOR] a.py (2): title\n\n"
        "Still Open\n\n1 still open.\n\n▾ Show\n\n • [MINOR] c.py: other"),
    ),
    (
        "[https://bank.example](https://thief.example), [x](javascript:alert), ![pic](https://spy.example/p.png)",
        "https://bank.example (https://thief.example), [x](javascript:alert), pic",
    ),
])  # fmt: skip
def test_a_review_reads_like_its_markdown(text: str, shown: str) -> None:
    """Folds are open and markers are hidden; a link names its target, so that no text can hide it."""
    assert body_of(text) == shown


def test_the_comments_of_a_review_are_printed_file_by_file_in_the_order_of_their_lines() -> None:
    comments = [{"path": path, "line": line, "body": f"{path} {line}"} for path, line in [("a", 9), ("b", 1), ("a", 2)]]

    assert re.findall(r"^ {4}(\w \d)$", full(push("x", *comments)), flags=re.M) == ["a 2", "a 9", "b 1"]


ADDED = {"path": "a.py", "patch": "@@ -0,0 +1,20 @@\n" + "\n".join(f"+line {number}" for number in range(1, 21))}
CHANGED = {"path": "a.py", "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+zwei"}


@each_row(("comment", "diff", "shown"), [
    (
        {"line": 2, "start_line": 1, "body": "Hm.\n\n```suggestion\none\n\ntwo\n```"}, ADDED,
        "a.py:1-2\n+ line 1\n+ line 2\n    Hm.\n\n\n     - line 1\n     - line 2\n     + one\n\n     + two\n",
    ),
    ({"line": 2, "side": "LEFT", "body": "Why?"}, CHANGED, "a.py:2\n- two\n    Why?\n"),
    ({"line": 20, "start_line": 2, "body": "Long."}, ADDED, "a.py:2-20\n+ line 13\n"),
    ({"line": 9, "start_line": 7, "body": "Hm."}, CHANGED, "a.py:7-9\n    Hm.\n"),
    ({"line": None, "body": "All of it."}, CHANGED, "a.py\n    All of it.\n"),
])  # fmt: skip
def test_a_comment_is_printed_below_the_end_of_its_code(
    comment: dict[str, Any], diff: dict[str, Any], shown: str
) -> None:
    """The code is left out if the diff does not have it; a suggestion is a diff of the replaced lines."""
    assert f"\n\n{shown}" in full(push("x", {"path": "a.py", **comment}), diff)


def test_a_push_without_a_review_lists_the_open_findings() -> None:
    """Silence is no all-clear. A skipped push has its reason."""
    assert full(PUSHES[2]).split("\n")[1:6] == [
        "Nothing was posted: no hunk has changed (since abc1234).",
        "",
        "Still open (2):",
        "  [CRITICAL] a.py: title a",
        "  [MAJOR] d.py: title d",
    ]
    assert full(PUSHES[3]).split("\n")[1] == "Nothing was posted: the pull request is a draft."


def test_every_skipped_file_is_listed_with_its_reason() -> None:
    skipped = [{"path": f"{number}.lock", "reason": "lock file"} for number in range(15)]

    listed = full(push("x", skipped=skipped)).partition("\nFiles skipped (15):\n")[2]

    assert listed.split("\n")[:15] == [f"  {number}.lock  lock file" for number in range(15)]


BEFORE = [known("F-1", "open"), known("F-2", "open")]


def test_a_reply_is_printed_with_its_outcome() -> None:
    assert answered(BEFORE, model=MODEL) == (
        "\nann (write) on comment 1, src/orders.py:12:\n> won't fix,\n> by design\n\n"
        "    understood: won't fix · done: 1 finding dismissed.\n\n"
        "    Noted: won't fix.\n\n"
        "    reactions: 👀 👍\n\n"
        "    F-1 dismissed (won't fix) by ann\n\n"
        "    model: 2 calls, 1,500 tokens in (500 from cache), 80 out · 500 ms\n\n"
    )


def test_a_reply_without_an_effect_is_short() -> None:
    nothing = {"understood": None, "outcome": "nothing", "reason": "Nobody is called in it.", "answer": None}

    shown = answered(BEFORE, to={"comment": 0}, text="Hm.", reactions=[], findings=BEFORE, **nothing)

    assert shown == "\nann (write) on the pull request:\n> Hm.\n\n    nothing: Nobody is called in it.\n\n"


@each_row(("before", "after", "sentence"), [
    ("open", known("F-1", "acknowledged", settled_by="ann"), "F-1 dismissed (acknowledged) by ann"),
    ("open", known("F-1", "conceded"), "F-1 dismissed (conceded)"),
    ("open", known("F-1", "fixed"), "F-1 resolved"),
    ("wont_fix", known("F-1", "open"), "F-1 reopened"),
])  # fmt: skip
def test_a_changed_finding_is_a_sentence(before: str, after: dict[str, Any], sentence: str) -> None:
    assert f"\n\n    {sentence}\n\n" in answered([known("F-1", before)], findings=[after])


def test_in_brief_a_push_is_its_verdict_and_a_line_for_each_finding() -> None:
    """The verdict, with its counts, as the posted summary has it; each finding with its place."""
    findings = [known("a", "open", severity="CRITICAL", line=7), known("b", "open")]
    one = push(f"{VERDICT}\n\n[a line](https://example.org)", delta={"new": 2}, findings=findings, files_total=3)

    assert brief([one]) == [
        "",
        "Review · aaaaaaa onto bbbbbbb · full",
        "🔴 Address before merging · 1 critical · not blocking: 2 medium",
        "  new  [CRITICAL] a.py:7  title a",
        "  new  [MAJOR] b.py  title b",
        "  0 of 3 files read",
        "",
    ]


def test_in_brief_changes_to_earlier_findings_are_printed_push_by_push() -> None:
    """New, resolved and dismissed findings are listed; open ones are counted, and listed after the last push."""
    second = brief(PUSHES[:2], 2, 3)
    last = brief(PUSHES[:2], 2, 2)
    silent = brief(PUSHES[:3], 3, 3)

    assert second[1:] == [
        "Push 2 of 3 · aaaaaaa onto bbbbbbb · incremental",
        "  new        [MAJOR] d.py  title d",
        "  resolved   [MAJOR] a.py  title a",
        "  won't fix  [MAJOR] b.py  title b",
        "  1 new · 1 resolved · 1 still open · 1 dismissed · 2 of 3 files read",
        "",
    ]
    assert last[5:7] == ["  open       [MAJOR] c.py  title c", second[5]]
    assert silent[2:6] == [
        "Nothing was posted: no hunk has changed (since abc1234).",
        "  new       [CRITICAL] a.py  title a",
        "  resolved  [MAJOR] c.py  title c",
        "  open      [MAJOR] d.py  title d",
    ]


def test_in_brief_long_titles_and_long_lists_are_cut() -> None:
    """Twenty findings and five files that were not read are listed, the others are counted."""
    findings = [known(f"{number}", "open", title="long " * 40) for number in range(23)]
    skipped = [{"path": f"{number}.lock", "reason": "lock file"} for number in range(7)]

    shown = brief([push("x", findings=findings, skipped=skipped)])

    assert shown[2] == "  new  [MAJOR] 0.py  " + ("long " * 40)[:78] + "…"
    assert (shown[22], shown[27]) == (
        "  and 3 more; --full prints all of them",
        "  not read: 4.lock (lock file)",
    )
    assert shown[28] == "  and 2 more; --full prints all of them"
    assert all(len(line) <= 100 for line in shown)


def test_the_total_is_one_line() -> None:
    """The cost, tokens and seconds of all pushes, replies and the reviews that they requested, and the reviewer."""
    review = push("x", model=MODEL, cost_usd=0.25, seconds=2)
    first = push("x", model=MODEL, cost_usd=0.5, seconds=1.5)
    results = [
        story(first, reply(model=MODEL, cost_usd=0.25, review=review), reviewer="Claude"),
        story(push("x", model=MODEL, cost_usd=0.0012)),
        story(push("x", model=MODEL)),
    ]

    shown = [printed(partial(print_total, Result(**one))) for one in results]

    assert shown[0] == "\nCost: $1.00 · Claude · 4,500 tokens in (1,500 from cache), 240 out · 4 s\n"
    assert [one.partition(" · ")[0] for one in shown[1:]] == ["\nCost: $0.0012", "\nCost: unknown"]


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_in_a_pull_request_moves_the_cursor_or_is_markup(terminal: bool) -> None:
    """Escape sequences, carriage returns and turns of direction are shown; rich's own markup is text."""
    result = everywhere(HOSTILE)

    def everything(console: Console) -> None:
        for one in result["pushes"]:
            print_push(one, console, files_of(HOSTILE))
            print_push_briefly([Push(**one)], console, HOSTILE, list_open=True)
        print_reply(result["events"][2], console)
        print_total(Result(**result), console)

    shown = printed(everything, width=400, terminal=terminal)

    ours = re.sub(r"\x1b\[(?:[\d;]*m|\?25[hl]|\d*[AK])|\r", "", shown)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\udc80-\udcff]", ours)
    assert ours.count(SHOWN) >= 20
    assert ours.count("owned") == ours.count("␛]0;owned␇")


class RecordedRun:
    """A ledger with one run and one finding."""

    def __init__(self, **facts: Any) -> None:
        self._facts = facts

    def run(self, run_id: str) -> Run:
        return Run(run_id, "a" * 40, "b" * 40, "completed", 0.0, facts=self._facts)

    def findings(self) -> Any:
        return (a_known(a_finding(), status="acknowledged", settled_by="ann"),)


@each_row(("facts", "new", "threads"), [
    ({}, 0, ()),
    ({"delta": {"new": 2}, "threads_resolved": ["F-1"]}, 2, ("F-1",)),
])  # fmt: skip
def test_a_push_of_the_result_has_the_facts_of_its_run(facts: dict[str, Any], new: int, threads: Any) -> None:
    ledger = cast(Ledger, RecordedRun(**facts))

    result = push_result(ledger, cast(PullRequestApi, None), {"run": "r1", "reason": "why"})

    assert (result.delta.new, result.threads_resolved) == (new, threads)
    assert [(one.status, one.settled_by) for one in result.findings] == [("acknowledged", "ann")]
