"""What the pull request touches."""

import pytest

from kodiai.core.changes.changed_file import Touched
from tests.builders import a_file, added

PATCH = "@@ -3,6 +3,5 @@\n a\n-check(user)\n b\n c\n-old(x)\n+new(x)\n d\n@@ -20,3 +20,2 @@\n-gone()\n y\n z"
TOUCHED = Touched([a_file("a.py", patch=PATCH), added("new.py", "x = 1", "y = 2")])


@pytest.mark.parametrize(
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
def test_a_line_is_touched_where_it_is_added_or_stands_beside_what_was_removed(
    path: str, lines: tuple[int, int], touched: bool
) -> None:
    """A problem there was brought by the change; on any other line it was there before."""
    assert TOUCHED.touches(path, *lines) is touched


def test_changed_code_is_known_by_its_text() -> None:
    """Added or removed, whatever its white space, under the old path too; context is not changed code."""
    moved = Touched([a_file("b.py", patch=PATCH, status="renamed", previous_path="was.py")])

    assert TOUCHED.has("a.py", "    new( x )")
    assert TOUCHED.has("a.py", "b\ncheck(user)")
    assert moved.has("was.py", "new(x)")
    assert not TOUCHED.has("a.py", "c")
    assert not TOUCHED.has("a.py", " \n")
    assert not TOUCHED.has("other.py", "new(x)")
