"""The apply check's answer for a diff that does not apply, and its result for one that does."""

import pytest

from kodiai.core.diffs.apply_check import MORE, MOST_PROBLEMS, Applied, apply_diff, touched_paths
from kodiai.core.diffs.results import Problem
from kodiai.core.diffs.tree import FILE, FOLDER, LINK, PROGRAM, SUBMODULE, TreeEntry
from tests.tables import each_row

_TEN = "".join(f"line {number}\n" for number in range(1, 11))
_AGAIN = "Read the file at the head again, and make the diff again."


def _diff(hunks: str, path: str = "a.py") -> str:
    return f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{hunks}"


def _entries(files: dict[str, str]) -> dict[str, TreeEntry]:
    return {path: TreeEntry(FILE, content.encode()) for path, content in files.items()}


def test_a_diff_applies_in_memory_and_all_of_it() -> None:
    """The changed files are returned by path, with their new text, None for a removed file."""
    diff = (
        _diff("@@ -2,3 +2,3 @@\n line 2\n-line 3\n+line three\n line 4\n")
        + "diff --git a/old.py b/new.py\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n"
        + "rename from old.py\nrename to new.py\n"
        + "diff --git a/made.py b/made.py\nnew file mode 100644\n--- /dev/null\n+++ b/made.py\n@@ -0,0 +1 @@\n+x\n"
        + "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    entries = _entries({"a.py": _TEN, "old.py": "old\n", "gone.py": "x\n"})

    applied = apply_diff(diff, entries)

    assert applied == Applied(
        {
            "a.py": TreeEntry(FILE, _TEN.replace("line 3", "line three").encode()),
            "old.py": None,
            "new.py": TreeEntry(PROGRAM, b"old\n"),
            "made.py": TreeEntry(FILE, b"x\n"),
            "gone.py": None,
        }
    )


@each_row(
    ("hunk", "before", "after"),
    [
        (
            "@@ -2,3 +2,3 @@\n line 2\n-line 3\n+x\n line 4\n",
            "new\n" * 7 + _TEN,
            "new\n" * 7 + _TEN.replace("line 3", "x"),
        ),
        ("@@ -6,3 +6,3 @@\n a\n-b\n+B\n c\n", "x\nx\na\nb\nc\nx\nx\nx\na\nb\nc\n", "x\nx\na\nb\nc\nx\nx\nx\na\nB\nc\n"),
    ],
)
def test_a_hunk_applies_where_its_lines_have_moved_to(hunk: str, before: str, after: str) -> None:
    """The nearest place with the same lines counts, and of two that are equally near the later one, as in git."""
    assert apply_diff(_diff(hunk), _entries({"a.py": before})).changes == _entries({"a.py": after})


def test_every_problem_of_every_file_is_reported_and_nothing_is_changed() -> None:
    """One look at the answer is enough to make the diff again."""
    diff = (
        _diff("@@ -2,3 +2,3 @@\n line 2\n-line 3\n+x\n line 4\n@@ -6,3 +6,3 @@\n line 6\n-seven\n+x\n line 8\n")
        + _diff("@@ -1 +1 @@\n-a\n+b\n", "missing.py")
        + _diff("@@ -2,3 +2,3 @@\n line 2\n-three\n+x\n line 4\n", "b.py")
    )

    applied = apply_diff(diff, _entries({"a.py": _TEN, "b.py": _TEN}))

    assert applied.changes == {}
    assert [(problem.path, problem.hunk, problem.line) for problem in applied.problems] == [
        ("a.py", 2, 6),
        ("missing.py", None, None),
        ("b.py", 1, 2),
    ]


def test_a_problem_shows_the_lines_that_are_expected_and_those_that_are_there() -> None:
    """The lines are shown from three before the first difference on."""
    diff = _diff("@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n line 5\n-line six\n+x\n line 7\n line 8\n")

    applied = apply_diff(diff, _entries({"a.py": _TEN}))

    assert applied.problems == (
        Problem(
            message=f"The lines that this hunk expects are not in the file. {_AGAIN}",
            path="a.py",
            hunk=1,
            line=3,
            expected=("line 3", "line 4", "line 5", "line six", "line 7", "line 8"),
            found=("line 3", "line 4", "line 5", "line 6", "line 7", "line 8"),
        ),
    )


def test_a_problem_shows_few_lines_and_none_that_are_long() -> None:
    """A problem is stored and posted with others."""
    body = "".join(f"-{'y' * 999}\n" for _ in range(100))

    applied = apply_diff(_diff(f"@@ -1,100 +1 @@\n{body}+x\n"), _entries({"a.py": ("z" * 999 + "\n") * 100}))

    assert applied.problems[0].expected == ("y" * 200 + "…",) * 12
    assert applied.problems[0].found == ("z" * 200 + "…",) * 12


def test_not_more_problems_are_reported_than_help_and_the_last_one_says_so() -> None:
    """A diff of another repository has thousands. A person who has fixed all that are listed expects no more."""
    hunk, entries = "@@ -2,2 +2,2 @@\n line\n-a\n+b\n", _entries({"a.py": _TEN, "b.py": _TEN})

    found = [
        [problem.path for problem in apply_diff(_diff(hunk * first) + _diff(hunk * second, "b.py"), entries).problems]
        for first, second in ((30, 20), (40, 11), (60, 1))
    ]

    assert MOST_PROBLEMS == 50
    assert found == [["a.py"] * 30 + ["b.py"] * 20, ["a.py"] * 40 + ["b.py"] * 10 + [None], ["a.py"] * 50 + [None]]
    assert apply_diff(_diff(hunk * 51), entries).problems[-1] == Problem(message=MORE)


_HUNK = "@@ -2,3 +2,3 @@\n line 2\n-line 3\n+x\n line 4\n"
_ONLY = (
    "but it applies only {}: correct its line numbers, and have three lines of context before and after each change."
)
_EARLIER = "The hunk changes lines that an earlier hunk has changed: make one hunk of the two."
_WHITE_SPACE = f"The lines are at line 2 with other white space or line ends. {_AGAIN}"


@each_row(
    ("hunk", "content", "message"),
    [
        (_HUNK, _TEN.replace("line", "line "), _WHITE_SPACE),
        (_HUNK, _TEN.replace("\n", "\r\n"), _WHITE_SPACE),
        (
            "@@ -2,3 +2,4 @@\n line 2\n line 3\n+x\n line 4\n",
            _TEN.replace("line 3\n", "line 3\nx\n"),
            f"The file already has the lines that this hunk makes. {_AGAIN}",
        ),
        (
            "@@ -2,2 +2,2 @@\n line 2\n-line 3\n+x\n",
            _TEN,
            f"The lines that this hunk expects are at line 2, {_ONLY.format('at the end of the file')}",
        ),
        (
            _HUNK.replace("@@ -2,3 +2,3 @@", "@@ -1,3 +1,3 @@"),
            _TEN * 5,
            "The lines that this hunk expects are in 5 places (lines 2, 12, 22, …), "
            + _ONLY.format("at the beginning of the file"),
        ),
        (
            "@@ -1 +1 @@\n-line 1\n+x\n",
            _TEN,
            f"The lines that this hunk expects are at line 1, {_ONLY.format('as the whole file')}",
        ),
        (
            "@@ -4,0 +5 @@\n+x\n",
            _TEN,
            "The hunk has no context, so that its place is not certain: add the lines around it.",
        ),
        (_HUNK.replace("+x", "+line 3") + "@@ -3,3 +3,3 @@\n line 3\n-line 4\n+x\n line 5\n", _TEN, _EARLIER),
    ],
)
def test_a_problem_says_what_to_do(hunk: str, content: str, message: str) -> None:
    """The message says whether the lines moved, look different, or are there already."""
    applied = apply_diff(_diff(hunk), _entries({"a.py": content}))

    assert [problem.message for problem in applied.problems] == [message]


def _new(path: str) -> str:
    return f"diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"


_FILE = TreeEntry(FILE, b"x\n")
_UNREAD = "Line {} of the diff cannot be read: {}"


@each_row(
    ("diff", "entry", "path", "message"),
    [
        ("Words.\n", None, None, "The diff changes no file: it has to be a unified diff as `git diff` prints it."),
        (
            _diff("@@ -1,3 +1,3 @@\n line 1\n-line 2\n+x\n"),
            _FILE,
            "a.py",
            _UNREAD.format(8, "the diff ends within a hunk; its header counts 1 more old and 1 more new lines."),
        ),
        (
            _diff("@@ -1,2 +1,2 @@\n line 1\n-line 2\n+x\n+y\n"),
            _FILE,
            "a.py",
            _UNREAD.format(
                8,
                "it looks like a part of a hunk, but the hunk's header counts fewer lines,"
                " or it is no header of a hunk as in “@@ -1,3 +1,4 @@”.",
            ),
        ),
        (
            "--- a/a.py\n+++ b/a.py\n@@ def f(): @@\n-a\n+b\n",
            _FILE,
            None,
            _UNREAD.format(3, "the header of a hunk lacks line numbers, as in “@@ -1,3 +1,4 @@”."),
        ),
        (
            _new("n.py").replace("new file mode 100644\n", ""),
            None,
            "dev/null",
            "A new file needs the line `new file mode 100644` after `diff --git`.",
        ),
        (_new("a.py"), _FILE, "a.py", f"There is a file at this path already. {_AGAIN}"),
        (_new("a.py/b"), _FILE, "a.py/b", "a.py is no folder."),
        (_new("a.py/b"), TreeEntry(LINK, b"lib"), "a.py/b", "The path is beyond a symbolic link."),
        (
            _new("a.py"),
            TreeEntry(FOLDER),
            "a.py",
            "There is a folder at this path: remove it in a change of its own first.",
        ),
        (
            _diff("@@ -1 +1 @@\n-Subproject commit 1\n+Sub 2\n"),
            TreeEntry(SUBMODULE),
            "a.py",
            "There is a submodule at this path, not a file.",
        ),
        (
            "diff --git a/a.py b/a.py\ndeleted file mode 100644\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            TreeEntry(FILE, b"a\nb\n"),
            "a.py",
            f"The lines that this hunk expects are at line 1, {_ONLY.format('as the whole file')}",
        ),
        (
            "diff --git a/a.py b/a.py\nindex 1234567..7654321 100644\nBinary files a/a.py and b/a.py differ\n",
            TreeEntry(FILE, b"\0"),
            "a.py",
            (
                "The binary patch does not apply: its `index` line lacks full object ids:"
                " make the diff with `git diff --binary`."
            ),
        ),
    ],
)
def test_a_file_that_cannot_be_changed_says_why(
    diff: str, entry: TreeEntry | None, path: str | None, message: str
) -> None:
    """A fault of a whole file or diff is one sentence."""
    applied = apply_diff(diff, {"a.py": entry} if entry else {})

    assert [(problem.path, problem.message) for problem in applied.problems] == [(path, message)]


@pytest.mark.parametrize("name", ['"b/\\377"', '"b/a\\000b"', "b/"])
def test_a_path_that_no_repository_can_have_is_refused(name: str) -> None:
    """GitHub names paths in UTF-8, and none is empty."""
    diff = f"diff --git {name.replace('b/', 'a/', 1)} {name}\nnew file mode 100644\n"

    applied = apply_diff(diff, {})

    assert [problem.message for problem in applied.problems] == [
        "The path is empty, not valid UTF-8, or has a NUL byte."
    ]


def test_a_submodule_can_be_removed() -> None:
    """Its commit is not compared: only its path is known."""
    diff = (
        "diff --git a/sub b/sub\ndeleted file mode 160000\nindex 1..0\n--- a/sub\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-Subproject commit 1\n"
    )

    applied = apply_diff(diff, {"sub": TreeEntry(SUBMODULE)})

    assert applied == Applied({"sub": None})


def test_a_short_binary_patch_does_not_stand_for_a_very_long_file() -> None:
    """The length that a patch states is checked before anything is inflated."""
    diff = (
        f"diff --git a/a.bin b/a.bin\nindex {'0' * 39}1..{'1' * 40} 100644\nGIT binary patch\nliteral 999999999\n"
        "Hc$@<O00001\n\n"
    )

    applied = apply_diff(diff, {"a.bin": TreeEntry(FILE, b"")})

    assert [problem.message for problem in applied.problems] == [
        (
            "Line 3 of the diff cannot be read: the binary patch is damaged: it has 999,999,999 bytes; the most is"
            " 10,000,000."
        )
    ]


def test_a_file_after_an_unreadable_one_is_checked_too() -> None:
    """One damaged hunk hides no other problem."""
    diff = _diff("@@ -1,9 +1,9 @@\n line 1\n-line 2\n+x\n") + _diff("@@ -1 +1 @@\n-a\n+b\n", "missing.py")

    applied = apply_diff(diff, _entries({"a.py": _TEN}))

    assert [problem.path for problem in applied.problems] == ["a.py", "missing.py"]


def test_the_paths_of_a_diff_are_those_that_it_reads_or_writes() -> None:
    """Both names of a moved file are read; a path that cannot be in a repository is not."""
    diff = (
        _diff("@@ -1 +1 @@\n-a\n+b\n", "with space.py")
        + 'diff --git "a/k\\303\\244se" b/b\nsimilarity index 100%\nrename from "k\\303\\244se"\nrename to b\n'
        + _diff("@@ -1 +1 @@\n-a\n+b\n", "../../out.py")
        + _diff("@@ -1 +1 @@\n-a\n+b\n", "with space.py")
    )

    assert touched_paths(diff) == ("with space.py", "käse", "b")


@pytest.mark.parametrize(
    ("hunks", "lines"),
    [(40, 600_000), (1, 1_000_001)],
    ids=["hunks that are far from where they say", "a file of very many lines"],
)
def test_a_diff_may_not_take_minutes(hunks: int, lines: int) -> None:
    """Each hunk that is not where it says takes a search of the whole file; the person learns how to help it."""
    header = "diff --git a/a b/a\n--- a/a\n+++ b/a\n"
    diff = header + "".join(f"@@ -{at},2 +{at},2 @@\n a\n-b\n+c\n" for at in range(2, hunks + 2))

    found = apply_diff(diff, {"a": TreeEntry("100644", b"a\n" * lines + b"b\nx\n")})

    assert [problem.message for problem in found.problems] == [
        (
            "The diff has too many hunks in long files that are not where their headers say."
            " Read the file at the head again, and make the diff again."
        )
    ]


def test_hunks_that_are_where_they_say_apply_however_many_they_are() -> None:
    """They are in the order of the file, so that little has to be moved for each."""
    count = 6_000
    header = "diff --git a/a b/a\n--- a/a\n+++ b/a\n"
    hunks = (f"@@ -{4 * at + 1},3 +{4 * at + 1},3 @@\n \n-{at}\n+{at} now\n \n" for at in range(count))
    rows = [row for at in range(count) for row in ("", f"{at}", "", "")]

    found = apply_diff(header + "".join(hunks), {"a": TreeEntry(FILE, "".join(f"{row}\n" for row in rows).encode())})

    assert found.problems == ()
    changed = found.changes["a"]
    assert changed is not None
    assert changed.content.decode().split("\n")[-5:] == ["", "5999 now", "", "", ""]
