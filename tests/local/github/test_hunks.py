"""Lines in patches: where they are, and where they go."""

import difflib

from hypothesis import given
from hypothesis import strategies as st

from local.github.hunks import find_line, follow_line, hunk_up_to, read_lines

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "+", "-", "@@ -1 +1 @@", ""]), max_size=12)


def unified(old: list[str], new: list[str], context: int) -> str:
    lines = list(difflib.unified_diff(old, new, lineterm="", n=context))[2:]
    return "\n".join(lines)


@given(old=TEXTS, new=TEXTS, context=st.integers(0, 3))
def test_a_followed_line_has_the_same_text_or_is_gone(old: list[str], new: list[str], context: int) -> None:
    """The amount of context does not matter; exactly the removed lines are gone."""
    patch = unified(old, new, context)
    removed = {line.left for line in read_lines(patch) if line.right is None} if patch else set()

    for number, text in enumerate(old, 1):
        now = follow_line(patch, number)

        assert (now is None) == (number in removed)
        assert now is None or new[now - 1] == text


@given(old=TEXTS, new=TEXTS)
def test_every_line_of_a_patch_is_found_by_its_number(old: list[str], new: list[str]) -> None:
    """The new side's numbers are those of the new text, the old side's those of the old one."""
    patch = unified(old, new, 3)

    for line in read_lines(patch) if patch else ():
        if line.right is not None:
            assert (find_line(patch, "RIGHT", line.right), new[line.right - 1]) == (line, line.text[1:])
        if line.left is not None:
            assert (find_line(patch, "LEFT", line.left), old[line.left - 1]) == (line, line.text[1:])


def test_a_line_outside_the_hunks_is_not_found() -> None:
    """A line of the other side and a line in a file without a patch are not found either."""
    patch = "@@ -1,2 +1,2 @@\n same\n-old\n+new\n@@ -9 +9,0 @@\n-nine"

    assert find_line(patch, "RIGHT", 3) is None
    assert find_line(patch, "RIGHT", 9) is None
    assert find_line(patch, "LEFT", 9) is not None
    assert find_line("", "RIGHT", 1) is None


def test_a_comment_shows_its_hunk_up_to_its_line() -> None:
    """The excerpt begins with the header and has no other hunk."""
    patch = "@@ -1 +1 @@\n-a\n+b\n@@ -8,2 +8,3 @@ def f():\n one\n+two\n three"
    line = find_line(patch, "RIGHT", 9)

    assert line is not None
    assert hunk_up_to(patch, line) == "@@ -8,2 +8,3 @@ def f():\n one\n+two"
