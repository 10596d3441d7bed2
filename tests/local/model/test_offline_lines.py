"""Line numbers and quotes stay right whatever a file is made of: lines end at a line feed and nowhere else."""

import pytest

from tests.local.model.conftest import Review

ODD = {
    "CRLF": ("import os\r\n\r\nX = 1\r\nY = os.name + nope\r\n", 4, "Y = os.name + nope"),
    "no newline at the end": ("X = 1\nY = nope", 2, "Y = nope"),
    "a form feed in an empty line": ("X = 1\n\x0c\nY = nope\n", 3, "Y = nope"),
    "a form feed before code": ("X = 1\n\x0cY = nope\n", 2, "\x0cY = nope"),
    "a lone carriage return": ("X = 1\rZ = 2\nY = nope\n", 2, "Y = nope"),
    "the problem behind a carriage return": ("X = 1\nZ = 2\rY = nope\n", 2, "Z = 2\rY = nope"),
    "a vertical tab and a line separator": ("X = '\x0b \u2028 \x85'\nY = nope\n", 2, "Y = nope"),
    "tabs": ("def f():\n\tif True:\n\t\treturn nope\n", 3, "\t\treturn nope"),
    "letters beyond ASCII": ("Größe = '日本語 🎉'\nY = Größe + nope\n", 2, "Y = Größe + nope"),
    "a byte order mark": ("\ufeffY = nope\n", 1, "\ufeffY = nope"),
    "half of a surrogate pair": ("X = '\ufffd'\nY = '\ufffd' + nope\n", 2, "Y = '\ufffd' + nope"),
}


@pytest.mark.parametrize(("code", "line", "quote"), ODD.values(), ids=ODD.keys())
def test_a_finding_stands_on_the_right_line(findings: Review, code: str, line: int, quote: str) -> None:
    """The line is the one that git counts, and the quote is its text."""
    (found,) = findings("src/a.py", code)

    assert (found["start_line"], found["title"], found["quote"]) == (line, "`nope` is not defined", quote)


def test_a_fix_keeps_what_stands_around_it(findings: Review) -> None:
    """Letters that take several bytes or columns do not shift it."""
    (found,) = findings("src/a.py", "import re\r\n\r\nX = re.compile('日本🎉\\d')  # ä\r\n")

    assert found["replacement"] == "X = re.compile(r'日本🎉\\d')  # ä"


@pytest.mark.parametrize("path", ["Makefile", "LICENSE", "a.unknown", 'weird "name" `x`.txt', "ä/ö.md", "a\nb.txt"])
def test_files_of_any_name_are_read(findings: Review, path: str) -> None:
    """Nothing is known of the kind, and leaked secrets are found all the same."""
    token = "ghp" + "_" + "q7RkT2mZx9Lw4VbN8cYd5FgH1jKs6PaQ3eUi"

    (found,) = findings(path, f"first\n\tsend {token} please\n")

    assert (found["path"], found["start_line"], found["quote"]) == (path, 2, "\tsend")


CONFLICT = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> topic\nd\n"


@pytest.mark.parametrize(
    ("path", "severity"), [("src/a.py", "CRITICAL"), ("web/a.js", "CRITICAL"), ("README.md", "MAJOR")]
)
def test_a_merge_conflict_is_one_finding(findings: Review, path: str, severity: str) -> None:
    """It is told at its first marker, and a Python file's syntax errors are not told besides."""
    (found,) = findings(path, CONFLICT)

    assert (found["start_line"], found["severity"], found["quote"]) == (2, severity, "<<<<<<< HEAD")
    assert found["title"] == "A merge conflict is left in the file"
    assert "to line 6" in str(found["explanation"])


@pytest.mark.parametrize(
    "words",
    [
        "Title\n=======\ntext\n",
        ">>>>>>> quoted deeply\n",
        "<<<<<<< HEAD\nnever closed\n",
        "  <<<<<<< a\n  =======\n  >>>>>>> b\n",
    ],
)
def test_what_only_looks_like_a_conflict_is_none(findings: Review, words: str) -> None:
    """A heading's underline, a quotation or an example is left alone."""
    assert findings("README.md", words) == []


def test_a_conflict_that_was_there_before_is_not_told(findings: Review) -> None:
    """Its markers are not on changed lines."""
    assert findings("a.txt", CONFLICT, {1, 7}) == []
