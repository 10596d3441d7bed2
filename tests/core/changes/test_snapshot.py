"""Whether a pull request shows anything that was not reviewed before."""

import pytest

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Snapshot, shows_nothing_new
from tests.builders import a_file

ONE = "@@ -10,3 +10,3 @@ def f():\n a\n-b\n+B\n c"
ONE_REBASED = "@@ -40,3 +52,3 @@ def g():\n other\n-b\n+B\n context"
TWO = f"{ONE}\n@@ -30 +30,2 @@\n x\n+y"
TWICE = f"{ONE}\n@@ -30,3 +30,3 @@\n a\n-b\n+B\n c"
OTHER = "@@ -10,3 +10,3 @@ def f():\n a\n-b\n+BB\n c"


def nothing_new(now: list[ChangedFile], before: list[ChangedFile]) -> bool:
    return shows_nothing_new(Snapshot.of(now, "settings"), Snapshot.of(before, "settings"))


@pytest.mark.parametrize(
    ("case", "now", "before", "same"),
    [
        ("the very same", ONE, ONE, True),
        ("a rebase that moved it", ONE_REBASED, ONE, True),
        ("the last push taken back", ONE, TWO, True),
        ("one more hunk", TWO, ONE, False),
        ("another change in its place", OTHER, ONE, False),
        ("the same change at one more place", TWICE, ONE, False),
        ("the same change at one place less", ONE, TWICE, True),
        ("a patch that has become unreadable", "@@ garbage", ONE, False),
        ("a patch that was unreadable", ONE, "@@ garbage", False),
    ],
)
def test_hunks_count_by_what_they_change(case: str, now: str, before: str, same: bool) -> None:
    """Place and context do not count, how often a change is made does."""
    files = [[a_file(patch=patch, blob=str(number))] for number, patch in enumerate((now, before))]

    assert nothing_new(*files) is same, case


def test_a_new_file_is_new_and_one_that_left_is_not() -> None:
    """Less to review is nothing new."""
    one, two = a_file("a.py", patch=ONE), a_file("b.py", patch=ONE)

    assert not nothing_new([one, two], [one])
    assert nothing_new([one], [one, two])


def test_a_renamed_file_is_new_under_its_new_name() -> None:
    """So is one that came from elsewhere than before."""
    file = a_file("a.py", patch=ONE)
    renamed = a_file("b.py", patch=ONE, status="renamed", previous_path="a.py")
    renamed_from_elsewhere = a_file("b.py", patch=ONE, status="renamed", previous_path="c.py")

    assert not nothing_new([renamed], [file])
    assert not nothing_new([renamed_from_elsewhere], [renamed])
    assert nothing_new([renamed], [renamed])


def test_a_file_without_hunks_counts_by_its_content() -> None:
    """A binary that was replaced is new, one that stayed is not."""
    image, same, replaced = (a_file("a.png", patch=None, blob=blob) for blob in ("1", "1", "2"))

    assert nothing_new([same], [image])
    assert not nothing_new([replaced], [image])


def test_other_settings_make_everything_new() -> None:
    """Under other settings the same code may be told of differently."""
    files = [a_file()]

    assert not shows_nothing_new(Snapshot.of(files, "one"), Snapshot.of(files, "other"))


def test_the_change_made_to_another_file_is_new() -> None:
    """Hunks are compared file by file."""
    assert not nothing_new([a_file("b.py", patch=ONE)], [a_file("a.py", patch=ONE)])
