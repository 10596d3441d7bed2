"""What the program itself can hold against a finding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from kodiai.core.findings.claims import Checked, check
from tests.builders import a_finding

LINES = [
    "import os",
    "import sys",
    "import json  # json is for later",
    "from pathlib import Path",
    "",
    "print(os.name)",
    "# json.loads",
    '"""Takes a name.',
    "Returns a Path.",
    '"""',
    "def found(sys): return sys.path",
]


@dataclass
class Facts:
    """Everything that speaks against a claim, unless a test says otherwise."""

    parse: bool | None = True
    bound: Mapping[str, bool | None] = field(default_factory=dict)
    named: bool | None = False
    used: int | None = 0
    seen: bool = False

    def lines(self, path: str) -> Sequence[str] | None:
        return None if path == "gone.py" else LINES

    def parses(self, path: str) -> bool | None:  # noqa: ARG002 - the same for all
        return self.parse

    def binds(self, path: str, name: str, at: tuple[int, int]) -> bool | None:  # noqa: ARG002 - the same for all
        return self.bound.get(name, True)

    def is_named(self, text: str) -> bool | None:  # noqa: ARG002 - the same for all
        return self.named

    def uses(self, name: str) -> int | None:  # noqa: ARG002 - the same for all
        return self.used

    def was_looked_up(self, name: str) -> bool:  # noqa: ARG002 - the same for all
        return self.seen


def checked(title: str, explanation: str = "", facts: Facts | None = None, path: str = "src/app.py") -> Checked:
    return check(a_finding(title=title, explanation=explanation, path=path), facts or Facts())


PARSES = "it says that the file has an error of syntax, and it parses"


@pytest.mark.parametrize(
    ("title", "explanation", "against"),
    [
        ("Syntax error in `total`", "The closing bracket is missing.", PARSES),
        ("The file does not compile", "A brace is never closed, so the build stops.", PARSES),
        ("Invalid syntax: a line must not begin with a dot", "Ruby rejects the method chain.", PARSES),
        ("IndentationError on line 3", "The block is not indented.", PARSES),
        ("This won't compile.", "A semicolon is missing.", PARSES),
        (
            "`json` is not imported",
            "So the first call raises NameError.",
            "it says that json is missing, and the file has it",
        ),
        ("`total` is never defined in this file", "", "it says that total is missing, and the file has it"),
        ("FREE_FROM is undefined", "It is used here.", "it says that FREE_FROM is missing, and the file has it"),
        ("Missing import of `json`", "", "it says that json is missing, and the file has it"),
        ("Unused import `os`", "", "it says that os is not used, and it is"),
        ("os is imported and not used", "", "it says that os is not used, and it is"),
        ("Affected by CVE-2031-12345", "", "nothing here names CVE-2031-12345"),
        ("The check on line 842 is wrong", "", "it speaks of line 842 of a file with 11 lines"),
        ("Callers of `total` break", "They pass two arguments.", "it speaks of callers of total, and there are none"),
    ],
)
def test_a_claim_that_facts_refute_is_dropped(title: str, explanation: str, against: str) -> None:
    """It has to be what the finding rests on: its title, or the first two sentences of what it explains."""
    assert (checked(title, explanation).against or "") == against


@pytest.mark.parametrize(
    ("title", "explanation", "path"),
    [
        ("It does not compile", "The value has the type `int`, a string is wanted.", "src/app.rs"),
        ("Does not compile", "`values` was moved in the line above.", "src/app.rs"),
        ("The build fails to compile", "An unused import is an error in Go.", "src/app.go"),
        ("Syntax error: `x` has already been declared", "", "src/app.ts"),
        ("A name with a quote causes a syntax error", "The SQL statement ends early.", "src/app.py"),
        ("Dates in that form fail to parse", "`strptime` raises ValueError.", "src/app.py"),
        ("`total` is not defined when the list is empty", "It is only assigned in the loop.", "src/app.py"),
        ("`total` is not defined before the call", "", "src/app.py"),
        ("`user` is undefined", "The request has no session, so `user` is undefined.", "src/app.ts"),
        ("`json` is imported and not used", "", "src/app.py"),  # only in a comment
        ("A list is shared by all calls", "As in CVE-free code. And then. See CVE-2031-12345 for a like case.", "a.py"),
        ("The check on line 842 of big.csv is wrong", "", "src/app.py"),
        ("An empty list raises IndexError", "With no rows `rows[0]` fails. It is not defined what comes then.", "a.py"),
        ("Anything", "Line 842 is gone.", "gone.py"),
        ("Does not compile: `send` takes an owned String", "A `&str` is handed over.", "src/app.rs"),
        ("Won't compile: the property has to be initialised", "No constructor sets it.", "src/App.kt"),
        ("Fails to compile on Windows", "The bracketed attribute is for Unix.", "src/app.rs"),
        ("Syntax error on Python 3.9: `match` is new", "The colon is unexpected there.", "src/app.py"),
        ("The generated code has a syntax error", "The last comma is written for an empty list too.", "gen.py"),
        ("The schema uses invalid syntax for its keys", "A bracket makes a text of the type.", "src/app.ts"),
        ("SyntaxError: `count` is used prior to its global declaration", "", "src/app.py"),
        ("This will not compile", "`count` is a text here and a number is wanted.", "src/app.go"),
        ("`total` is not defined", "For an empty list the loop never assigns it.", "src/app.py"),
        ("`User` is not imported", "The import stands under TYPE_CHECKING.", "src/app.py"),
        ("`conn` is not defined", "If connect() raises, the name was never assigned.", "src/app.py"),
        ("`Path` is imported but never used", "", "src/app.py"),  # only in a docstring
        ("`sys` is imported but never used", "", "src/app.py"),  # a parameter has its name
        ("Unused imports: `os`, and unused import `json`", "", "src/app.py"),  # one of the two is not used
        ("Path traversal in the extraction (CVE-2031-12345)", "Members with `..` are followed.", "src/app.py"),
        ("Members are written anywhere", "`..` is followed, as in CVE-2031-12345.", "src/app.py"),
        ("The check that stood on line 842 was removed", "", "src/app.py"),
        ("A bad row on line 500 aborts all of the import", "", "src/app.py"),
        ("The lock of line 3 is taken again on line 842", "See lines 3 and on line 2.", "src/app.py"),
        ("Callers of `total` that pass None get a TypeError", "", "src/app.py"),
        ("Callers of `total` can no longer pass a limit", "It is public.", "src/app.py"),
        ("All callers of `total` break", "Plug-ins call it with two arguments.", "src/app.py"),
    ],
)
def test_what_facts_cannot_refute_stands(title: str, explanation: str, path: str) -> None:
    """Types, moves, states, other languages and versions, outsiders, asides: certainty is the threshold."""
    assert checked(title, explanation, path=path).against is None


@pytest.mark.parametrize(
    ("title", "facts"),
    [
        ("Syntax error in `total`", Facts(parse=False)),
        ("Syntax error in `total`", Facts(parse=None)),
        ("`json` is not imported", Facts(bound={"json": False})),
        ("`json` is not imported", Facts(bound={"json": None})),
        ("Affected by CVE-2031-12345", Facts(named=True)),
        ("Affected by CVE-2031-12345", Facts(named=None)),
        ("Callers of `total` break", Facts(used=None)),
        ("Callers of `total` break", Facts(used=3)),
    ],
)
def test_where_nothing_is_known_nothing_is_refuted(title: str, facts: Facts) -> None:
    """A claim that is true, or of which it cannot be told."""
    assert checked(title, facts=facts).against is None


@pytest.mark.parametrize(
    ("title", "facts", "caveat"),
    [
        ("Callers of `total` break", Facts(used=3), "nobody looked at the callers of total"),
        ("Callers of `total` break", Facts(used=3, seen=True), None),
        ("The flag was removed in Django 5.2", Facts(), "what it says of version 5.2 was not looked up"),
        ("It needs Python 3.12", Facts(), "what it says of Python 3.12 was not looked up"),
        ("It needs Python 3.12", Facts(named=True), None),
        ("It needs Python 3.12", Facts(named=None), None),
        ("It waits until 2.5 seconds have passed", Facts(), None),
    ],
)
def test_what_nobody_looked_up_is_told_with_that_caveat(title: str, facts: Facts, caveat: str | None) -> None:
    """A version that nothing here names, callers that nobody has seen."""
    assert checked(title, facts=facts).caveat == caveat


@pytest.mark.parametrize(
    ("title", "explanation", "is_preference"),
    [
        ("Consider adding a retry", "It would make this more robust.", True),
        ("Add a comment that explains the formula", "Readers have to work it out.", True),
        ("Missing tests for `total`", "There is no coverage of this function.", True),
        ("No docstring", "", True),
        ("Consider adding a retry", "A 503 loses the order: nothing sends it again.", False),
        ("Missing test for an empty list", "`rows[0]` raises IndexError, and every test would still pass.", False),
        ("Missing `await` in the test", "The assertion is never reached.", False),
        ("Missing await on deletion", "Error handling is skipped.", False),
        ("Missing tests for `total`", "None of its branches is covered; tests would prevent regressions.", True),
        ("Consider adding input validation", "It is good practice to look at arguments.", True),
        ("Missing input validation on `name`", "", True),
        ("No input validation on `amount`", "A negative amount credits the account.", False),
        ("Missing input validation", "`../../etc/passwd` is read.", False),
        ("Missing error handling", "A 404 page is parsed as JSON.", False),
        ("No back-off between attempts", "The loop hits the service as fast as it can.", False),
        ("Missing test isolation", "The second run finds rows of the first.", False),
        ("No assertions in the test", "It is green whatever the function answers.", False),
        ("No type annotation on the dataclass field", "All instances have the same list.", False),
        ("Missing metrics label", "Prometheus refuses the sample.", False),
        ("No test data is cleaned up", "The next run fails because rows are left.", False),
        ("The retry sends the order twice", "It has a new key each time.", False),
    ],
)
def test_a_bare_wish_is_a_preference(title: str, explanation: str, is_preference: bool) -> None:
    """For a test, a comment, a retry, logging, when no case that fails is named."""
    assert checked(title, explanation).is_preference is is_preference
