"""The full output of `kodiai review`, its summary, and its progress."""

import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from rich.console import Console

from cli import full_output
from cli.progress import Progress
from cli.pull_request_api import PullRequestApi, push_result
from cli.results import ChangedFile, Delta, Finding, Push, Reply, Result
from cli.summary_output import print_summary
from kodiai.core.findings import finding as core_finding
from kodiai.core.findings.known import KnownFinding
from kodiai.core.review.run import Run
from kodiai.ports import Ledger

Printing = Callable[[Console], object]

EXAMPLE = json.loads((Path(__file__).parent / "example.json").read_text(encoding="utf-8"))
FIRST, SECOND, SKIPPED = EXAMPLE["result"]["pushes"]
DIFFS = EXAMPLE["diffs"]


def printed(print_it: Printing, *, width: int = 110, terminal: bool = False) -> str:
    """What comes out of a console, without the spaces at the ends of lines."""
    out = io.StringIO()
    print_it(Console(file=out, width=width, force_terminal=terminal, legacy_windows=False, _environ={"TERM": "xterm"}))
    return re.sub(r" +$", "", out.getvalue(), flags=re.M)


def print_push(one: dict[str, Any], console: Console, diff: Sequence[dict[str, Any]] = (), title: str = "Push") -> None:
    files = {file["path"]: ChangedFile(**file) for file in diff}
    full_output.print_push(Push(**one), console, files, title)


def print_reply(one: dict[str, Any], console: Console, before: Sequence[dict[str, Any]] = ()) -> None:
    full_output.print_reply(Reply(**one), console, [Finding(**finding) for finding in before])


def summary(result: dict[str, Any]) -> list[str]:
    return printed(lambda console: print_summary(Result(**result), console)).split("\n")


def screen(written: str) -> list[str]:
    """What is left on a terminal's screen, line by line: it obeys what rewrites lines, and drops colours."""
    lines, at = [""], 0
    for part in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written):
        match part:
            case "\n":
                at += 1
                lines += [""] * (at == len(lines))
            case "\x1b[1A":
                at -= 1
            case "\x1b[2K":
                lines[at] = ""
            case _ if part[0] not in "\r\x1b":
                lines[at] += part
    return lines


def push(body: str = "", *comments: dict[str, Any], **more: Any) -> dict[str, Any]:
    review = {"event": "COMMENT", "body": body, "comments": list(comments)}
    return {"head": "a" * 40, "base": "b" * 40, "mode": "full", "reason": "requested", "review": review, **more}


def body_of(text: str) -> str:
    """What is printed of a review's body, without the rule above and the figures below."""
    lines = printed(lambda console: print_push(push(text), console)).split("\n")
    return "\n".join(lines[1:-4]).strip("\n")


def test_a_push_is_headed_by_what_it_is() -> None:
    """Number, head, base, mode and reason stand in the first line."""
    shown = printed(lambda console: print_push(FIRST, console, title="Push 1 of 3"))

    head, base = FIRST["head"][:7], FIRST["base"][:7]
    assert shown.split("\n")[0].rstrip("─ ") == f"Push 1 of 3 · {head} onto {base} · full (first review)"


def test_the_figures_are_one_line() -> None:
    """Mode, files, hunks, model with all its input tokens, GitHub and time, after everything else."""
    shown = printed(lambda console: print_push(FIRST, console), width=200)

    assert shown.rstrip().split("\n")[-1] == (
        "full · 8/10 files read · 11/13 hunks reviewed · model: 5 calls, 69,176 tokens in (18,204 from cache), "
        "3,911 out · GitHub: 8 calls (3 writes) · 38.2 s"
    )


def test_the_folds_of_a_review_stand_open() -> None:
    """Details become titled sections in their order, nested ones too, and no tag or marker is left."""
    shown = printed(lambda console: print_push(SECOND, console))

    titles = re.findall(r"^▾ (.*)$", shown, flags=re.M)
    assert titles == ["Kodiai Re-Review Summary", "Show", "Review Details"]
    assert not re.search(r"<|-->|details>|:new:|##", shown)
    assert " • [MAJOR] harbour/settings.py: A rules file can run code" in shown.split("\n")


def test_a_body_reads_like_its_markdown() -> None:
    """Headings, severities, emoji, tasks, code and line breaks come out as GitHub would show them."""
    text = (
        "## What Changed\n\n- [ ] one\n- [x] two\n\n[MAJOR] a.py (3): `x` is *not* there\nBecause.\n\n"
        "```python\nx = 1\n```\n\n:red_circle: **No** -- [why](https://example.org/a)\n"
    )

    assert body_of(text) == (
        "What Changed\n\n • ☐ one\n • ☑ two\n\n[MAJOR] a.py (3): x is not there\nBecause.\n\n\n x = 1\n\n\n"
        "🔴 No -- why (https://example.org/a)"
    )


def test_a_comment_stands_under_its_code_and_its_suggestion_is_a_diff() -> None:
    """The lines that it is about, numbered; then its words; then what goes and what comes."""
    shown = printed(lambda console: print_push(FIRST, console, DIFFS[0]))

    assert (
        "    16 +     try:\n"
        "    17 +         payments.give_back(gateway, order.id, cents)\n"
        "    18 +     except:\n"
        "    19 +         pass\n"
        "    [MAJOR] A refused refund counts as done\n\n"
        "    The bare except: hides every error of the gateway, even an interrupt:\n\n"
        "     • the order is marked as refunded,\n"
        "     • the customer gets nothing.\n\n"
        "    Let the error reach the caller.\n\n"
        "    -     try:\n"
        "    -         payments.give_back(gateway, order.id, cents)\n"
        "    -     except:\n"
        "    -         pass\n"
        "    +     payments.give_back(gateway, order.id, cents)\n"
    ) in shown


def test_the_comments_of_a_file_stand_together_in_the_order_of_its_lines() -> None:
    """Whatever the order in which they were posted."""
    comments = [{"path": path, "line": line, "body": f"{path} {line}"} for path, line in [("a", 9), ("b", 1), ("a", 2)]]

    shown = printed(lambda console: print_push(push("x", *comments), console))

    assert re.findall(r"^ {4}(\w \d)$", shown, flags=re.M) == ["a 2", "a 9", "b 1"]
    assert re.findall(r"^[ab]$", shown, flags=re.M) == ["a", "b"]


def test_without_the_diff_a_comment_has_its_place() -> None:
    """Path and lines are said where the code cannot be shown."""
    comment = {"path": "a.py", "line": 9, "start_line": 7, "body": "Hm."}

    shown = printed(lambda console: print_push(push("x", comment), console))

    assert "\na.py\n\n  a.py:7-9\n    Hm.\n" in shown


def test_a_comment_on_removed_lines_shows_those() -> None:
    """Side LEFT counts the lines of the old file."""
    comment = {"path": "a.py", "line": 2, "side": "LEFT", "body": "Why?"}
    diff = [{"path": "a.py", "patch": "@@ -1,2 +1,2 @@\n one\n-two\n+zwei"}]

    shown = printed(lambda console: print_push(push("x", comment), console, diff))

    assert "     2 - two\n    Why?\n" in shown
    assert "zwei" not in shown


def test_many_commented_lines_are_cut_short() -> None:
    """Eight lines are enough to know the place; how many more there are is said."""
    comment = {"path": "a.py", "line": 20, "start_line": 1, "body": "Long."}
    diff = [{"path": "a.py", "patch": "@@ -0,0 +1,20 @@\n" + "\n".join(f"+{number}" for number in range(1, 21))}]

    shown = printed(lambda console: print_push(push("x", comment), console, diff))

    assert "     8 + 8\n       … 12 more lines\n    Long.\n" in shown


def test_a_skipped_push_says_why() -> None:
    """Nothing was posted, and the reason is the sentence."""
    shown = printed(lambda console: print_push(SKIPPED, console))

    assert shown.split("\n")[1] == "Nothing was posted: the pull request is a draft."


def test_skipped_files_are_listed_with_their_reasons_and_the_rest_counted() -> None:
    """A dozen are shown."""
    skipped = [{"path": f"{number}.lock", "reason": "lock file"} for number in range(15)]

    shown = printed(lambda console: print_push(push("x", skipped=skipped), console))

    assert "\nFiles skipped (15):\n  0.lock  lock file\n" in shown
    assert "\n  11.lock  lock file\n  and 3 more\n" in shown


def known(name: str, status: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "status": status, "severity": "MAJOR", "path": f"{name}.py", "title": f"title {name}", **more}


STORY: dict[str, Any] = {
    "repository": "o/r",
    "pull_request": 7,
    "title": "A title",
    "pushes": [
        push("x", delta={"new": 3}, findings=[known(name, "open") for name in "abc"], seconds=12),
        push(
            "x",
            mode="incremental",
            findings=[known("a", "fixed"), known("b", "wont_fix"), known("c", "open"), known("d", "open")],
            delta={"new": 1, "resolved": 1, "still_open": 1, "settled": 1},
            threads_resolved=["a"],
        ),
        push(
            mode="unchanged",
            reason="since-abc1234",
            findings=[known("a", "open", severity="CRITICAL"), known("c", "fixed"), known("d", "open")],
            delta={"still_open": 2},
            review=None,
        ),
        push(mode=None, reason="the pull request is a draft", review=None),
        push("x", mode="incremental", seconds=1.25),
    ],
}


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (0, "3 new"),
        (1, "1 new · 1 resolved · 1 still open · 1 dismissed · 1 thread resolved"),
        (2, "2 still open"),
        (3, None),
        (4, None),
    ],
)
def test_a_push_ends_with_what_it_changed(number: int, line: str | None) -> None:
    """What is not zero, after the body and before the figures; nothing is said of nothing."""
    shown = printed(lambda console: print_push(STORY["pushes"][number], console))

    assert re.findall(r"^\d+ (?:new|still|resolved).*$", shown, flags=re.M) == ([line] if line else [])
    assert not line or shown.split(line)[1].startswith("\n\n" + (STORY["pushes"][number]["mode"]))


def test_a_push_on_which_nothing_was_posted_says_why_and_what_is_still_open() -> None:
    """Silence is no all-clear: severity, path and title of each."""
    shown = printed(lambda console: print_push(STORY["pushes"][2], console)).split("\n")

    assert shown[1:6] == [
        "Nothing was posted: no hunk has changed (since abc1234).",
        "",
        "Still open (2):",
        "  [CRITICAL] a.py: title a",
        "  [MAJOR] d.py: title d",
    ]


def test_many_open_findings_are_cut_short() -> None:
    """Thirty are listed; how many more there are is said, there and in the summary."""
    silent = push(findings=[known(f"{number}", "open") for number in range(32)], mode="unchanged", review=None)

    shown = printed(lambda console: print_push(silent, console))
    lines = "\n".join(summary({"pushes": [silent, silent]}))

    assert "\n  [MAJOR] 29.py: title 29\n  and 2 more\n" in shown
    assert "\n  ● ○ [MAJOR] 29.py: title 29\n  and 2 more findings\n" in lines


def test_the_summary_tells_how_the_pull_request_developed() -> None:
    """A line for each push with its mode and its delta; then each finding's life, a column for each push."""
    shown = summary(STORY)

    assert shown[1:] == [
        "o/r#7  A title",
        "  push 1  aaaaaaa  full         3 new                                             12 s",
        "  push 2  aaaaaaa  incremental  1 new · 1 resolved · 1 still open · 1 dismissed   0 ms",
        "  push 3  aaaaaaa  unchanged    2 still open · nothing posted                     0 ms",
        "  push 4  aaaaaaa  skipped      the pull request is a draft                       0 ms",
        "  push 5  aaaaaaa  incremental  no findings                                      1.2 s",
        "",
        "  1 2 3 4 5",
        "  ● ✓ ●     [CRITICAL] a.py: title a",
        "  ● –       [MAJOR] b.py: title b",
        "  ● ○ ✓     [MAJOR] c.py: title c",
        "    ● ○     [MAJOR] d.py: title d",
        "  ● new  ○ still open  ✓ resolved  – dismissed",
        "",
    ]


def test_the_summary_of_one_push_is_its_line() -> None:
    """With a single push there is no life to tell; a result without a delta is counted by what is open."""
    one = push("x", findings=[known("a", "open")])

    shown = summary({"pushes": [one]})

    assert shown[2:] == ["  push 1  aaaaaaa  full  1 still open  0 ms", ""]


def test_a_re_review_reads_like_its_markdown() -> None:
    """Severities behind an emoji, what is still open under its own title, and the verdict's circle."""
    text = (
        "<details><summary>Kodiai Re-Review Summary</summary>\n\n"
        "## New Findings\n\n:new: [MAJOR] a.py (2): title\nWhy.\n\n"
        "## Still Open\n\n1 still open.\n\n<details><summary>Show</summary>\n\n"
        "- [MINOR] c.py: other\n\n</details>\n\n"
        "## Verdict Update\n\n:large_blue_circle: **Still ready** -- No new findings\n\n</details>"
    )

    assert body_of(text) == (
        "▾ Kodiai Re-Review Summary\n\nNew Findings\n\n🆕 [MAJOR] a.py (2): title\nWhy.\n\n"
        "Still Open\n\n1 still open.\n\n▾ Show\n\n • [MINOR] c.py: other\n\n"
        "Verdict Update\n\n🔵 Still ready -- No new findings"
    )


def reply(**more: Any) -> dict[str, Any]:
    """A reply that dismissed a finding."""
    return {
        "kind": "reply",
        "by": "ann",
        "role": "write",
        "to": {"comment": 1, "path": "src/orders.py", "line": 12, "finding": "F-1"},
        "text": "won't fix,\nby design",
        "understood": "won't fix",
        "outcome": "done",
        "reason": "1 finding dismissed.",
        "answer": "Noted: **won't fix**.",
        "reactions": ["eyes", "+1"],
        "model": {"calls": 0},
        "findings": [known("F-1", "wont_fix", settled_by="ann"), known("F-2", "open")],
        "review": None,
        "seconds": 0.5,
        **more,
    }


BEFORE = [known("F-1", "open"), known("F-2", "open")]


def test_a_reply_is_shown_with_what_came_of_it() -> None:
    """Who said what to which comment; then what was understood, answered, reacted and changed."""
    shown = printed(lambda console: print_reply(reply(), console, before=BEFORE), width=80)

    assert shown == (
        "\nann (write) on comment 1, src/orders.py:12:\n> won't fix,\n> by design\n\n"
        "    understood: won't fix · done: 1 finding dismissed.\n\n"
        "    Noted: won't fix.\n\n"
        "    reactions: 👀 👍\n\n"
        "    F-1 dismissed (won't fix) by ann\n\n"
    )


def test_a_reply_that_comes_to_nothing_is_short() -> None:
    """Nothing is said of what there is not."""
    nothing = reply(
        to={"comment": 0}, text="Hm.", understood=None, outcome="nothing", reason="Nobody is called in it.",
        answer=None, reactions=[], findings=BEFORE,
    )  # fmt: skip

    shown = printed(lambda console: print_reply(nothing, console, before=BEFORE), width=80)

    assert shown == "\nann (write) on the pull request:\n> Hm.\n\n    nothing: Nobody is called in it.\n\n"


def test_what_the_model_was_asked_for_an_answer_is_counted() -> None:
    """Calls, all input tokens, output, time."""
    model = {"calls": 2, "input_tokens": 1000, "cache_read_tokens": 500, "output_tokens": 80}

    shown = printed(lambda console: print_reply(reply(model=model), console), width=80)

    assert shown.endswith("\n\n    model: 2 calls, 1,500 tokens in (500 from cache), 80 out · 500 ms\n\n")


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("open", known("F-1", "acknowledged", settled_by="ann"), "F-1 dismissed (acknowledged) by ann"),
        ("open", known("F-1", "conceded"), "F-1 dismissed (conceded)"),
        ("open", known("F-1", "fixed"), "F-1 resolved"),
        ("wont_fix", known("F-1", "open"), "F-1 reopened"),
    ],
)
def test_what_changed_of_a_finding_is_a_sentence(before: str, after: dict[str, Any], sentence: str) -> None:
    """How it stands now, and by whom."""
    one = reply(findings=[after])

    shown = printed(lambda console: print_reply(one, console, before=[known("F-1", before)]))

    assert f"\n\n    {sentence}\n\n" in shown


def test_the_summary_has_the_replies_between_the_pushes() -> None:
    """What came of each, and how many findings it changed."""
    pushes = [push("x", findings=BEFORE), push("x", mode="incremental")]
    first, second = ({"kind": "push", **one} for one in pushes)
    result = {"pushes": pushes, "events": [first, reply(), reply(by="bo", understood=None, outcome="nothing"), second]}

    shown = summary(result)

    assert shown[2:6] == [
        "  push 1  aaaaaaa  full         2 still open                     0 ms",
        "  reply   ann      done         won't fix · 1 finding changed  500 ms",
        "  reply   bo       nothing                                     500 ms",
        "  push 2  aaaaaaa  incremental  no findings                      0 ms",
    ]


class Remembered:
    """A ledger with one run and one finding."""

    def __init__(self, **facts: Any) -> None:
        self._facts = facts

    def run(self, run_id: str) -> Run:
        return Run(run_id, "a" * 40, "b" * 40, "completed", 0.0, facts=self._facts)

    def findings(self) -> tuple[KnownFinding, ...]:
        finding = core_finding.Finding(
            severity="MAJOR",
            category="tests",
            kind="impact",
            path="a.py",
            start_line=3,
            end_line=4,
            title="T",
            explanation="E",
            quote="q",
        )
        return (KnownFinding("F-1", finding, "acknowledged", None, settled_by="ann"),)


@pytest.mark.parametrize(
    ("facts", "delta", "threads"),
    [
        ({}, {"new": 0, "resolved": 0, "still_open": 0, "settled": 0}, []),
        ({"delta": {"new": 2}, "threads_resolved": ["F-1"]}, {"new": 2}, ["F-1"]),
    ],
)
def test_a_push_of_the_result_has_the_facts_of_its_run(
    facts: dict[str, Any], delta: dict[str, int], threads: list[str]
) -> None:
    """The delta and the resolved threads are the run's; a finding has its status and who decided about it."""
    outcome = {"run": "r1", "reason": "why"}

    push = push_result(cast(Ledger, Remembered(**facts)), cast(PullRequestApi, None), outcome)

    assert push.delta == Delta(**delta)
    assert list(push.threads_resolved) == threads
    assert [(one.status, one.settled_by) for one in push.findings] == [("acknowledged", "ann")]


HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\rx\x08 \u202egpj.exe [bold red]hi[/] [/nope] \udcff"
SHOWN = "␛[2J␛]0;owned␇⟨U+009B⟩31m␍x␈ ⟨U+202E⟩gpj.exe [bold red]hi[/] [/nope] �"


def hostile(everywhere: str) -> dict[str, Any]:
    """A result in which every text is the same."""
    comment = {"path": everywhere, "line": 1, "body": f"{everywhere}\n\n```suggestion\n{everywhere}\n```"}
    one = push(f"<details><summary>{everywhere}</summary>\n\n## {everywhere}\n\n`{everywhere}`\n\n</details>", comment)
    one |= {
        "head": everywhere,
        "base": everywhere,
        "mode": everywhere,
        "reason": everywhere,
        "skipped": [{"path": everywhere, "reason": everywhere}],
        "findings": [{"status": everywhere, "path": everywhere}],
    }
    said = reply(
        by=everywhere, role=everywhere, to={"comment": 1, "path": everywhere}, text=everywhere, understood=everywhere,
        outcome=everywhere, reason=everywhere, answer=everywhere, reactions=[everywhere],
        findings=[{"id": everywhere, "status": everywhere, "settled_by": everywhere}],
    )  # fmt: skip
    return {
        "repository": everywhere,
        "title": everywhere,
        "reviewer": everywhere,
        "pushes": [one, one | {"review": None}],
        "events": [{"kind": "push", **one}, said],
    }


@pytest.mark.parametrize("terminal", [False, True])
def test_nothing_in_a_pull_request_moves_the_cursor_or_is_markup(terminal: bool) -> None:
    """Escape sequences, carriage returns and turns of direction are shown; rich's own markup is text."""
    result = hostile(HOSTILE)
    diff = [{"path": HOSTILE, "patch": f"@@ -0,0 +1 @@\n+{HOSTILE}"}]

    def everything(console: Console) -> None:
        for one in result["pushes"]:
            print_push(one, console, diff)
        print_reply(result["events"][1], console)
        print_summary(Result(**result), console)
        with Progress(console) as progress:
            progress.step(HOSTILE, HOSTILE)

    shown = printed(everything, width=400, terminal=terminal)

    ours = re.sub(r"\x1b\[(?:[\d;]*m|\?25[hl]|\d*[AK])|\r", "", shown)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\udc80-\udcff]", ours)
    assert ours.count(SHOWN) >= 12
    assert ours.count("owned") == ours.count("␛]0;owned␇")


def test_a_link_names_where_it_leads() -> None:
    """No text can hide an address behind another one."""
    text = (
        "[https://bank.example](https://thief.example) and [x](javascript:alert) and ![pic](https://spy.example/p.png)"
    )

    assert body_of(text) == "https://bank.example (https://thief.example) and [x](javascript:alert) and pic"


def test_each_step_is_one_plain_line_where_nothing_can_move() -> None:
    """A log file has each step once, however often it is reported, and again when its detail changes."""

    def steps(console: Console) -> None:
        with Progress(console) as progress:
            for name, detail in [("gather", ""), ("gather", ""), ("ask", "1 of 2"), ("ask", "2 of 2"), ("gather", "")]:
                progress.step(name, detail)
            with progress.paused():
                console.print("the review")
            progress.step("gather")

    assert printed(steps) == "… gather\n… ask 1 of 2\n… ask 2 of 2\n… gather\nthe review\n… gather\n"


def test_a_terminal_shows_the_steps_with_their_seconds() -> None:
    """The finished ones have a tick, the running one moves."""

    def steps(console: Console) -> None:
        now = [0.0]
        with Progress(console, clock=lambda: now[0]) as progress:
            progress.step("gather")
            now[0] = 1.5
            progress.step("ask", "2 files")
            now[0] = 2.0

    shown = printed(steps, terminal=True)

    assert re.search(r"✓\S* gather +\S+ 1\.5 s", shown)
    assert re.search(r"ask +\S+2 files\S+ +0\.5 s", shown)


def test_what_is_printed_while_a_step_runs_stays_where_it_belongs() -> None:
    """The steps go to stderr; stdout may be a file, and is not taken over."""
    before = sys.stdout, sys.stderr
    with Progress(Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"})) as progress:
        progress.step("gather")

        assert (sys.stdout, sys.stderr) == before


def test_on_a_terminal_only_the_reviews_are_left() -> None:
    """The running display gives way to what is printed and wipes none of it when it goes on; the cursor comes back."""

    def steps(console: Console) -> None:
        with Progress(console) as progress:
            for number in (1, 2):
                progress.step("gather")
                progress.step("ask")
                with progress.paused():
                    console.print(f"the first line of review {number}\nthe last line of review {number}")

    shown = printed(steps, terminal=True)

    assert [line for line in screen(shown) if line] == [
        "the first line of review 1",
        "the last line of review 1",
        "the first line of review 2",
        "the last line of review 2",
    ]
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")


def test_the_display_stops_when_the_review_fails() -> None:
    """An error leaves the terminal empty and with its cursor, and goes on to who called."""

    def fail(progress: Progress) -> None:
        with progress:
            progress.step("ask")
            raise RuntimeError("no answer")

    def failing(console: Console) -> None:
        with pytest.raises(RuntimeError, match="no answer"):
            fail(Progress(console))

    shown = printed(failing, terminal=True)

    assert "ask" in shown
    assert screen(shown) == ["", ""]
    assert shown.rindex("\x1b[?25h") > shown.rindex("\x1b[?25l")
