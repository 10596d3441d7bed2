"""The README's promise: a change that was not read in full is never called ready to merge."""

import re
from collections.abc import Collection, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.contents import EMPTY_BLOB
from kodiai.core.changes.generated import BaseBranch
from kodiai.core.changes.scope import Scope, Unread, choose_scope
from kodiai.core.changes.snapshot import Snapshot, difference
from kodiai.core.judge.delta import delta, verdict
from kodiai.core.words.verdict import headline, unread_files
from tests.builders import a_finding

POINTER = "@@ -0,0 +1,3 @@\n+version https://git-lfs.github.com/spec/v1\n+oid sha256:{}\n+size 9".format("a" * 64)
PATCHES = (
    None,
    "@@ -1 +1 @@\n-a\n+b",
    "@@ -1,2 +1,2 @@\n a\n-b\n+c",
    "@@ garbage",
    POINTER,
    f"@@ -0,0 +1 @@\n+Subproject commit {'1' * 40}",
    f"@@ -0,0 +1 @@\n+{'x' * 9_000}",
)
PLACES = ("src/", "vendor/", "dist/", "skipped/", "")
NAMES = ("a.py", "a.js", "a.min.js", "logo.png", "yarn.lock", "composer.lock", "uv.lock", "a.ipynb", "Makefile")
BASES = (BaseBranch(), BaseBranch(frozenset({"1/vendor/", "2/dist/", "3/vendor/"})))
SKIPPED = "skipped/"


@st.composite
def changed_files(draw: st.DrawFn, number: int) -> ChangedFile:
    """A file as GitHub and its contents may tell of it, in any combination."""
    path = f"{number}/{draw(st.sampled_from(PLACES))}{draw(st.sampled_from(NAMES))}"
    skipped = (
        None,
        Skipped(path, "it is no text"),
        Skipped(path, "over 5 MB", is_lasting=True),
        Skipped(path, "binary", excused=True, named="binary file"),
        Skipped(path, "only its mode changed", excused=True, named="new mode"),
    )
    return ChangedFile(
        path=path,
        status=draw(st.sampled_from(("added", "removed", "modified", "renamed", "changed"))),
        blob=draw(st.sampled_from(("1" * 40, "2" * 40, EMPTY_BLOB))),
        additions=draw(st.sampled_from((0, 2, 30_000))),
        deletions=0,
        patch=draw(st.sampled_from(PATCHES)),
        previous_path=draw(st.sampled_from((None, f"{number}/old.py"))),
        has_room=draw(st.booleans()),
        is_rebuilt=draw(st.booleans()),
        hidden=draw(st.sampled_from(("", "", "it has a NUL character"))),
        skipped=draw(st.sampled_from(skipped)),
    )


def pull_requests(most: int = 6) -> st.SearchStrategy[tuple[ChangedFile, ...]]:
    return st.integers(1, most).flatmap(lambda count: st.tuples(*(changed_files(number) for number in range(count))))


def scope_of(files: Sequence[ChangedFile], changed: object, base: BaseBranch, most: int) -> Scope:
    return choose_scope(
        files,
        Unread("full", "it is new", changed),  # type: ignore[arg-type]
        skip_paths=(f"**/{SKIPPED}**",),
        base=lambda: base,
        batch_tokens=900,
        read_files=most,
    )


def told(file: ChangedFile) -> set[object]:
    """The change as a run knows it, by path, origin and content: one that has none of them is another change."""
    change = file.patch if file.hunks else (file.blob, file.status, file.previous_path, file.skipped)
    return {(name, change) for name in (file.path, file.previous_path, file.blob) if name is not None}


def left(files: Sequence[ChangedFile], scope: Scope, settled: Collection[object] = ()) -> list[ChangedFile]:
    """The files that are not read: neither shown to a reviewer now or before, nor skipped by the settings.

    A file that is gone, or is empty, has nothing to read. One that GitHub does not show counts whatever was read of it.
    """
    return [
        file
        for file in files
        if SKIPPED not in file.path
        and not (file.status == "removed" or (file.blob == EMPTY_BLOB and not file.patch))
        and (file.hidden or (file.path not in shown_in(scope) and told(file).isdisjoint(settled)))
    ]


def shown_in(scope: Scope) -> set[str]:
    """The paths that a reviewer is shown."""
    return {file.path for batch in scope.batches for file in batch}


def is_called_ready(snapshot: Snapshot) -> bool:
    """Whether the verdict, with or without a minor finding, or the headline lets it be merged."""
    coverage = snapshot.coverage
    line = headline(delta([], [], coverage))
    verdicts = {verdict([], coverage), verdict([a_finding(severity="MINOR")], coverage)}
    is_green = line.emoji == ":green_circle:" and "Ready" in line.label
    return is_green or not verdicts.isdisjoint({"ready", "minor-items"})


def named(snapshot: Snapshot) -> int:
    """The number of files that the lines below the headline name or count."""
    return sum(map(_number, unread_files(snapshot.coverage).replace("\n\n", ", ").split(", ")))


def _number(name: str) -> int:
    """The number of files behind a name: one, or the number that it begins with."""
    counted = re.search(r"(?:^|: )(\d[\d,]*) (?:more |lock |generated |binary |vendored |submodule|new |file)", name)
    return int(counted[1].replace(",", "")) if counted else bool(name)


@settings(max_examples=200)
@given(pull_requests(), st.sampled_from(BASES), st.integers(1, 9))
def test_a_pull_request_of_which_a_file_was_not_read_is_not_ready(
    files: tuple[ChangedFile, ...], base: BaseBranch, most: int
) -> None:
    """Whatever the files are; each of them is named in the first lines, or counted."""
    scope = scope_of(files, None, base, most)

    unread, seen = left(files, scope), Snapshot.of(files, "settings").read_as(scope)
    assert not (unread and is_called_ready(seen))
    assert named(seen) >= len(unread)


@settings(max_examples=200)
@given(pull_requests(4), st.data(), st.sampled_from(BASES), st.integers(1, 9))
def test_a_push_after_which_a_file_is_not_read_is_not_ready(
    before: tuple[ChangedFile, ...], data: st.DataObject, base: BaseBranch, most: int
) -> None:
    """Files of the last review count as read only if they were, and are as they were."""
    first = scope_of(before, None, base, most)
    seen = Snapshot.of(before, "settings").read_as(first)
    after = tuple(data.draw(st.one_of(st.just(file), changed_files(at))) for at, file in enumerate(before))

    now = Snapshot.of(after, "settings").after(seen)
    second = scope_of(after, difference(now, seen).changed, base, most)

    unread, shown = left(before, first), shown_in(first)
    read = {each for file in before if file not in unread or file.path in shown for each in told(file)}
    still_unread, snapshot = left(after, second, read), now.read_as(second)
    assert not (still_unread and is_called_ready(snapshot))
    assert named(snapshot) >= len(still_unread)
