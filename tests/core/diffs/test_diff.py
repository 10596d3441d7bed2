"""The files that a diff touches."""

from kodiai.core.diffs.diff import affected_files
from kodiai.core.diffs.results import AffectedFile
from tests.tables import each_row

_HUNK = "@@ -1,3 +1,4 @@\n a\n-b\n+c\n+d\n e\n"


def test_the_files_of_a_diff_are_listed_in_its_order_with_what_happens_to_them() -> None:
    """Each file has its operation, its lines, and where it was before if it moves."""
    diff = (
        f"diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n{_HUNK}"
        "diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x\n+y\n"
        "diff --git a/gone.py b/gone.py\ndeleted file mode 100644\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/b.py b/c.py\nsimilarity index 90%\nrename from b.py\nrename to c.py\n"
        f"--- a/b.py\n+++ b/c.py\n{_HUNK}"
        "diff --git a/a.py b/d.py\nsimilarity index 100%\ncopy from a.py\ncopy to d.py\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/empty b/empty\nnew file mode 100644\n"
    )

    files = affected_files(diff)

    assert files == (
        AffectedFile(path="a.py", operation="modify", added=2, removed=1),
        AffectedFile(path="new.py", operation="create", added=2, removed=0),
        AffectedFile(path="gone.py", operation="delete", added=0, removed=1),
        AffectedFile(path="c.py", operation="rename", added=2, removed=1, previous_path="b.py"),
        AffectedFile(path="d.py", operation="copy", added=0, removed=0, previous_path="a.py"),
        AffectedFile(path="run.sh", operation="modify", added=0, removed=0),
        AffectedFile(path="empty", operation="create", added=0, removed=0),
    )


@each_row(
    ("header", "path", "operation"),
    [
        ("--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n a\n+b\n", "a.py", "modify"),
        ("--- a.py\n+++ a.py\n@@ -1 +1,2 @@\n a\n+b\n", "a.py", "modify"),
        ("--- a/lib/a.py\t2026-11-23 10:00:00\n+++ b/lib/a.py\t2026\n@@ -1 +1,2 @@\n a\n+b\n", "lib/a.py", "modify"),
        ("--- a/a b.py 2026-11-23 10:00:00.1 +0100\n+++ b/a b.py\n@@ -1 +1,2 @@\n a\n+b\n", "a b.py", "modify"),
        ("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+b\n", "a.py", "create"),
        ("--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+b\n", "a.py", "create"),
        ("--- a/a.py\t1970-01-01 01:00:00 +0100\n+++ b/a.py\n@@ -0,0 +1 @@\n+b\n", "a.py", "create"),
        ("--- a/a.py\n+++ b/a.py\t1969-12-31 19:00:00 -0500\n@@ -1 +0,0 @@\n-b\n", "a.py", "delete"),
        ("--- a/a.py\r\n+++ b/a.py\r\n@@ -1 +1,2 @@\r\n a\r\n+b\r\n", "a.py", "modify"),
        ('--- "a/k\\303\\244 \\"1\\""\n+++ "b/k\\303\\244 \\"1\\""\n@@ -1 +1,2 @@\n a\n+b\n', 'kä "1"', "modify"),
    ],
)  # fmt: skip
def test_diffs_of_other_programs_are_read_too(header: str, path: str, operation: str) -> None:
    """Names have times after them, quotes or no prefix, and /dev/null or the time 0 stands for no file."""
    files = affected_files(header)

    assert [(file.path, file.operation) for file in files] == [(path, operation)]


def test_text_around_the_files_does_not_count() -> None:
    """A patch as it is mailed has words before and after it."""
    diff = (
        "From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] it\n\nWords\n---\n a.py | 2 +-\n\n"
        f"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n{_HUNK}-- \n2.39.5\n\n"
    )

    files = affected_files(diff)

    assert files == (AffectedFile(path="a.py", operation="modify", added=2, removed=1),)


def test_the_readable_files_of_a_damaged_diff_are_listed() -> None:
    """A submission is accepted whatever its diff reads; whether it applies is checked later."""
    diff = (
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,9 +1,9 @@\n a\n+b\n"
        f"diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n{_HUNK}"
    )

    files = affected_files(diff)

    assert [file.path for file in files] == ["a.py", "b.py"]


@each_row("diff", ["", "\n", "words", "\0", "\ud800", "diff --git", "@@ -1 +1 @@\n-a\n+b\n"])
def test_a_text_that_is_no_diff_touches_nothing(diff: str) -> None:
    """Whatever somebody sends is read without an error."""
    assert affected_files(diff) == ()
