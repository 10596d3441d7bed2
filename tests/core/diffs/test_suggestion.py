"""A diff as a suggestion in a review comment."""

from kodiai.core.diffs.suggestion import suggestion_for
from kodiai.core.diffs.tree import FILE, PROGRAM, TreeEntry
from kodiai.core.diffs.write_diff import diff_of
from tests.tables import each_row

_TEXT = [f"line {number}\n" for number in range(1, 13)]


@each_row(
    ("lines", "changed", "suggestion"),
    [
        ((5, 5), {5: "five\n"}, "five\n"),
        ((4, 6), {5: "five\n"}, "line 4\nfive\nline 6\n"),
        ((5, 6), {5: "five\n", 6: ""}, "five\n"),
        ((5, 6), {5: "line 5\nbetween\n"}, "line 5\nbetween\nline 6\n"),
        ((5, 5), {5: "five\nfive and a half\n"}, "five\nfive and a half\n"),
        ((5, 6), {5: "", 6: ""}, ""),
        ((1, 5), {1: "one\n", 5: "five\n"}, "one\nline 2\nline 3\nline 4\nfive\n"),
        ((1, 1), {1: "one\n"}, "one\n"),
        ((12, 12), {12: "twelve\n"}, "twelve\n"),
    ],
)
def test_a_suggestion_is_what_the_lines_of_the_comment_read_afterwards(
    lines: tuple[int, int], changed: dict[int, str], suggestion: str
) -> None:
    """GitHub replaces exactly these lines by it, if one hunk changes them."""
    assert suggestion_for(_diff(changed), "a.py", lines, _TEXT) == suggestion


@each_row(
    ("lines", "changed"),
    [
        ((5, 5), {4: "four\n"}),
        ((5, 5), {5: "five\n", 6: "six\n"}),
        ((5, 6), {4: "", 5: "five\n"}),
        ((5, 5), {5: "line 5\nafter\n"}),
        ((5, 5), {5: "before\nline 5\n"}),
        ((5, 5), {4: "line 4\nbefore\n"}),
        ((5, 5), {5: "five\r\n"}),
        ((12, 12), {12: "twelve"}),
    ],
)
def test_a_change_that_does_not_fit_into_the_comment_is_no_suggestion(
    lines: tuple[int, int], changed: dict[int, str]
) -> None:
    """Other lines, lines next to it, other line ends and an open end of the file cannot be suggested."""
    assert suggestion_for(_diff(changed), "a.py", lines, _TEXT) is None


def test_a_change_far_from_the_comment_or_in_two_hunks_is_no_suggestion() -> None:
    """All of the change has to be in the comment's lines, and in one piece."""
    diff = _diff({1: "one\n", 12: "twelve\n"})

    assert suggestion_for(diff, "a.py", (1, 1), _TEXT) is None
    assert suggestion_for(diff, "a.py", (1, 12), _TEXT) is None


def test_the_lines_of_the_comment_have_to_have_plain_ends() -> None:
    """GitHub's editor would change the ends of lines that nobody asked about."""
    text = [line.replace("\n", "\r\n") for line in _TEXT]
    diff = diff_of({"a.py": _entry("".join(text))}, {"a.py": _entry("".join(text).replace("line 5\r", "five"))})

    assert suggestion_for(diff, "a.py", (5, 5), text) is None


@each_row(
    "diff",
    [
        diff_of({"b.py": TreeEntry(FILE, b"a\n")}, {"b.py": TreeEntry(FILE, b"b\n")}),
        diff_of(
            {"a.py": TreeEntry(FILE, "".join(_TEXT).encode())},
            {"a.py": TreeEntry(PROGRAM, "".join(_TEXT).replace("line 5", "five").encode())},
        ),
        diff_of({"a.py": TreeEntry(FILE, "".join(_TEXT).encode())}, {}),
        "diff --git a/a.py b/b.py\nsimilarity index 100%\nrename from a.py\nrename to b.py\n",
        "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -5 +5 @@\n-line 5\n",
        "--- a/a.py\n+++ b/a.py\n@@ -4,3 +4,3 @@\n line 4\n-stale\n+five\n line 6\n",
        "",
    ],
)
def test_a_diff_that_does_more_or_does_not_apply_is_no_suggestion(diff: str) -> None:
    """Another file, a mode, a deletion, a rename: a suggestion cannot say it."""
    assert suggestion_for(diff, "a.py", (5, 5), _TEXT) is None


def _changed(changed: dict[int, str]) -> list[str]:
    return [changed.get(number, line) for number, line in enumerate(_TEXT, start=1)]


def _diff(changed: dict[int, str]) -> str:
    return diff_of({"a.py": _entry("".join(_TEXT))}, {"a.py": _entry("".join(_changed(changed)))})


def _entry(content: str) -> TreeEntry:
    return TreeEntry(FILE, content.encode())
