"""The contents of files where GitHub's patch does not tell what changed."""

from dataclasses import replace

import pytest

from kodiai.core.changes.changed_file import ChangedFile, Skipped
from kodiai.core.changes.contents import EMPTY_BLOB, NO_TEXT, Entry, Unavailable, needs_contents, with_contents
from kodiai.core.changes.show import show_file
from kodiai.core.changes.unified import patch_between
from kodiai.core.events.job import DeliveryAttempt
from kodiai.core.findings.source import Source
from kodiai.core.judge.judgement import anchor
from kodiai.flows.pull_request_ports import Deadline
from kodiai.flows.review.contents import with_read_contents
from tests.builders import a_file, a_finding, added, reading
from tests.core.changes.notebooks import book, code, output
from tests.core.panel import Clock
from tests.core.review_inputs import LIMITS, PULL_REQUEST, Site
from tests.tables import each_row

FILE = "100644"
OLD, NEW = "run()\n", "fetch(token)\nrun()\n"
LATIN = "@@ -1 +1,2 @@\n-# caf\ufffd\n+# caf\ufffd!\n+x = 1"


def contents_of(file: ChangedFile, old: bytes | None, new: bytes | None, mode: str = FILE) -> ChangedFile:
    """A file with what its contents tell, before and after; `mode` is that of the new one."""
    stored = {"1" * 40: old or b"", "b" * 40: new or b""}
    before = Entry(FILE, "1" * 40, len(old)) if old is not None else None
    after = Entry(mode, "b" * 40, len(new)) if new is not None else None
    return with_contents(file, before, after, lambda entry: stored[entry.oid])


def unavailable(_: Entry) -> bytes:
    raise Unavailable("over 5 MB")


def without_patch(path: str = "app.js", **given: object) -> ChangedFile:
    return a_file(path, **{"patch": None, **given})


@each_row(
    ("old", "new", "counts", "hidden"),
    [
        (OLD.encode(), b"\0" + NEW.encode(), 0, "it has a NUL character"),
        (b"\0" + OLD.encode(), NEW.encode(), 0, "it has a NUL character"),
        (OLD.encode(), NEW.encode("utf-16"), 0, "it is in UTF-16"),
        (OLD.encode("utf-32"), NEW.encode(), 0, "it is in UTF-32"),
        (None, NEW.encode("utf-16-be"), 0, "it is in UTF-16"),
        (OLD.encode(), NEW.encode(), 0, "GitHub takes it for a binary file"),
        (OLD.encode(), NEW.encode(), 90_000, ""),
        (b"\x7fELF" + bytes(99), NEW.encode(), 0, "it has a NUL character"),
    ],
)
def test_a_text_that_github_does_not_show_is_read(old: bytes | None, new: bytes, counts: int, hidden: str) -> None:
    """It is hidden, unless only its size keeps it from being shown; GitHub takes no comment on it in any case."""
    file = contents_of(without_patch(additions=counts), old, new)

    assert (file.is_rebuilt, file.hidden, file.skipped) == (True, hidden, None)
    assert "fetch(token)\n" in show_file(file)
    assert file.additions >= 1
    assert anchor(a_finding(path="app.js", start_line=1, end_line=1), Source(reading({}), [file], ())) is None


def test_a_change_that_no_patch_shows_is_named() -> None:
    """Sizes and ids before and after, a new mode, where a symbolic link leads; a removed text hides nothing."""
    old, new = Entry(FILE, "b" * 40, 9), Entry("100755", "b" * 40, 9)
    archive = contents_of(without_patch("gradle-wrapper.jar"), b"PK\3\4", b"PK\3\4!").skipped
    program = with_contents(without_patch("run.sh", status="changed"), old, new, lambda _: b"").skipped
    link = contents_of(added("key", "/etc/passwd"), None, b"/etc/passwd", mode="120000")
    removed = contents_of(without_patch(status="removed"), b"run(\0)\n", None)

    assert archive is not None
    assert archive.facts == f"4 bytes, {'1' * 12} → 5 bytes, {'b' * 12}"
    assert program == Skipped("run.sh", "only its mode changed", True, "new mode", "100644 → 100755", is_lasting=True)
    assert (link.hidden, link.skipped) == ("what the symbolic link leads to", None)
    assert (removed.hidden, removed.skipped, removed.deletions) == ("", None, 1)


@each_row(
    ("path", "old", "new", "reason", "named"),
    [
        ("logo.png", b"\x89PNG\0\1", b"\x89PNG\0\2", "binary", "binary file"),
        ("logo.png", None, NEW.encode(), "binary", "binary file"),
        ("tool", None, b"\x7fELF\2\1\1" + bytes(99), "binary", "binary file"),
        ("app.js", None, bytes(99), NO_TEXT, ""),
        ("deploy.ps1", NEW.encode("utf-16"), NEW.encode(), "only its encoding changed", "new encoding"),
    ],
)
def test_content_that_is_not_read_is_named(path: str, old: bytes | None, new: bytes, reason: str, named: str) -> None:
    """Only a format that is known to be binary needs not to be read."""
    skipped = contents_of(without_patch(path), old, new).skipped

    assert skipped is not None
    assert (skipped.reason, skipped.named, skipped.excused) == (reason, named, bool(named))
    assert f"{len(new):,} bytes" in skipped.facts or named == "new encoding"


@pytest.mark.parametrize("mode", [FILE, "100755"])
def test_a_moved_file_is_read_and_one_that_was_moved_and_changed_is_compared(mode: str) -> None:
    """GitHub says of a binary file that moved only that it was renamed, also if it changed."""
    file = without_patch(status="renamed", previous_path="old.js")
    same = Entry(FILE, "b" * 40, 9), Entry(mode, "b" * 40, 9)

    moved = with_contents(file, *same, lambda _: b"")
    changed = contents_of(file, b"run(\0)\n", b"run(\0token)\n")

    assert (moved.skipped is None, moved.is_moved) == (mode == FILE, True)
    assert (changed.is_moved, changed.additions, changed.hidden) == (False, 1, "it has a NUL character")


def test_lines_that_github_could_not_decode_are_shown_as_they_are() -> None:
    """The hunks stay GitHub's, which takes comments there."""
    file = contents_of(a_file("a.py", patch=LATIN), b"# caf\xe9\n", b"# caf\xe9!\nx = 1\n")

    assert show_file(file).startswith('### FILE "a.py" modified, in Latin-1\n')
    assert [line.text for line in file.hunks[0].lines] == ["# café", "# café!", "x = 1"]
    assert file.takes_comment_on(1, 2)


def test_content_that_cannot_be_had_leaves_its_file_unread() -> None:
    """GitHub replaces what is not UTF-8 in names, so two files have one name; it lists each with its own id."""
    entry, nowhere = Entry(FILE, "b" * 40, 6_000_000), "GitHub does not give its content"
    alike = without_patch("caf\ufffd.js", additions=90_000, blob="3" * 40)

    large = with_contents(without_patch(), replace(entry, oid="0" * 40), entry, unavailable).skipped
    lost = with_contents(without_patch(), None, None, unavailable).skipped
    other = contents_of(alike, OLD.encode(), NEW.encode()).skipped
    gone = with_contents(without_patch(status="removed"), entry, None, unavailable).skipped

    assert [each and (each.reason, each.excused) for each in (large, lost, other)] == [
        ("over 5 MB", False),
        (nowhere, False),
        (nowhere, False),
    ]
    assert large is not None
    assert large.is_lasting
    assert gone == Skipped("app.js", "removed", excused=True)


@each_row(
    ("file", "needed"),
    [
        (added("a.py", "x = 1"), False),
        (without_patch("a.py"), True),
        (without_patch("logo.png"), True),
        (a_file("a.py", patch=LATIN), True),
        (a_file("link", patch="@@ -0,0 +1 @@\n+a/b\n\\ No newline at end of file"), True),
        (a_file("a.py", patch="@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file", status="changed"), True),
        (without_patch("a.py", status="added", blob=EMPTY_BLOB), False),
        (without_patch("a.py", has_room=False), False),
        (without_patch("docs/a.py"), False),
    ],
)
def test_contents_are_read_only_where_the_patch_does_not_tell(file: ChangedFile, needed: bool) -> None:
    assert needs_contents(file, ["docs"]) is needed


def test_a_notebook_is_read_by_its_cells_whether_github_shows_its_patch_or_not() -> None:
    """Without its contents it is shown like any other file."""
    old, new = (book(code(line, outputs=[output(content=line * 9)])) for line in ("a", "b"))
    file = a_file("a.ipynb", patch=patch_between(old, new))

    told = contents_of(file, old.encode(), new.encode())
    rebuilt = contents_of(without_patch("a.ipynb"), old.encode(), new.encode())
    entry = Entry(FILE, "b" * 40, 9)

    assert needs_contents(file, ())
    assert told.hunks == rebuilt.hunks
    assert [hunk.heading for hunk in told.hunks] == ["cell 1, code, python"]
    assert (told.is_rebuilt, rebuilt.is_rebuilt) == (False, True)
    assert with_contents(file, replace(entry, oid="0" * 40), entry, unavailable) == file


def test_files_over_the_number_that_is_looked_at_are_unread() -> None:
    """Also one that was moved and of which nothing else is known; what was removed needs no look."""
    gone = [without_patch(f"a/{number}.png", status="removed") for number in range(1_001)]
    moved = without_patch("z.js", status="renamed", previous_path="y.js")
    files = [*gone, moved]
    deadline = Deadline(DeliveryAttempt("me", 0.0, 600.0, 1, 5), Clock())

    known = with_read_contents(files, PULL_REQUEST, (), Site(files, ()), LIMITS, deadline)  # type: ignore[arg-type]

    reason = "over 1,000 files whose changes GitHub does not show"
    assert known[-1].skipped == Skipped("z.js", reason, is_lasting=True)
    assert known[-2].skipped is None
