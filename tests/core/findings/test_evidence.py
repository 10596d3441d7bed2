"""What shows that a finding is fixed, and how long it does."""

import pytest

from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.lifecycle import evidence_of, evidence_stands
from tests.builders import a_finding, a_known
from tests.core.findings.test_lifecycle import HEAD, KNOWN, answer

MULTI_LINE = a_known(a_finding(quote="guard(values)\n    return total"))


@pytest.mark.parametrize(
    ("case", "known", "path", "quote", "evidence"),
    [
        ("in its own file", KNOWN, "src/app.py", "guard(values)", Evidence("src/app.py", "guard(values)")),
        ("where no path is named, its own file", KNOWN, "", "guard(values)", Evidence("src/app.py", "guard(values)")),
        ("in another file", KNOWN, "src/guard.py", "if not values:", Evidence("src/guard.py", "if not values:")),
        ("in a file that is not there", KNOWN, "src/b.py", "if not values:", None),
        ("in another file than is said", KNOWN, "src/app.py", "if not values:", None),
        ("code that is not there", KNOWN, "src/app.py", "if values:", None),
        ("the code that it is about", KNOWN, "src/app.py", "\treturn  total\n", None),
        ("one line of the code that it is about", MULTI_LINE, "src/app.py", "return total", None),
        ("a piece of that code, which still stands", KNOWN, "src/app.py", "return tot", None),
        (
            "a piece of that code, which has become something else",
            a_known(a_finding(quote="if not values: return total")),
            "src/guard.py",
            "if not values:",
            Evidence("src/guard.py", "if not values:"),
        ),
        ("all of the code that it is about", MULTI_LINE, "src/app.py", "guard(values)\nreturn total", None),
        (
            "that code and more",
            KNOWN,
            "src/app.py",
            "guard(values)\nreturn total",
            Evidence("src/app.py", "guard(values)\nreturn total"),
        ),
        ("nothing", KNOWN, "src/app.py", " \n", None),
        ("a sign that stands anywhere", KNOWN, "src/guard.py", "}", None),
        ("two letters", KNOWN, "src/guard.py", "if", None),
    ],
)
def test_evidence_is_code_that_stands_and_that_was_not_complained_of(
    case: str, known: KnownFinding, path: str, quote: str, evidence: Evidence | None
) -> None:
    """At least three letters or digits of it."""
    assert evidence_of(known, answer(answer="ADDRESSED", path=path, quote=quote), HEAD.get) == evidence, case


def test_of_a_file_that_is_gone_nothing_needs_to_be_quoted() -> None:
    """What is quoted all the same has to stand."""
    gone = a_known(a_finding(path="src/gone.py"))

    assert evidence_of(gone, answer(path="src/gone.py", quote=""), HEAD.get) == Evidence("src/gone.py", "")
    assert evidence_of(gone, answer(path="src/guard.py", quote="if not values:"), HEAD.get) is not None
    assert evidence_of(gone, answer(path="src/gone.py", quote="if not values:"), HEAD.get) is None


@pytest.mark.parametrize(
    ("evidence", "stands"),
    [
        (None, False),
        (Evidence("src/guard.py", "if  not values:"), True),
        (Evidence("src/guard.py", "if not value:"), False),
        (Evidence("src/b.py", "if not values:"), False),
        (Evidence("src/b.py", ""), True),
        (Evidence("src/app.py", ""), False),
    ],
)
def test_evidence_stands_as_long_as_its_code_does(evidence: Evidence | None, stands: bool) -> None:
    """Where the file was gone, as long as it is."""
    assert evidence_stands(evidence, HEAD.get) is stands
