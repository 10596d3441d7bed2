"""Files that were renamed, moved, copied or swapped since the last run."""

from dataclasses import replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Difference, difference
from tests.core.changes.made_hunks import a_hunk, of_hunks
from tests.core.changes.test_snapshot import END, ONE, ONE_MORE, ONE_REBASED, SAME, TWO, after, keys, patched, seen
from tests.tables import each_row


def renamed(path: str, origin: str, *hunks: str, **given: object) -> ChangedFile:
    return patched(*hunks, path=path, status="renamed", previous_path=origin, **given)


def added(path: str, hunk: str) -> ChangedFile:
    return patched(hunk, path=path, status="added")


GONE, NEW_NAME = {"a.py": keys(ONE)}, {"a.py": "b.py"}
IMAGE = {"status": "added", "blob": "1"}
COPY = patched(ONE, path="b.py", status="copied", previous_path="a.py")
EDITED = Difference({"b.py": (0, 2)}, gone=GONE, renamed=NEW_NAME)
EDITED_AGAIN = Difference({"c.py": (0,)}, gone={"b.py": keys(ONE)}, renamed={"b.py": "c.py"})
ANOTHER = Difference({"b.py": (0,)}, gone=GONE)
SWAPPED = [renamed("b.py", "a.py", ONE), renamed("a.py", "b.py", TWO)]
BOTH_CHANGED = Difference({"a.py": (0,), "b.py": (0,)}, gone={"a.py": keys(ONE), "b.py": keys(TWO)})


@each_row(
    ("case", "before", "now", "expected"),
    [
        ("as it was", [patched(ONE)], [renamed("b.py", "a.py", ONE)], Difference({}, renamed=NEW_NAME)),
        ("and edited", [patched(ONE, TWO)], [renamed("b.py", "a.py", ONE_MORE, TWO, END)], EDITED),
        (
            "and everything else taken back",
            [patched(ONE)],
            [renamed("b.py", "a.py", blob="base")],
            Difference({"b.py": ()}, gone=GONE, renamed=NEW_NAME),
        ),
        (
            "once more",
            [renamed("b.py", "a.py", ONE)],
            [renamed("c.py", "a.py", ONE)],
            Difference({}, renamed={"b.py": "c.py"}),
        ),
        ("once more, and edited", [renamed("b.py", "a.py", ONE)], [renamed("c.py", "a.py", ONE_MORE)], EDITED_AGAIN),
        (
            "an image that the pull request adds",
            [patched(path="a.png", **IMAGE)],
            [patched(path="b.png", **IMAGE)],
            Difference({}, renamed={"a.png": "b.png"}),
        ),
        (
            "back",
            [renamed("b.py", "a.py", ONE, blob="1")],
            [patched(ONE, blob="2")],
            Difference({}, renamed={"b.py": "a.py"}),
        ),
        ("a file that it adds", [added("a.py", ONE)], [added("b.py", ONE)], Difference({}, renamed=NEW_NAME)),
        ("another file, with other words", [added("a.py", ONE)], [added("b.py", TWO)], ANOTHER),
        ("on the base, and edited", [patched(ONE, blob="1")], [patched(ONE_REBASED, path="b.py", blob="2")], ANOTHER),
        ("two that change places", [patched(ONE), patched(TWO, path="b.py")], SWAPPED, BOTH_CHANGED),
        ("a copy next to its original", [patched(ONE)], [patched(ONE), COPY], Difference({"b.py": (0,)})),
        ("under a name that was there", [patched(ONE, path="b.py")], [renamed("b.py", "c.py", ONE)], SAME),
    ],
)
def test_a_renamed_file_carries_its_history(
    case: str, before: list[ChangedFile], now: list[ChangedFile], expected: Difference
) -> None:
    """A change that was reviewed under one name is not new under another, in whatever order the files come."""
    assert difference(seen(*now), seen(*before)) == expected, case
    assert difference(seen(*reversed(now)), seen(*reversed(before))) == expected, case


def test_one_of_two_files_that_are_alike_was_there_before() -> None:
    """A file that was there once is known once."""
    found = difference(seen(patched(ONE, path="b.py"), patched(ONE, path="c.py")), seen(patched(ONE)))

    assert (list(found.changed.values()), len(found.renamed)) == ([(0,)], 1)
    assert {*found.changed, *found.renamed.values()} == {"b.py", "c.py"}


def test_a_finding_follows_its_renamed_file() -> None:
    """A file that was not renamed is where it was; code outside any hunk is touched with its file."""
    before = seen(patched(ONE, TWO), patched(ONE, path="same.py"))
    now = seen(renamed("b.py", "a.py", ONE_MORE, TWO), patched(ONE, path="same.py"))

    found = difference(now, before)

    assert [found.path_now(path) for path in ("a.py", "same.py", "elsewhere.py")] == ["b.py", "same.py", "elsewhere.py"]
    assert found.touches("a.py", *keys(ONE))
    assert not found.touches("a.py", *keys(TWO))
    assert [found.touches(path, None) for path in ("a.py", "same.py", "elsewhere.py")] == [True, False, False]


def test_reviewed_hunks_are_remembered_through_a_rename() -> None:
    """The revert of a push is known under the new name too."""
    remembered = after([patched(ONE)], [renamed("b.py", "a.py", TWO)])

    assert not difference(seen(renamed("b.py", "a.py", ONE)), remembered).is_new


def test_three_thousand_files_that_moved_are_compared() -> None:
    """As many as GitHub lists, all in a folder of another name, and one of them edited."""
    hunks = [a_hunk([("+", f"line {number}", False)]) for number in range(3_000)]
    before = [of_hunks(f"old/{number}.py", [hunk]) for number, hunk in enumerate(hunks)]
    now = [
        replace(file, path=f"new/{number}.py", previous_path=file.path, blob=f"{number}")
        for number, file in enumerate(before)
    ]
    now[1_500] = replace(now[1_500], patch=f"{now[1_500].patch}\n{END}")

    found = difference(seen(*now), seen(*before))

    assert found.changed == {"new/1500.py": (1,)}
    assert found.gone == {}
    assert len(found.renamed) == 3_000
    assert found.path_now("old/2999.py") == "new/2999.py"
