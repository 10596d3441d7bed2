"""The changes that the last run did not see."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.patch import Hunk
from kodiai.core.changes.snapshot import Coverage, Difference, Snapshot, difference
from tests.builders import a_file, a_scope
from tests.core.changes.made_hunks import a_hunk, of_hunks
from tests.tables import each_row

SAME = Difference({}, frozenset(), {}, {})

ONE = "@@ -10,3 +10,3 @@ def f():\n a\n-b\n+B\n c"
ONE_REBASED = "@@ -40,3 +52,3 @@ def g():\n other\n-b\n+B\n context"
ONE_MORE = "@@ -10,3 +10,4 @@ def f():\n a\n-b\n+B\n+BB\n c"
ONE_AGAIN = "@@ -90,3 +91,3 @@\n a\n-b\n+B\n c"
TWO = "@@ -16,2 +16,3 @@\n x\n+y\n z"
JOINED = "@@ -10,4 +10,5 @@ def f():\n a\n-b\n+B\n x\n+y\n z"
JOINED_MORE = "@@ -10,4 +10,6 @@ def f():\n a\n-b\n+B\n x\n+y\n z\n+END"
END = "@@ -90 +91,2 @@\n z\n+END"
GARBAGE = "@@ garbage"


def seen(*files: ChangedFile) -> Snapshot:
    return Snapshot.of(files, "settings")


def keys(*hunks: str) -> frozenset[str]:
    return frozenset(hunk.key for patch in hunks for hunk in a_file(patch=patch).hunks)


def patched(*hunks: str, path: str = "a.py", **given: object) -> ChangedFile:
    return a_file(path, **{"patch": "\n".join(hunks) or None, "blob": "\n".join(hunks), **given})


@each_row(
    ("case", "before", "now", "new", "gone"),
    [
        ("the very same", [ONE, TWO], [ONE, TWO], None, []),
        ("a rebase: other lines, other context", [ONE, TWO], [ONE_REBASED, TWO], None, []),
        ("a merge of the base that joins two hunks", [ONE, TWO], [JOINED], None, []),
        ("a merge of the base that parts them again", [JOINED], [ONE, TWO], None, []),
        ("the same hunks in another order", [ONE, TWO], [TWO, ONE], None, []),
        ("the last push taken back", [ONE, TWO], [ONE], None, [TWO]),
        ("a doubled change halved again", [ONE, ONE_AGAIN], [ONE], None, []),
        ("one hunk more, at the end", [ONE], [ONE, TWO], (1,), []),
        ("one hunk more, above", [TWO], [ONE, TWO], (0,), []),
        ("the same change at one more place", [ONE], [ONE, ONE_AGAIN], (1,), []),
        ("another change in its place", [ONE, TWO], [ONE_MORE, TWO], (0,), [ONE]),
        ("joined, and one line more", [ONE, TWO], [JOINED_MORE], (0,), [ONE, TWO]),
        ("joined, and one hunk more", [ONE, TWO], [JOINED, END], (0, 1), [ONE, TWO]),
        ("a patch that has become unreadable", [ONE], [GARBAGE], (), [ONE]),
        ("a patch that was unreadable", [GARBAGE], [ONE], (0,), []),
        ("a patch that GitHub no longer shows", [ONE], [], (), [ONE]),
        ("unreadable as before, though other text", [GARBAGE], [f"{GARBAGE}!"], (), []),
    ],
)
def test_hunks_count_by_what_they_change(
    case: str, before: list[str], now: list[str], new: tuple[int, ...] | None, gone: list[str]
) -> None:
    """Neither place, nor context, nor where git cuts them counts; how often a change is made does."""
    found = difference(seen(patched(*now)), seen(patched(*before)))

    assert found.changed == ({} if new is None else {"a.py": new}), case
    assert found.gone == ({"a.py": keys(*gone)} if gone else {}), case
    assert found.renamed == {}
    assert all(found.touches("a.py", key) is (key in keys(*gone)) for key in keys(*before))


IMAGES = [a_file("a.png", patch=None, blob=blob) for blob in ("1", "1", "2")]
FIRST, SECOND = patched(ONE), patched(TWO, path="b.py")


@each_row(
    ("case", "before", "now", "expected", "is_new"),
    [
        ("a binary that stayed", IMAGES[:1], IMAGES[1:2], SAME, False),
        ("a binary that was replaced", IMAGES[:1], IMAGES[2:], Difference({"a.png": ()}), True),
        ("a binary that left", IMAGES[:1], [], Difference({}, gone={"a.png": frozenset()}), False),
        ("a new file", [FIRST], [FIRST, SECOND], Difference({"b.py": (0,)}), True),
        ("a file that left", [FIRST, SECOND], [FIRST], Difference({}, gone={"b.py": keys(TWO)}), False),
    ],
)
def test_a_file_is_new_or_gone_as_a_whole(
    case: str, before: list[ChangedFile], now: list[ChangedFile], expected: Difference, is_new: bool
) -> None:
    """Without hunks its content counts. Less to review is nothing new, but findings about it are checked again."""
    found = difference(seen(*now), seen(*before))

    assert (found, found.is_new) == (expected, is_new), case
    assert {path for path in ("a.py", "a.png", "b.py") if found.touches(path, None)} == {*found.changed, *found.gone}


def after(*states: list[ChangedFile]) -> Snapshot:
    """The snapshot after a run at each of these states."""
    remembered = seen(*states[0])
    for state in states[1:]:
        remembered = seen(*state).after(remembered)
    return remembered


@each_row(
    ("case", "states", "now", "is_new"),
    [
        ("the last push", [[ONE], [ONE, TWO]], [ONE], False),
        ("a change that replaced another", [[ONE], [ONE_MORE]], [ONE], False),
        ("back by two pushes", [[ONE], [ONE_MORE], [TWO]], [ONE], False),
        ("back and forth", [[ONE], [ONE_MORE], [ONE]], [ONE_MORE], False),
        ("what only the first push had, with what only the second had", [[ONE], [TWO], [END]], [ONE, TWO], False),
        ("back, and something new with it", [[ONE], [ONE_MORE]], [ONE, TWO], True),
        ("never there", [[ONE], [ONE_MORE]], [TWO], True),
    ],
)
def test_a_reviewed_change_is_not_new_when_it_is_back(
    case: str, states: list[list[str]], now: list[str], is_new: bool
) -> None:
    """A revert to the last or to an earlier state; it is known as back, and its hunks are named all the same."""
    found = difference(seen(patched(*now)), after(*([patched(*state)] for state in states)))

    assert found.is_new is is_new, case
    assert found.back == (frozenset() if is_new or not found.changed else {"a.py"}), case


def test_one_file_that_is_back_does_not_hide_another_that_is_new() -> None:
    """Each file is compared by itself."""
    remembered = after([patched(ONE), patched(ONE, path="b.py")], [patched(TWO), patched(ONE, path="b.py")])

    found = difference(seen(patched(ONE), patched(ONE, END, path="b.py")), remembered)

    assert (found.changed, found.back, found.is_new) == ({"a.py": (0,), "b.py": (1,)}, {"a.py"}, True)


def test_at_most_two_hundred_earlier_hunks_of_a_file_are_remembered() -> None:
    """They are the latest ones: a snapshot does not grow with every push."""
    states = [[of_hunks("a.py", [a_hunk([("+", f"line {push}", False)])])] for push in range(203)]

    remembered = after(*states)

    def is_new(push: int) -> bool:
        return difference(seen(*states[push]), remembered).is_new

    assert len(remembered.files[0].earlier) == 200
    assert [is_new(push) for push in (0, 1, 2, 3, 201, 202)] == [True, True, False, False, False, False]


READ, LEFT, LOCK = patched(ONE), patched(TWO, path="b.py"), patched(END, path="uv.lock")


def read_in_part() -> Snapshot:
    """The snapshot after a run that read one file of three, and need not read another one."""
    skipped = [Skipped("b.py", "over the budget of 1 files"), Skipped("uv.lock", "lock file", True, "lock file")]
    return seen(READ, LEFT, LOCK).read_as(a_scope([READ], skipped))


def test_an_unread_file_is_remembered_with_its_reason() -> None:
    """It is not new to the next run, and waits for it; what need not be read counts neither way.

    A change that nobody reviewed is new when it is back, though it was in the pull request.
    """
    kept, not_read = read_in_part(), (("b.py", ""), ("uv.lock", "lock file"))
    other = patched(ONE_MORE, path="b.py")
    remembered = seen(READ, other).after(read_in_part()).read_as(a_scope([other]))

    assert [file.left_out for file in kept.files] == ["", "over the budget of 1 files", ""]
    assert (kept.left_out, kept.waits, kept.coverage) == (frozenset({"b.py"}), True, Coverage(1, 1, not_read))
    assert difference(seen(READ, LEFT, LOCK), kept) == SAME
    assert difference(seen(READ, LEFT), remembered).is_new


@pytest.mark.parametrize(
    ("case", "now"),
    [
        ("as it was", LEFT),
        ("with one hunk more", patched(TWO, END, path="b.py")),
        ("with another change", patched(ONE_MORE, path="b.py")),
        ("under another name", patched(TWO, path="c.py", status="renamed", previous_path="b.py")),
    ],
)
def test_a_file_that_was_not_read_waits_until_a_run_has_read_it(case: str, now: ChangedFile) -> None:
    """That holds whatever happens to it; a run changes nothing about files that it does not read."""
    remembered = seen(READ, now, LOCK).after(read_in_part())

    assert remembered.left_out == {now.path}, case
    assert remembered.read_as(a_scope([now])).coverage == Coverage(2, 0, (("uv.lock", "lock file"),)), case


def test_an_unreadable_file_waits_for_no_run_and_a_hidden_one_never_makes_the_coverage_whole() -> None:
    """It stays so until it changes, also for runs that do not read it again."""
    hidden = replace(LEFT, hidden="it has a NUL character")
    unreadable = seen(READ, LEFT).read_as(a_scope([READ], [Skipped("b.py", "over 5 MB", is_lasting=True)]))
    kept = seen(READ, hidden).read_as(a_scope([READ, hidden]))

    assert (unreadable.waits, unreadable.coverage) == (False, Coverage(1, 1, (("b.py", ""),)))
    assert seen(READ, hidden).after(kept).coverage == Coverage(2, 0, hidden=(("b.py", "it has a NUL character"),))
    assert not kept.coverage.is_whole


def test_a_snapshot_without_digests_of_changes_serves_too() -> None:
    """It has the hunks' keys and no digest of the whole change."""
    old = Snapshot(tuple(replace(file, change="") for file in seen(patched(ONE, TWO)).files), "settings")

    assert difference(seen(patched(ONE, TWO)), old) == SAME
    assert difference(seen(patched(ONE)), old) == Difference({}, gone={"a.py": keys(TWO)})
    assert difference(seen(patched(ONE, END)), old) == Difference({"a.py": (1,)}, gone={"a.py": keys(TWO)})


_TEXTS = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=3)
_CHANGE = st.builds(
    lambda removed, put: a_hunk([*(("-", text, False) for text in removed), *(("+", text, False) for text in put)]),
    _TEXTS,
    _TEXTS,
)
_FILES = st.dictionaries(st.sampled_from(["a.py", "b.py", "c.py", "d.png"]), st.lists(_CHANGE, max_size=3), max_size=4)


def _moved(hunk: Hunk, by: int) -> Hunk:
    """The same change elsewhere, in other surroundings."""
    rows = [(line.marker, line.text, line.ends_file) for line in hunk.lines]
    return a_hunk([(" ", f"context {by}", False), *rows], hunk.old_start + by, "elsewhere")


@given(files=_FILES, by=st.integers(0, 50), order=st.randoms())
def test_an_unedited_change_makes_no_difference(files: dict[str, list[Hunk]], by: int, order: random.Random) -> None:
    """Another order of the files, other line numbers, other context: the same pull request."""
    before = seen(*(of_hunks(path, hunks) for path, hunks in files.items()))
    shuffled = list(files.items())
    order.shuffle(shuffled)
    now = seen(*(of_hunks(path, [_moved(hunk, by) for hunk in hunks]) for path, hunks in shuffled))

    assert difference(before, before) == SAME
    assert difference(now, before) == SAME
    assert not difference(now, before.after(before)).is_new


@given(files=_FILES, at=st.integers(0, 3), data=st.data())
def test_a_hunk_that_is_added_is_the_only_one_that_is_new(
    files: dict[str, list[Hunk]], at: int, data: st.DataObject
) -> None:
    """Wherever it is put, and in whichever file; without it again nothing is new, and it alone is gone."""
    path = data.draw(st.sampled_from(["new.py", *files]))
    hunks = files.get(path, [])
    added = a_hunk([("+", "never there before", False)])
    more = {**files, path: [*hunks[:at], added, *hunks[at:]]}
    before, now = (seen(*(of_hunks(name, each) for name, each in made.items())) for made in (files, more))

    there, back = difference(now, before), difference(before, now)

    assert there == Difference({path: (min(at, len(hunks)),)})
    assert there.is_new
    assert back == Difference({path: ()} if path in files and not hunks else {}, gone={path: frozenset({added.key})})
