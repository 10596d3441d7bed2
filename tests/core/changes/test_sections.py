"""Long hunks are compared in sections, so that an edit of a line does not make a whole new file new."""

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.patch import Hunk
from kodiai.core.changes.sections import joined, sections
from kodiai.core.changes.snapshot import Snapshot, difference
from tests.builders import a_file, added

ROWS = [f"row_{at} = load({at})" for at in range(400)]
LINES = st.lists(st.tuples(st.sampled_from(" +-"), st.sampled_from(ROWS)), min_size=1, max_size=200)


def new_file(rows: list[str]) -> ChangedFile:
    return added("src/rows.py", *rows)


def changed_lines(before: list[str], now: list[str]) -> list[str]:
    """The lines of the sections of now that are new after a run saw the file as it was before."""
    file = new_file(now)
    found = difference(Snapshot.of([file], ""), Snapshot.of([new_file(before)], ""))
    part = file.only(found.changed.get(file.path, ()))
    return [line.text for hunk in part.hunks for line in hunk.lines] if found.changed else []


def test_a_line_that_is_edited_makes_little_of_a_new_file_new() -> None:
    """Its own section, and hardly more, wherever it is."""
    for at in range(0, 400, 7):
        edited = [*ROWS[:at], "row = edited", *ROWS[at + 1 :]]

        new = changed_lines(ROWS, edited)

        assert "row = edited" in new
        assert len(new) < 160


def test_lines_that_are_put_in_or_taken_out_move_no_section_behind_them() -> None:
    """Sections end where their own lines say."""
    assert changed_lines(ROWS, [*ROWS[:50], "one", "two", *ROWS[50:]])[0] in ROWS[:50]
    assert len(changed_lines(ROWS, [*ROWS[:50], *["more"] * 20, *ROWS[50:]])) < 180
    assert len(changed_lines(ROWS, [*ROWS[:50], *ROWS[60:]])) < 160


def test_sections_next_to_one_another_are_shown_in_one_piece() -> None:
    """With the numbers of their lines, and what is between two others left out; most hunks are one section."""
    file, short = new_file(ROWS), new_file(ROWS[:60])

    part = file.only([1, 2, 4])

    first, second = part.hunks
    assert first.lines == (*file.sections[1].lines, *file.sections[2].lines)
    assert second == file.sections[4]
    assert part.additions == len(first.lines) + len(second.lines)
    assert file.only(range(len(file.sections))) is file
    assert (short.sections, len(file.sections) > 5) == (short.hunks, True)


@given(LINES)
def test_the_sections_of_a_hunk_are_the_hunk(rows: list[tuple[str, str]]) -> None:
    """Every line is in one of them, in its order and under its numbers, and each has a change."""
    counts = [sum(marker != other for marker, _ in rows) for other in "+-"]
    patch = f"@@ -{7 if counts[0] else 6},{counts[0]} +{7 if counts[1] else 6},{counts[1]} @@\n"
    [hunk] = a_file(patch=patch + "\n".join(marker + text for marker, text in rows)).hunks

    cut = sections(hunk)

    assert tuple(joined(cut)) == (hunk,)
    assert [line for each in cut for line in each.lines] == list(hunk.lines)
    if any(line.marker != " " for line in hunk.lines):
        assert all(_is_changed(each) for each in cut)


def _is_changed(hunk: Hunk) -> bool:
    return any(line.marker != " " for line in hunk.lines)
