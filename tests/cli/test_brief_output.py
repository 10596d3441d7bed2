"""The default output of `kodiai review`."""

from functools import partial
from typing import Any

from rich.console import Console

from cli.brief_output import print_push_briefly, print_total
from cli.results import Push, Result
from tests.cli.test_full_output import HOSTILE, SHOWN, STORY, hostile, known, printed, push, reply

VERDICT = ":red_circle: **Address before merging** · 1 critical, 2 medium"


def brief(pushes: list[dict[str, Any]], number: int, of: int, width: int = 100) -> list[str]:
    def print_it(console: Console) -> None:
        title = f"Push {number} of {of}" if of > 1 else "Review"
        print_push_briefly([Push(**push) for push in pushes], console, title, list_open=number == of)

    return printed(print_it, width=width).split("\n")


def placed(name: str, status: str, line: int | None = 7, **more: Any) -> dict[str, Any]:
    return known(name, status, line=line, **more)


def test_a_push_is_its_verdict_and_a_line_for_each_finding() -> None:
    """The verdict as the posted summary says it; which has the counts; each finding with its place."""
    findings = [placed("a", "open", severity="CRITICAL"), placed("b", "open", line=None)]
    one = push(f"{VERDICT}\n\n[a line](https://example.org)", delta={"new": 2}, findings=findings, files_total=3)

    assert brief([one], 1, 1) == [
        "",
        "Review · aaaaaaa onto bbbbbbb · full",
        "🔴 Address before merging · 1 critical, 2 medium",
        "  new  [CRITICAL] a.py:7  title a",
        "  new  [MAJOR] b.py  title b",
        "  0 of 3 files read",
        "",
    ]


def test_changes_to_earlier_findings_are_printed_push_by_push() -> None:
    """What is new, resolved or dismissed is listed; what is still open is counted, and listed at the end."""
    second = brief(STORY["pushes"][:2], 2, 3)
    last = brief(STORY["pushes"][:2], 2, 2)

    assert second[1:] == [
        "Push 2 of 3 · aaaaaaa onto bbbbbbb · incremental",
        "  new        [MAJOR] d.py  title d",
        "  resolved   [MAJOR] a.py  title a",
        "  won't fix  [MAJOR] b.py  title b",
        "  1 new · 1 resolved · 1 still open · 1 dismissed · 0 of 0 files read",
        "",
    ]
    assert last[5:7] == ["  open       [MAJOR] c.py  title c", second[5]]


def test_a_push_on_which_nothing_was_posted_says_why() -> None:
    """Silence is no all-clear: the last push lists what is open."""
    shown = brief(STORY["pushes"][:3], 3, 3)

    assert shown[2] == "Nothing was posted: no hunk has changed (since abc1234)."
    assert shown[5] == "  open      [MAJOR] d.py  title d"


def test_a_finding_takes_one_line_however_long_it_is() -> None:
    """The title is cut; twenty findings are shown, the others counted."""
    findings = [placed(f"{number}", "open", title="long " * 40) for number in range(23)]

    shown = brief([push("x", findings=findings)], 1, 1)

    assert shown[2] == "  new  [MAJOR] 0.py:7  " + ("long " * 40)[:76] + "…"
    assert shown[22] == "  and 3 more; --full prints all of them"
    assert all(len(line) <= 100 for line in shown)


def test_the_total_is_one_line() -> None:
    """What the model cost and read over all pushes, replies and the reviews that they asked for, and who reviewed."""
    model = {"calls": 2, "input_tokens": 1_000, "cache_read_tokens": 500, "output_tokens": 80}
    review = push("x", model=model, cost_usd=0.25, seconds=2)
    result = {
        "reviewer": "Claude",
        "pushes": [push("x", model=model, cost_usd=0.5, seconds=1.5)],
        "events": [{"kind": "push", **review}, reply(model=model, cost_usd=0.25, review=review)],
    }
    cheap = {"pushes": [push("x", model=model, cost_usd=0.0012)]}
    unpriced = {"pushes": [push("x", model=model)]}

    shown = [printed(partial(print_total, Result(**one))) for one in (result, cheap, unpriced)]

    assert shown[0] == "\nCost: $1.00 · Claude · 4,500 tokens in (1,500 from cache), 240 out · 4 s\n"
    assert shown[1].startswith("\nCost: $0.0012 · ")
    assert shown[2].startswith("\nCost: unknown · ")


def test_nothing_in_a_pull_request_moves_the_cursor() -> None:
    """Escape sequences are shown, and rich's own markup is text."""
    result = hostile(HOSTILE)

    shown = "\n".join(brief(result["pushes"][:1], 1, 1, width=400))
    total = printed(lambda console: print_total(Result(**result), console), width=400)

    assert "\x1b" not in shown + total
    assert shown.count(SHOWN) == 5
    assert SHOWN in total
