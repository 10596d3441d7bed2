"""Files that were renamed, moved, copied or swapped since the last run."""

from dataclasses import replace

from kodiai.core.changes.changed_file import ChangedFile
from kodiai.core.changes.snapshot import Difference, difference
from tests.core.changes.made_hunks import a_hunk, of_hunks
from tests.core.changes.test_snapshot import END, ONE, ONE_MORE, ONE_REBASED, SAME, TWO, after, keys, patched, seen
from tests.tables import each_row


def renamed(path: str, origin: str, *hunks: str, **given: object) -> ChangedFile:
    return patched(*hunks, path=path, status="renamed", previous_path=origin, **given)


@each_row(
    ("case", "before", "now", "expected"),
    [
        ("renamed as it was", [patched(ONE)], [renamed("b.py", "a.py", ONE)], Difference({}, renamed={"a.py": "b.py"})),
        (
            "renamed and edited",
            [patched(ONE, TWO)],
            [renamed("b.py", "a.py", ONE_MORE, TWO, END)],
            Difference({"b.py": (0, 2)}, gone={"a.py": keys(ONE)}, renamed={"a.py": "b.py"}),
        ),
        (
            "renamed and everything else taken back",
            [patched(ONE)],
            [renamed("b.py", "a.py", blob="base")],
            Difference({"b.py": ()}, gone={"a.py": keys(ONE)}, renamed={"a.py": "b.py"}),
        ),
        (
            "renamed once more",
            [renamed("b.py", "a.py", ONE)],
            [renamed("c.py", "a.py", ONE)],
            Difference({}, renamed={"b.py": "c.py"}),
        ),
        (
            "renamed once more, and edited",
            [renamed("b.py", "a.py", ONE)],
            [renamed("c.py", "a.py", ONE_MORE)],
            Difference({"c.py": (0,)}, gone={"b.py": keys(ONE)}, renamed={"b.py": "c.py"}),
        ),
        (
            "an image that the pull request adds, under another name",
            [patched(path="a.png", status="added", blob="1")],
            [patched(path="b.png", status="added", blob="1")],
            Difference({}, renamed={"a.png": "b.png"}),
        ),
        (
            "renamed back",
            [renamed("b.py", "a.py", ONE, blob="1")],
            [patched(ONE, blob="2")],
            Difference({}, renamed={"b.py": "a.py"}),
        ),
        (
            "a file that the pull request adds, under another name",
            [patched(ONE, status="added")],
            [patched(ONE, path="b.py", status="added")],
            Difference({}, renamed={"a.py": "b.py"}),
        ),
        (
            "added under another name, with other words: that is another file",
            [patched(ONE, status="added")],
            [patched(TWO, path="b.py", status="added")],
            Difference({"b.py": (0,)}, gone={"a.py": keys(ONE)}),
        ),
        (
            "renamed on the base, which also edited it",
            [patched(ONE, blob="1")],
            [patched(ONE_REBASED, path="b.py", blob="2")],
            Difference({"b.py": (0,)}, gone={"a.py": keys(ONE)}),
        ),
        (
            "two that change places are two that changed",
            [patched(ONE), patched(TWO, path="b.py")],
            [renamed("b.py", "a.py", ONE), renamed("a.py", "b.py", TWO)],
            Difference({"a.py": (0,), "b.py": (0,)}, gone={"a.py": keys(ONE), "b.py": keys(TWO)}),
        ),
        (
            "a copy is new next to its original",
            [patched(ONE)],
            [patched(ONE), patched(ONE, path="b.py", status="copied", previous_path="a.py")],
            Difference({"b.py": (0,)}),
        ),
        (
            "one that came from elsewhere under a name that was there",
            [patched(ONE, path="b.py")],
            [renamed("b.py", "c.py", ONE)],
            SAME,
        ),
    ],
)
def test_a_renamed_file_carries_its_history(
    case: str, before: list[ChangedFile], now: list[ChangedFile], expected: Difference
) -> None:
    """What was reviewed under one name is not new under another, in whatever order the files come."""
    assert difference(seen(*now), seen(*before)) == expected, case
    assert difference(seen(*reversed(now)), seen(*reversed(before))) == expected, case


def test_of_two_files_that_are_alike_one_was_there_before() -> None:
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
