"""Results of `kodiai review`, as JSON has them, for the tests of what is printed and written of them."""

import io
import re
from collections.abc import Callable
from typing import Any

from rich.console import Console

HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b31m\rx\x08 \u202egpj.exe [bold red]hi[/] [/nope] \udcff"
"""A text that moves the cursor, colors what follows, turns its direction, and is markup of rich."""

SHOWN = "␛[2J␛]0;owned␇⟨U+009B⟩31m␍x␈ ⟨U+202E⟩gpj.exe [bold red]hi[/] [/nope] �"
"""The same as it is shown."""

MODEL = {"calls": 2, "input_tokens": 1_000, "cache_read_tokens": 500, "output_tokens": 80}


def printed(print_it: Callable[[Console], object], *, width: int = 110, terminal: bool = False) -> str:
    """The output on a console, without the spaces at the ends of lines."""
    out = io.StringIO()
    print_it(Console(file=out, width=width, force_terminal=terminal, legacy_windows=False, _environ={"TERM": "xterm"}))
    return re.sub(r" +$", "", out.getvalue(), flags=re.M)


def push(body: str = "", *comments: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A push with a review."""
    review = {"event": "COMMENT", "body": body, "comments": list(comments)}
    return {"head": "a" * 40, "base": "b" * 40, "mode": "full", "reason": "requested", "review": review, **more}


def known(name: str, status: str, **more: Any) -> dict[str, Any]:
    """A finding with its status after a push."""
    return {"id": name, "status": status, "severity": "MAJOR", "path": f"{name}.py", "title": f"title {name}", **more}


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


def story(*events: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A result with these pushes and replies in their order."""
    pushes = [event for event in events if event.get("kind") != "reply"]
    return {
        "repository": "o/r",
        "pull_request": 7,
        "title": "A title",
        "reviewer": "kodiai[bot]",
        "pushes": pushes,
        "events": [{"kind": "push", **event} for event in events],
        **more,
    }


PUSHES: list[dict[str, Any]] = [
    push("x", delta={"new": 3}, findings=[known(name, "open") for name in "abc"], seconds=12),
    push(
        "x",
        mode="incremental",
        findings=[known("a", "fixed"), known("b", "wont_fix"), known("c", "open"), known("d", "open")],
        delta={"new": 1, "resolved": 1, "still_open": 1, "settled": 1},
        threads_resolved=["a"],
        seconds=2.5,
        files_total=3,
        files_read=2,
        hunks_total=5,
        hunks_asked=4,
        model=MODEL,
        github={"calls": 8, "writes": 1},
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
]
"""Five pushes: new findings, others that are resolved and dismissed, one that is open again, a skipped push."""


def everywhere(text: str) -> dict[str, Any]:
    """A result in which every text is the same."""
    comment = {"path": text, "line": 1, "body": f"{text}\n\n```{text}\n{text}\n```\n\n```suggestion\n{text}\n```"}
    body = (
        f"<details><summary>{text}</summary>\n\n## {text}\n\n[a]({text}) `{text}`\n\n- {text}\n\n{text}\n\n</details>"
    )
    finding = dict.fromkeys(("id", "status", "severity", "category", "path", "title", "settled_by"), text)
    one = push(
        body,
        comment,
        head=text,
        base=text,
        mode=text,
        reason=text,
        skipped=[{"path": text, "reason": text}],
        findings=[finding, {**finding, "id": "other", "status": "open", "line": 1}],
        threads_resolved=[text],
    )
    said = reply(
        **dict.fromkeys(("by", "role", "text", "understood", "outcome", "reason", "answer"), text),
        to={"comment": 1, "path": text},
        reactions=[text],
        findings=[finding],
        review=one,
    )
    return story(one, one | {"review": None}, said, title=text, repository=text, reviewer=text)


def files_of(text: str) -> list[dict[str, Any]]:
    """The changed files of a push in which every text is the same."""
    return [{"path": text, "previous_path": text, "status": text, "patch": f"@@ -0,0 +1 @@ {text}\n+{text}"}]
