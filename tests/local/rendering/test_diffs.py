"""Diffs as rows, for the pages and the report."""

from local.rendering.diffs import folded, places_of, rows_of


def test_each_side_is_highlighted_by_itself() -> None:
    """A string that opens on removed lines does not color the added ones."""
    rows = rows_of("a.py", '@@ -1,3 +1,2 @@\n-x = """\n-a\n-"""\n+x = 1\n+y = 2')

    assert [str(row.html) for row in rows if row.marker != "@"][1::3] == [
        '<span class="st">a</span>',
        'y = <span class="nu">2</span>',
    ]


def test_a_line_of_context_has_a_place_on_each_side() -> None:
    """A comment on its old number is at the same row."""
    rows = rows_of("a.txt", "@@ -1,2 +2,2 @@\n a\n-b\n+c")

    assert places_of(rows) == {
        ("LEFT", 1): ("RIGHT", 2),
        ("RIGHT", 2): ("RIGHT", 2),
        ("LEFT", 2): ("LEFT", 2),
        ("RIGHT", 3): ("RIGHT", 3),
    }


def test_rows_far_from_marked_ones_are_folded() -> None:
    """Not the header, and not so few that a fold saves no room."""
    rows = rows_of("a.txt", "@@ -0,0 +1,12 @@\n" + "\n".join(f"+{number}" for number in range(1, 13)))

    stretches = [(is_folded, len(part)) for is_folded, part in folded(rows, {("RIGHT", 7)}, around=2)]
    short = [(is_folded, len(part)) for is_folded, part in folded(rows, {("RIGHT", 4), ("RIGHT", 10)}, around=2)]

    assert stretches == [(False, 1), (True, 4), (False, 5), (False, 3)]
    assert not any(is_folded for is_folded, _ in short)


def test_what_is_no_patch_has_no_rows() -> None:
    assert [rows_of("a.txt", text) for text in ("", "no patch", "@@ -1 +1 @@", "@@ -1 +1 @@\n?")] == [()] * 4
