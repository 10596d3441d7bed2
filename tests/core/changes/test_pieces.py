"""A change that is too large for one conversation is cut, and nothing of it is lost."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk, Line
from kodiai.core.changes.show import pieces, size
from tests.builders import a_file, added
from tests.core.changes.made_hunks import HUNKS, of_hunks


def lines(*files: ChangedFile) -> list[Line]:
    return [line for file in files for hunk in file.hunks for line in hunk.lines]


def test_what_fits_is_its_only_piece() -> None:
    """To the last token."""
    file = a_file()

    assert pieces(file, size(file)) == (file,)


def test_a_change_is_cut_between_its_hunks_where_each_of_them_fits() -> None:
    """As many stand together as there is room for; the file's other facts stay."""
    hunk = "\n".join(["@@ -{0},2 +{0},12 @@ def f():", " a", *["+value = 1"] * 10, " b"])
    file = a_file("src/a.py", patch="\n".join(hunk.format(start) for start in (10, 100, 200)), previous_path="b.py")

    cut = pieces(file, 220)

    assert [[each.new_start for each in piece.hunks] for piece in cut] == [[10, 100], [200]]
    assert [(piece.path, piece.previous_path, piece.additions) for piece in cut] == [
        ("src/a.py", "b.py", 20),
        ("src/a.py", "b.py", 10),
    ]


def test_a_hunk_that_is_too_large_is_cut_between_its_lines() -> None:
    """Both sides go on counting where they stopped."""
    rows = [" a", *["-old"] * 20, *["+new"] * 20, " b"]
    file = a_file("src/a.py", patch="\n".join(["@@ -10,22 +30,22 @@ def f():", *rows]))

    cut = pieces(file, 120)

    assert len(cut) > 2
    assert lines(*cut) == lines(file)
    assert {hunk.heading for piece in cut for hunk in piece.hunks} == {"def f():"}


def test_a_line_that_is_too_large_cannot_be_cut() -> None:
    """Half a line would be shown as one that does not exist."""
    assert pieces(added("a.py", "x = 1", "y" * 900), 200) == ()


@settings(deadline=None)
@given(hunks=st.lists(HUNKS, min_size=1, max_size=6), tokens=st.integers(60, 200))
def test_pieces_hold_the_whole_change_and_none_is_too_large(hunks: list[Hunk], tokens: int) -> None:
    """Every line once, in order, under its number; counts add up."""
    file = of_hunks("src/a.py", hunks)
    if not file.hunks:
        return

    cut = pieces(file, tokens)

    assert cut
    assert all(size(piece) <= tokens for piece in cut)
    assert lines(*cut) == lines(file)
    if len(cut) > 1:
        assert sum(piece.changed_lines for piece in cut) == sum(line.marker != " " for line in lines(file))
