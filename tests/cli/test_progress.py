"""The steps of `kodiai review` while it works."""

import io
import re
import sys

import pytest
from rich.console import Console

from cli.progress import Progress
from tests.cli.stories import HOSTILE, SHOWN, printed


def screen(written: str) -> list[str]:
    """Return the lines left on a terminal's screen, cursor movements applied, colors dropped."""
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


@pytest.mark.parametrize("terminal", [False, True])
def test_the_name_of_a_step_cannot_move_the_cursor(terminal: bool) -> None:
    def steps(console: Console) -> None:
        with Progress(console) as progress:
            progress.step(HOSTILE, HOSTILE)

    shown = printed(steps, width=400, terminal=terminal)

    assert SHOWN in shown
    assert shown.count("owned") == shown.count("␛]0;owned␇")


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


def test_stdout_and_stderr_are_not_redirected_while_a_step_runs() -> None:
    """The steps go to stderr; stdout may be a file."""
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
