"""Diffs as rows, for the pages and the report."""

from local.rendering.diffs import places_of, rows_of


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


def test_a_text_that_is_no_patch_has_no_rows() -> None:
    assert [rows_of("a.txt", text) for text in ("", "no patch", "@@ -1 +1 @@", "@@ -1 +1 @@\n?")] == [()] * 4
