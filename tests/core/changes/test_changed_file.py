"""A changed file and its hunks: written as a patch again, cut down to some, looked up by lines."""

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedLines
from kodiai.core.changes.patch import Hunk, parse_patch
from tests.builders import a_file, added
from tests.core.changes.made_hunks import HUNKS, of_hunks
from tests.tables import each_row

THREE = "@@ -1,3 +1,2 @@ def one():\n a\n-b\n c\n@@ -10 +9,2 @@\n-j\n+J\n+k\n@@ -30,2 +30 @@\n-x\n y"


@given(st.lists(HUNKS, min_size=1, max_size=4), st.data())
def test_hunks_written_as_a_patch_are_read_back_as_they_were(hunks: list[Hunk], data: st.DataObject) -> None:
    """Heading, numbers, odd characters, missing newlines and all; so are some of them, with their own counts."""
    file = of_hunks("a.py", hunks)
    places = sorted(data.draw(st.sets(st.integers(0, len(hunks) - 1), min_size=1)))

    part = file.only(places)

    chosen = [hunks[at] for at in places]
    rows = [line.marker for hunk in chosen for line in hunk.lines]
    assert list(file.hunks) == hunks
    assert list(part.hunks) == list(parse_patch(part.patch or "")) == chosen
    assert (part.additions, part.deletions) == (rows.count("+"), rows.count("-"))
    assert (part.path, part.status, part.blob) == (file.path, file.status, file.blob)


def test_a_file_with_all_of_its_hunks_is_the_file_itself() -> None:
    """GitHub's own counts and text stay; with fewer they are those of what is left."""
    file = a_file(patch=THREE, additions=700, deletions=900)

    part = file.only([1, 2])

    assert file.only([0, 1, 2]) is file
    assert part.patch == "@@ -10,1 +9,2 @@\n-j\n+J\n+k\n@@ -30,2 +30,1 @@\n-x\n y"
    assert (part.additions, part.deletions, part.changed_lines) == (2, 2, 4)
    assert file.only([]).hunks == ()


@each_row(
    ("start", "end", "at"),
    [
        (1, 1, 0),
        (2, 2, 0),
        (3, 8, None),
        (9, 9, 1),
        (2, 10, 1),
        (1, 9, 0),
        (1, 99, 0),
        (10, 30, 1),
        (30, 30, 2),
        (31, 31, None),
    ],
)
def test_lines_stand_in_the_hunk_that_holds_most_of_them(start: int, end: int, at: int | None) -> None:
    """New-side lines, both ends included; the first of two that hold as many. What only removes has no new line."""
    file = a_file(patch=THREE)

    assert file.hunk_at(start, end) == (None if at is None else file.hunks[at])
    assert a_file(status="removed", patch="@@ -1,2 +0,0 @@\n-a\n-b").hunk_at(0, 9) is None
    assert a_file(patch=None).hunk_at(1, 9) is None


PATCH = "@@ -3,6 +3,5 @@\n a\n-check(user)\n b\n c\n-old(x)\n+new(x)\n d\n@@ -20,3 +20,2 @@\n-gone()\n y\n z"
TOUCHED = ChangedLines([a_file("a.py", patch=PATCH), added("new.py", "x = 1", "y = 2")])


@each_row(
    ("path", "lines", "touched"),
    [
        ("a.py", (6, 6), True),  # added
        ("a.py", (3, 3), True),  # right before a removed line
        ("a.py", (4, 4), True),  # right after it
        ("a.py", (5, 5), True),  # before the replaced line
        ("a.py", (7, 7), False),  # context
        ("a.py", (1, 6), True),  # a range that holds one of them
        ("a.py", (8, 19), False),
        ("a.py", (20, 20), True),  # after what was removed at the top of a hunk
        ("a.py", (21, 21), False),
        ("new.py", (1, 2), True),
        ("other.py", (1, 9), False),
    ],
)
def test_added_lines_and_the_neighbors_of_removed_lines_are_touched(
    path: str, lines: tuple[int, int], touched: bool
) -> None:
    """A problem there is new; on any other line it was there before."""
    assert TOUCHED.touches(path, *lines) is touched


def test_changed_code_is_known_by_its_text() -> None:
    """Added or removed, whatever its white space, under the old path too; context is not changed code."""
    moved = ChangedLines([a_file("b.py", patch=PATCH, status="renamed", previous_path="was.py")])

    assert TOUCHED.has("a.py", "    new( x )")
    assert TOUCHED.has("a.py", "b\ncheck(user)")
    assert moved.has("was.py", "new(x)")
    assert moved.has("was.py", "")  # the move itself
    assert not TOUCHED.has("a.py", "c")
    assert not TOUCHED.has("a.py", " \n")
    assert not TOUCHED.has("other.py", "new(x)")
