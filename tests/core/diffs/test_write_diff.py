"""The diff that leads from some files to others."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bench.git_apply import entries_at, git_apply
from kodiai.core.diffs.apply_check import Applied, apply_diff, touched_paths
from kodiai.core.diffs.tree import FILE, FOLDER, LINK, PROGRAM, SUBMODULE, TreeEntry
from kodiai.core.diffs.write_diff import diff_of
from tests.tables import each_row

_LINES = st.lists(
    st.sampled_from(["a", "b", "", "ж", "\r", "a\r", "\x0c", "-- x", "++ y", "\\ n", "@@ -1 +1 @@"]), max_size=30
)
_CONTENTS = st.builds(lambda lines, end: ("\n".join(lines) + end).encode(), _LINES, st.sampled_from(["", "\n"]))
_ENTRIES = st.none() | st.builds(TreeEntry, st.sampled_from([FILE, PROGRAM]), _CONTENTS)
_PATHS = [
    "a.py",
    "lib/b.py",
    "with space",
    "p b/p",
    "käse",
    'qu"o\\te',
    "tab\there",
    "new\nline",
    "bell\a",
    "x ",
    " x",
    "\x7f",
]
_TREES = st.dictionaries(st.sampled_from(_PATHS), _ENTRIES)


def test_a_diff_reads_as_git_prints_it() -> None:
    """Files are in order, with three lines of context, and with their modes where they matter."""
    ten = "".join(f"line {number}\n" for number in range(1, 11))
    before = {
        "b.py": TreeEntry(FILE, ten.encode()),
        "gone file": TreeEntry(FILE, b"x\n"),
        "run.sh": TreeEntry(FILE, b"run\n"),
        "same": TreeEntry(FILE, b"same\n"),
    }
    after = {
        "b.py": TreeEntry(FILE, ten.replace("line 5", "line five").encode()),
        "gone file": None,
        "new.py": TreeEntry(PROGRAM, b"one\ntwo"),
        "run.sh": TreeEntry(PROGRAM, b"run\n"),
        "same": TreeEntry(FILE, b"same\n"),
    }

    diff = diff_of(before, after)

    assert diff == (
        "diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n"
        "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n"
        "diff --git a/gone file b/gone file\ndeleted file mode 100644\n--- a/gone file\t\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-x\n"
        "diff --git a/new.py b/new.py\nnew file mode 100755\n--- /dev/null\n+++ b/new.py\n"
        "@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    )


@settings(max_examples=80)
@given(before=_TREES, after=_TREES)
def test_a_diff_makes_exactly_the_files_that_it_was_made_for(
    before: dict[str, TreeEntry | None], after: dict[str, TreeEntry | None]
) -> None:
    """Git and the apply check take it, and make the same bytes and modes of it."""
    tree = {path: entry for path, entry in before.items() if entry is not None}
    wanted = {path: entry for path, entry in after.items() if entry is not None}

    diff = diff_of(before, after)

    assert (diff == "") == (tree == wanted)
    if diff:
        applied = apply_diff(diff, entries_at(tree, touched_paths(diff)))
        expected = {path: wanted.get(path) for path in tree.keys() | wanted if tree.get(path) != wanted.get(path)}
        assert applied == Applied(expected)
        with TemporaryDirectory() as folder:
            assert git_apply(diff, tree, Path(folder)) == (wanted, "")


@settings(max_examples=100)
@given(old=_CONTENTS, new=_CONTENTS, around=st.integers(0, 500))
def test_a_change_in_a_long_file_has_three_lines_of_context(old: bytes, new: bytes, around: int) -> None:
    """Equal text around a change is not compared, and the change is the same."""
    same = b"".join(b"same %d\n" % number for number in range(around))
    assume(old != new)
    before = {"a": TreeEntry(FILE, same + old + b"\n" + same)}
    after = {"a": TreeEntry(FILE, same + new + b"\n" + same)}

    diff = diff_of(before, after)

    assert apply_diff(diff, before) == Applied(after)
    assert all(f" same {number}\n" not in diff for number in range(3, around - 3))


@each_row(
    "entry",
    [
        TreeEntry(FILE, b"\xff\n"),
        TreeEntry(FILE, b"a\0b\n"),
        TreeEntry(LINK, b"lib"),
        TreeEntry(FOLDER),
        TreeEntry(SUBMODULE),
    ],
)
def test_only_text_files_have_a_diff(entry: TreeEntry) -> None:
    """Nothing is written that would read as something else."""
    with pytest.raises(ValueError, match=r"no text|no file|codec"):
        diff_of({"a": None}, {"a": entry})


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", ".git/config", "a//b"])
def test_no_diff_is_written_for_a_path_that_does_not_apply(path: str) -> None:
    """A diff that nobody may apply is refused before somebody reads it."""
    with pytest.raises(ValueError, match="no path of a repository"):
        diff_of({}, {path: TreeEntry(FILE, b"x\n")})
