"""Things on ranges of lines are found by their lines as if each was looked at."""

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.line_ranges import LineRanges
from tests.builders import a_file

LINES = st.integers(-2, 12)
RANGES = st.lists(st.tuples(LINES, LINES), max_size=8)


@given(ranges=RANGES, first=LINES, last=LINES)
def test_ranges_with_any_of_the_lines_are_found_in_their_order(
    ranges: list[tuple[int, int]], first: int, last: int
) -> None:
    """Ranges may overlap and come in any order; an empty one has no lines."""
    asked = {*range(first, last + 1)}

    found = LineRanges((*each, number) for number, each in enumerate(ranges)).on(first, last)

    assert found == [at for at, (start, end) in enumerate(ranges) if asked & {*range(start, end + 1)}]


def test_a_hunk_is_found_by_its_lines_wherever_the_others_are() -> None:
    """A patch may name its hunks in any order, and a model may write any number for a line."""
    rows = [f"@@ -{at},0 +{at},2 @@\n+a\n+b" for at in (90, 10, 50)]
    file = a_file(patch="\n".join(rows))

    found = [file.hunk_at(at, at + 3) for at in (8, 49, 91, 60)]

    assert [hunk and hunk.new_start for hunk in found] == [10, 50, 90, None]
    assert file.touches(1, 10**15)
    assert not file.touches(92, 10**15)
