"""How changes stand in the question to the model."""

import json

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.show import show_file, show_lines
from tests.builders import a_file, added


def test_a_change_is_shown_with_markers_and_the_new_sides_numbers() -> None:
    """A removed line has no number; the heading of a hunk, which is code, is not shown."""
    file = a_file(
        "src/ä b.py",
        status="renamed",
        previous_path="src/old.py",
        patch="@@ -10,2 +10,2 @@ def f():\n context\n-removed\n+added\n@@ -1000 +1000 @@\n-a\n+b",
    )

    shown = show_file(file)

    assert shown == (
        '### FILE "src/\\u00e4 b.py" renamed from "src/old.py"\n'
        "@@ -10,2 +10,2 @@\n"
        "     10 | context\n"
        "-       | removed\n"
        "+    11 | added\n"
        "@@ -1000,1 +1000,1 @@\n"
        "-       | a\n"
        "+  1000 | b\n"
    )


def test_lines_of_a_file_are_shown_with_their_numbers() -> None:
    """The title says which part of the file it is."""
    shown = show_lines('a"b.py', ["one", "", "three\r"], 2, 3)

    assert shown == 'FILE "a\\"b.py" lines 2-3 of 3\n     2 | \n     3 | three\r'


@given(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"])), st.text(min_size=1))
def test_no_line_of_code_and_no_path_can_end_its_block(text: str, path: str) -> None:
    """However lines are told apart, each one stands behind a marker and a number; tabs and form feeds stay."""
    shown = show_file(added(path, text, f"\r### FILE {json.dumps(path)} modified"))

    title, hunk, first, second = shown.removesuffix("\n").split("\n")
    assert title == f"### FILE {json.dumps(path)} added"
    assert hunk == "@@ -0,0 +1,2 @@"
    assert first.startswith("+     1 | ")
    assert second.startswith("+     2 |  ### FILE")
    assert not any(sign in shown for sign in "\x85\u2028\u2029")
    assert "\r" not in shown.replace("\r\n", "")
