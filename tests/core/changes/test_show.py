"""The form of changes in the question to the model."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.broken_reference import BrokenReference
from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.changes.show import longest_in_part, pieces, show_file, show_files, show_lines, token_size
from tests.builders import a_file, added
from tests.core.changes.made_hunks import HUNKS, of_hunks


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
    """Each line is behind a marker and a number, however lines end; tabs and form feeds stay."""
    shown = show_file(added(path, text, f"\r### FILE {json.dumps(path)} modified"))

    title, hunk, first, second = shown.removesuffix("\n").split("\n")
    assert title == f"### FILE {json.dumps(path)} added"
    assert hunk == "@@ -0,0 +1,2 @@"
    assert first.startswith("+     1 | ")
    assert second.startswith("+     2 |  ### FILE")
    assert not any(sign in shown for sign in "\x85\u2028\u2029")
    assert "\r" not in shown.replace("\r\n", "")


def lines(*files: ChangedFile) -> list[Line]:
    return [line for file in files for hunk in file.hunks for line in hunk.lines]


def test_a_file_that_fits_is_its_only_piece_and_no_line_is_cut() -> None:
    """It fits to the last token; half of a line would be shown as a line that does not exist."""
    file = a_file()

    assert pieces(file, token_size(file)) == (file,)
    assert pieces(added("a.py", "x = 1", "y" * 900), 200) == ()


def test_a_change_is_cut_between_its_hunks_and_a_hunk_that_is_too_large_between_its_lines() -> None:
    """As many stand together as there is room for; the file's other facts stay, and both sides go on counting."""
    hunk = "\n".join(["@@ -{0},2 +{0},12 @@ def f():", " a", *["+value = 1"] * 10, " b"])
    file = a_file("src/a.py", patch="\n".join(hunk.format(start) for start in (10, 100, 200)), previous_path="b.py")
    large = a_file(patch="\n".join(["@@ -10,22 +30,22 @@ def f():", " a", *["-old"] * 20, *["+new"] * 20, " b"]))

    cut, parts = pieces(file, 220), pieces(large, 120)

    assert [[each.new_start for each in piece.hunks] for piece in cut] == [[10, 100], [200]]
    assert [(piece.path, piece.previous_path, piece.additions) for piece in cut] == [
        ("src/a.py", "b.py", 20),
        ("src/a.py", "b.py", 10),
    ]
    assert (len(parts) > 2, lines(*parts)) == (True, lines(large))
    assert {each.heading for piece in parts for each in piece.hunks} == {"def f():"}


def test_the_rows_in_place_of_hunks_are_cut_between_rows() -> None:
    """Each piece has its title, and together they have all rows."""
    rows = [f" {number:>6} | {{}}" for number in range(100)]
    file = replace(added("yarn.lock", "a"), shown="\n".join(rows))

    cut = pieces(file, 200)

    assert [row for piece in cut for row in str(piece.shown).split("\n")] == rows
    assert len(cut) > 1
    assert all(token_size(piece) <= 200 for piece in cut)
    assert pieces(replace(file, shown="x" * 2_000), 200) == ()


def test_pieces_of_long_lines_fit_although_lines_lose_their_counterparts() -> None:
    """Together they are compared, and apart they are shown as new."""
    old, new = (["".join(f"{sign}{at}," for at in range(2_000)) for sign in signs] for signs in ("abcdef", "aBCDEF"))
    file = a_file(patch="\n".join(["@@ -1,6 +1,6 @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]))

    cut = pieces(file, 9_000)

    assert len(cut) > 1
    assert all(token_size(piece) <= 9_000 for piece in cut)
    assert lines(*cut) == lines(file)


def test_a_long_line_is_shown_by_its_ends_in_rows_that_no_code_can_begin() -> None:
    """A row without a number goes on with the line above; of context and of a file's lines nothing else is shown."""
    code = "begin" + "x" * 99_990 + "+       … 9 characters left out … end"
    file = a_file(patch=f"@@ -1,2 +1,2 @@\n {code}\n-a\n+b")

    shown, read = show_file(file).split("\n"), show_lines("a.js", [code], 1, 1).split("\n")

    assert shown[2].startswith("      1 | beginxx")
    assert shown[3].startswith("        … 99,632 characters left out … xxx")
    assert shown[3].endswith("… 9 characters left out … end")
    assert shown[4:] == ["-       | a", "+     2 | b", ""]
    assert read[1].startswith("     1 | beginxx")
    assert read[2].startswith("       … 99,632 characters left out … xxx")
    assert not longest_in_part(file)


@given(hunks=st.lists(HUNKS, min_size=1, max_size=6), tokens=st.integers(60, 200))
def test_pieces_hold_the_whole_change_and_none_is_too_large(hunks: list[Hunk], tokens: int) -> None:
    """Every line once, in order, under its number; counts add up."""
    file = of_hunks("src/a.py", hunks)
    if not file.hunks:
        return

    cut = pieces(file, tokens)

    assert cut
    assert all(token_size(piece) <= tokens for piece in cut)
    assert lines(*cut) == lines(file)
    if len(cut) > 1:
        assert sum(piece.changed_lines for piece in cut) == sum(line.marker != " " for line in lines(file))


def test_references_that_a_move_breaks_stand_below_the_title() -> None:
    """Its own, and those of other files to it, behind their numbers; of many the first twenty."""
    own = BrokenReference("b/x.py", 3, "from .u import y\u2028", ".u", "a/u.py")
    other = BrokenReference("a/main.py", 12, "from .x import z", ".x", "a/x.py")
    file = a_file("b/x.py", status="renamed", previous_path="a/x.py", patch=None, broken=(own, other))

    assert show_file(file) == (
        '### FILE "b/x.py" renamed from "a/x.py"\n'
        "      3 | from .u import y \n"
        'names nothing any more: ".u" (was "a/u.py")\n'
        'in another file, "a/main.py":\n'
        "     12 | from .x import z\n"
        'names nothing any more: ".x" (was "a/x.py")\n'
    )
    assert show_file(replace(file, broken=(own,) * 25)).endswith("\nand 5 more references resolve no more\n")


def test_files_that_were_only_moved_are_shown_by_their_folders() -> None:
    """Those with a change, those that become sensitive by their place, and a few are shown by themselves."""

    def moved(was: str, now: str, patch: str | None = None) -> ChangedFile:
        return a_file(now, status="renamed", previous_path=was, patch=patch)

    many = [moved(f"a/c/{at}.py", f"b/c/{at}.py") for at in range(6)]
    few = [moved(f"x/{at}.py", f"y/{at}.py") for at in range(5)]
    edited = moved("a/c/7.py", "b/c/7.py", "@@ -1 +1 @@\n-a\n+b")
    workflows = [moved(f"docs/{at}.yml", f".github/workflows/{at}.yml") for at in range(6)]

    assert show_files([*many[:3], edited, *few, *workflows, *many[3:]]) == [
        '### 6 FILES below "b/" renamed from "a/" without a change\n',
        *map(show_file, [edited, *few, *workflows]),
    ]
