"""The patch reader measured by git: whatever two texts differ in, git's patch is read back whole."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, parse_patch

_HEADER = re.compile(r"^@@ -\S+ \+([0-9]+)(?:,([0-9]+))? @@", re.M)
_LINES = [
    "", "a", "b", "\tindented", "  two", "-", "+", "-- ", "--- a/x", "+++ b/x", "@@ -1,2 +3,4 @@", "@@",
    "\\ No newline at end of file", "\\", " ", "diff --git a/x b/x", "# ж ü 漢字 🙂", "def f():", "\x0c", "a\x0bb",
    "x\ry", "\r", "\u2028", "\x85", "index 1..2",
]  # fmt: skip
_ENDED = st.tuples(st.sampled_from(_LINES), st.sampled_from(["\n", "\n", "\r\n"])).map("".join)
_LAST = st.one_of(st.just(""), st.sampled_from([line for line in _LINES if line]))
_CONTENT = st.tuples(st.lists(_ENDED, max_size=14).map("".join), _LAST).map("".join)


@st.composite
def _pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two contents: unrelated ones, or one and the same with some of its lines taken out, doubled or replaced."""
    old = draw(_CONTENT)
    if draw(st.booleans()):
        return old, draw(_CONTENT)
    lines = _split(old)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(lines)))
        lines[at : at + draw(st.integers(0, 2))] = draw(st.lists(_ENDED, max_size=2))
    return old, "".join(lines)


class Git:
    """Compares contents by the real thing, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def patch(self, old: str, new: str, context: int = 3) -> str | None:
        """The patch between two contents from its first hunk on, None where they are the same."""
        (self._folder / "old").write_bytes(old.encode())
        (self._folder / "new").write_bytes(new.encode())
        command = ["git", "diff", "--no-index", "--no-color", f"-U{context}", "--text", "old", "new"]
        said = subprocess.run(command, cwd=self._folder, env=_environment(), capture_output=True, check=False)
        assert said.returncode in (0, 1), said.stderr
        text = said.stdout.decode("utf-8", "replace")
        start = text.find("\n@@ ")
        return text[start + 1 :] if start >= 0 else None


def _environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}


@pytest.fixture(scope="module")
def git() -> Iterator[Git]:
    with TemporaryDirectory() as folder:
        yield Git(Path(folder))


def _split(content: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+\Z", content)


def _side(hunk: Hunk, without: str) -> list[str]:
    return [line.text + ("" if line.ends_file else "\n") for line in hunk.lines if line.marker != without]


def _apply(hunks: tuple[Hunk, ...], old: list[str]) -> list[str]:
    """Carry the hunks out on the old lines; each must find its own old side there."""
    new: list[str] = []
    at = 0
    for hunk in hunks:
        span, _ = hunk.counts
        start = hunk.old_start - 1 if span else hunk.old_start
        assert _side(hunk, "+") == old[start : start + span]
        new += old[at:start] + _side(hunk, "-")
        at = start + span
    return new + old[at:]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=_pairs(), context=st.sampled_from([0, 1, 3, 3, 3]))
def test_gits_patches_are_read_back_whole(git: Git, pair: tuple[str, str], context: int) -> None:
    """Carried out on the old content, the hunks give the new one, line ends and all; so they do written out again."""
    old, new = pair
    patch = git.patch(old, new, context)

    hunks = parse_patch(patch) if patch else ()

    assert "".join(_apply(hunks, _split(old))) == new
    for hunk in hunks:
        assert parse_patch(hunk.patch) == (hunk,)
        numbers = [line.new for line in hunk.lines if line.new is not None]
        assert numbers == list(hunk.new_lines)
        assert [_split(new)[number - 1] for number in numbers] == _side(hunk, "-")
        olds = [line.old for line in hunk.lines if line.old is not None]
        assert [_split(old)[number - 1] for number in olds] == _side(hunk, "+")


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=_pairs())
def test_comments_are_taken_on_exactly_the_lines_that_git_shows(git: Git, pair: tuple[str, str]) -> None:
    """GitHub takes a comment where the diff shows the new side, and nowhere else."""
    old, new = pair
    patch = git.patch(old, new)
    headers = _HEADER.findall(patch or "")
    shown = {int(start) + step for start, count in headers for step in range(int(count or 1))}

    file = ChangedFile("f", "modified", "b", 0, 0, patch)

    numbers = range(-1, len(_split(new)) + 5)
    assert {number for number in numbers if file.takes_comment_on(number, number)} == shown
