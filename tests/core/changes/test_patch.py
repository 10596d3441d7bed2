"""Patches as GitHub gives them, and texts that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.patch import Hunk, Line, Marker, UnreadablePatch, parse_patch
from tests.builders import a_file
from tests.core.changes.made_hunks import a_hunk
from tests.tables import each_row

TWO_HUNKS = "@@ -1,3 +1,2 @@ def one():\n a\n-b\n c\n@@ -10 +9,2 @@\n-j\n+J\n+k"


def test_every_line_has_its_place_on_either_side() -> None:
    """Numbers are 1-based; a line that a side does not have has no number there."""
    first, second = parse_patch(TWO_HUNKS)

    assert first == Hunk(1, 1, "def one():", (Line(" ", 1, 1, "a"), Line("-", 2, None, "b"), Line(" ", 3, 2, "c")))
    assert second.lines == (Line("-", 10, None, "j"), Line("+", None, 9, "J"), Line("+", None, 10, "k"))
    assert (first.counts, second.counts) == ((3, 2), (1, 2))


def test_an_empty_line_counts_as_an_empty_line_of_context() -> None:
    """Some tools strip the blank at its beginning, and git itself takes such patches."""
    (hunk,) = parse_patch("@@ -1,3 +1,3 @@\n-a\n+b\n\n c")

    assert hunk.lines[2] == Line(" ", 2, 2, "")


@each_row(
    "patch",
    [
        "",
        "\n",
        "Binary files a/x and b/x differ",
        "@@ -1 +1 @@",
        "@@ -1,2 +1,2 @@\n a",
        "@@ -1 +1 @@\n a\n b",
        "@@ -1,1 +1,3 @@\n a\n b\n c",
        "@@ -0,0 +0,0 @@",
        "@@ -1 +1 @@\n\\ No newline at end of file\n a",
        "@@ -1 +1 @@\n*a",
        "@@@ -1 -1 +1 @@@\n  a",
        "@@ -a +b @@\n a",
        f"@@ -{'9' * 5000} +1 @@\n a",
        "@@ -1,999999999 +1 @@\n-a\n+b",
        "@@ -\u0661 +\u0661 @@\n a",
    ],
)
def test_a_broken_patch_is_unreadable(patch: str) -> None:
    """Its header is none, or lines are missing or not counted: the parser makes no guess."""
    with pytest.raises(UnreadablePatch):
        parse_patch(patch)

    assert a_file(patch=patch).hunks == ()


_PIECES = ["@@ -1 +1 @@", "@@ -1,2 +1,3 @@ x", "@@ -0,0 +1 @@", "\\ No newline", "+", "-", " ", "\n", "\r", "a", "@@"]


@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES)).map("".join)))
def test_garbage_is_unreadable_and_nothing_worse(text: str) -> None:
    """Whatever the text, the reader either gives hunks that hold their counts, or says that it cannot."""
    try:
        hunks = parse_patch(text)
    except UnreadablePatch:
        return

    assert hunks
    assert all(hunk.lines for hunk in hunks)


_TEXT = st.text(alphabet="ab+-\\\0 ", max_size=3)
_CHANGED = st.lists(st.tuples(st.sampled_from(["+", "-"]), _TEXT, st.booleans()), min_size=1, max_size=3)
_CONTEXT = st.lists(st.tuples(st.just(" "), _TEXT, st.booleans()), max_size=3)


@given(one=_CHANGED, other=_CHANGED)
def test_keys_are_equal_for_the_same_change_and_for_no_other(
    one: list[tuple[Marker, str, bool]], other: list[tuple[Marker, str, bool]]
) -> None:
    """Markers, texts, their order and the missing newline all count."""
    keys = a_hunk(one).key, a_hunk(other).key

    assert (keys[0] == keys[1]) == (one == other)


@given(changed=_CHANGED, before=_CONTEXT, after=_CONTEXT, start=st.integers(1, 9_000))
def test_neither_place_nor_context_changes_a_key(
    changed: list[tuple[Marker, str, bool]],
    before: list[tuple[Marker, str, bool]],
    after: list[tuple[Marker, str, bool]],
    start: int,
) -> None:
    """A rebase moves a hunk and rewrites the lines around it; it is the same change."""
    bare = a_hunk(changed)
    moved = a_hunk([*before, *changed, *after], start)

    assert moved.key == bare.key


def test_a_comment_stands_in_one_hunk_on_the_new_side() -> None:
    """GitHub refuses the whole review when the ends of a range stand in different hunks; a removed file has no side."""
    file, removed = a_file(patch=TWO_HUNKS), a_file(status="removed", patch="@@ -1,2 +0,0 @@\n-a\n-b")

    assert [file.takes_comment_on(*lines) for lines in ((1, 2), (9, 10), (2, 9), (2, 3))] == [True, True, False, False]
    assert not any(removed.takes_comment_on(line, line) for line in range(-1, 5))
