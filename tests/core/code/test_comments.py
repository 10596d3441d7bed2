"""A file without its comments."""

from tests.builders import reading
from tests.tables import each_row


@each_row(
    ("path", "lines", "bare"),
    [
        ("a.py", ["# one", "x = '# no'  # two", '"""# no"""', ""], ["", "x = '# no'", '"""# no"""', ""]),
        ("a.js", ["a /* one", "two", "*/ b // c", "`// no`"], ["a", "", "   b", "`// no`"]),
        ("a.tsx", ["x = <a>// no{/* one */}</a>"], ["x = <a>// no{         }</a>"]),
        ("a.go", ['s := "// no" // é', "/* é */ x := 1"], ['s := "// no"', "        x := 1"]),
        ("a.rs", ["/// one", "fn f() {} // two", "//! three"], ["", "fn f() {}", ""]),
        ("A.java", ["/** one", " * two", " */", 'String s = "/*"; // é日'], ["", "", "", 'String s = "/*";']),
        ("a.rb", ["=begin", "one", "=end", 'x = "#{y}" # two'], ["", "", "", 'x = "#{y}"']),
        ("a.php", ["<?php", "# one", "$a = '# no'; // two"], ["<?php", "", "$a = '# no';"]),
        ("a.sh", ["#!/bin/sh", "x=${y#z} # one", 'echo "# no"'], ["", "x=${y#z}", 'echo "# no"']),
        ("a.cs", ["int a = 1; /* one */ int b;"], ["int a = 1;           int b;"]),
        ("a.cpp", ["// one \\", "two", "int a;"], ["", "", "int a;"]),
        ("a.py", ["\ufeff# one", "x = 1  # two\r"], ["\ufeff", "x = 1       \r"]),
        ("a.yml", ["a: 1 # kept"], ["a: 1 # kept"]),
        ("a.py", ["def f(:", "    x = 1  # one"], ["def f(:", "    x = 1"]),
        ("a.py", [], []),
    ],
)
def test_comments_become_spaces_and_strings_stay(path: str, lines: list[str], bare: list[str]) -> None:
    """Lines and columns stay where they are; without a grammar all of it stays."""
    given = reading({}).without_comments(path, lines)

    assert [line.rstrip(" ") for line in given] == bare
    assert [len(line) for line in given] == [len(line) for line in lines]


@each_row(
    ("path", "lines", "bare"),
    [
        ("a.py", ['"""One."""', "x = 1", "class C:", "    r'two'"], ["", "x = 1", "class C:", ""]),
        (
            "a.py",
            ["def f():", '    """One', "", '    two."""  # three', "    f(1)"],
            ["def f():", "", "", "", "    f(1)"],
        ),
        ("a.py", *[['x = """no"""', 'f("no")', 'f"{f()}"', '"a" in x']] * 2),
        ("a.js", ['"use strict";', "// one"], ['"use strict";', ""]),
        ("a.yml", ["'one'"], ["'one'"]),
    ],
)
def test_docstrings_become_spaces_if_that_is_wanted(path: str, lines: list[str], bare: list[str]) -> None:
    """A string that is a statement by itself, and neither one that is used nor one that computes something."""
    assert [line.rstrip(" ") for line in reading({}).without_comments(path, lines, docstrings=True)] == bare
