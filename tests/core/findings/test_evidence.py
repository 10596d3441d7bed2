"""Evidence that resolves a finding is code that changed since the finding was open, and not the complaint itself."""

from time import process_time

import pytest

from kodiai.core.findings.evidence import changes_since, evidence_for
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import Evidence
from kodiai.core.findings.locate import locate
from kodiai.core.findings.source import Source
from tests.builders import PARSER, a_finding, reading
from tests.tables import each_row

THEN = """\
import json

LIMIT = 10


def average(prices):
    # the mean of all prices
    total = sum(prices)
    return total / len(prices)


def show(prices):
    print(average(prices))
"""
COMPLAINT = a_finding(path="a.py", start_line=9, end_line=9, quote="return total / len(prices)")
DIVIDES = "    return total / len(prices)\n"


def divides(instead: str) -> str:
    """The file with other lines in the place of the complaint's."""
    return THEN.replace(DIVIDES, instead)


def judged(now: str, quote: str, path: str = "a.py", finding: Finding = COMPLAINT, then: str = THEN) -> Evidence | str:
    files = {"a.py": now.splitlines(), "README.md": ["# Prices", "", "An empty list has no average."]}
    source = Source(reading(files), (), tuple(files))
    lines = files[path]
    before = then.splitlines() if path == "a.py" else files[path]
    return evidence_for(
        finding, locate(quote, path, finding.start_line, source), source.read_lines, changes_since(before, lines)
    )


UNCHANGED = "no line of the quoted evidence changed since the finding was last open"


@each_row(
    ("now", "quote", "why"),
    [
        (THEN, "total = sum(prices)", UNCHANGED),
        (THEN.replace("LIMIT = 10", "LIMIT = 20"), "total = sum(prices)", UNCHANGED),
        (THEN.replace("LIMIT = 10", "LIMIT = 20"), "return total / len(prices)", UNCHANGED),
        (THEN.replace("LIMIT = 10", "LIMIT = 20"), "total = sum(prices)\n    return total / len(prices)", UNCHANGED),
        (divides("        return  total/len(prices)\n"), "return total / len(prices)", UNCHANGED),
        (divides(f"{DIVIDES[:-1]}  # never empty\n"), "return total / len(prices)  # never empty", UNCHANGED),
        (divides(f"    # prices is never empty here\n{DIVIDES}"), "# prices is never empty here", UNCHANGED),
        (
            THEN.replace("    # the mean of all prices\n", '    """Give the mean; prices is never empty."""\n'),
            "Give the mean; prices is never empty.",
            UNCHANGED,
        ),
        (divides("    return total / count(prices)\n"), "ret", "the quoted evidence is not in the code"),
        (divides("    return total / count(prices)\n"), "total", UNCHANGED),
        (THEN, "if not prices: return 0", "the quoted evidence is not in the code"),
        (THEN, "", "the quoted evidence is not in the code"),
        (THEN.replace("LIMIT = 10\n", ""), "import json", UNCHANGED),
    ],
)
def test_a_claim_without_changed_code_resolves_nothing(now: str, quote: str, why: str) -> None:
    """Old lines, neighbors, the complaint itself, comments, three letters: none of them shows a fix."""
    assert judged(now, quote) == why


DOCUMENTED = COMPLAINT.model_copy(update={"category": "documentation", "quote": "# the mean of all prices"})


@pytest.mark.parametrize(
    "text",
    ["# the mean, which no prices have not", '"""Give the mean, of one price at least."""'],
    ids=["comment", "doc"],
)
def test_prose_may_resolve_only_a_finding_about_documentation(text: str) -> None:
    """Comments and docstrings are what such a finding is about; a sentence in the readme is no code."""
    now, said = THEN.replace("# the mean of all prices", text), "An empty list has no average."

    assert isinstance(judged(now, text, finding=DOCUMENTED), Evidence)
    assert judged(now, text) == UNCHANGED
    assert judged(THEN, said, "README.md") == "the quoted evidence is not code"
    assert judged(THEN, said, "README.md", DOCUMENTED) == UNCHANGED


@each_row(
    ("now", "quote"),
    [
        (divides("    return total / len(prices) if prices else 0\n"), "return total / len(prices) if prices else 0"),
        (divides(f"    if not prices:\n        return 0\n{DIVIDES}"), "if not prices:"),
        (divides("    return mean(prices)  # of statistics\n"), "return mean(prices)"),
        (divides(""), "total = sum(prices)"),
        (divides(""), "def show(prices):"),
    ],
)
def test_changed_code_may_resolve_a_finding(now: str, quote: str) -> None:
    """A line that changed, most of it quoted; next to the complaint's lines where those were only removed."""
    found = judged(now, quote)

    assert isinstance(found, Evidence)
    assert found.path == "a.py"


UNRELATED = "the changed lines of the quoted evidence have nothing to do with the finding's code"
NAMES = frozenset({"total", "prices", "average"})


@each_row(
    ("path", "then", "now", "quote", "why"),
    [
        ("a.py", THEN, THEN.replace("LIMIT = 10", "LIMIT = 20"), "LIMIT = 20", UNRELATED),
        ("a.py", THEN, THEN.replace("LIMIT = 10", "prices = [10]"), "prices = [10]", None),
        ("a.py", THEN, THEN.replace("    print(", "    if ok():\n        print("), "if ok():", None),
        ("a.py", THEN, divides("    return statistics.mean(values)\n"), "return statistics.mean(values)", None),
        ("b.py", "retries = 4\n", "retries = 5\n", "retries = 5", UNRELATED),
        ("b.py", "def f():\n    return 4\n", "def f():\n    return 5\n", "return 5", UNRELATED),
        ("b.py", "def f():\n    g(average)\n", "def f():\n    helper()\n    g(average)\n", "helper()", None),
        ("b.json", '{\n"least": 0\n}', '{\n"least": 1\n}', '"least": 1', UNRELATED),
        ("b.json", '{\n"return": 0\n}', '{\n"return": 1\n}', '"return": 1', None),
        ("prices.py", "LEAST = 0\n", "LEAST = 1\n", "LEAST = 1", None),
    ],
)
def test_changed_code_that_has_nothing_to_do_with_the_finding_resolves_nothing(
    path: str, then: str, now: str, quote: str, why: str | None
) -> None:
    """It has if it is in the place of the finding's code, or if a name of it is in its definition or its line."""
    files = {"a.py": THEN.splitlines(), path: now.splitlines()}
    source = Source(reading(files), (), tuple(files))
    changed = changes_since(then.splitlines(), files[path])

    found = evidence_for(COMPLAINT, locate(quote, path, 9, source), source.read_lines, changed, NAMES)

    assert (found.quote.strip() if isinstance(found, Evidence) else found) == (why or quote)


def test_lines_whose_code_did_not_change_are_no_evidence() -> None:
    """Where only such lines replace the finding's code, the lines next to it count, as where it was removed."""
    then, now = ["def f(x):", "    raise x", "    g()"], ["def f(x):", "    pass", "    g( )"]

    changed = changes_since(then, now, (frozenset({2}), frozenset()))

    assert (changed.added, changed.removed) == (frozenset(), ((frozenset({1, 2, 3}), frozenset({"raisex"})),))


@each_row(
    ("path", "then", "now", "bug", "quote"),
    [
        (
            "a.js",
            "function f() {\n  return\n  total;\n}",
            "function f() {\n  return total;\n}",
            "total;",
            "return total;",
        ),
        ("a.js", "x = all - paid - due;", "x = all - (paid - due);", "all - paid - due", "x = all - (paid - due);"),
        ("a.sh", "rm $file", 'rm "$file"', "rm $file", 'rm "$file"'),
        ("a.py", "def f(x):\n    return (x)", "def f(x):\n    return (x,)", "return (x)", "return (x,)"),
        ("a.py", "def f(x):\n    raise x", "def f(x):\n    pass", "raise x", "pass"),
        ("a.py", "return price(x, 1)", "return price(\n    x,\n    limit=2,\n)", "return price(x, 1)", "limit=2,"),
        ("a.py", "go(x, 1)", "if x:\n    go(\n        x, 1\n    )", "go(x, 1)", "if x:"),
    ],
)
def test_a_fix_that_is_written_differently_too_may_resolve_a_finding(
    path: str, then: str, now: str, bug: str, quote: str
) -> None:
    """A change that no formatter makes, in the midst of changes that it makes."""
    source = Source(reading({path: now.split("\n")}), (), (path,))
    changed = changes_since(
        then.split("\n"), now.split("\n"), PARSER.changed_code(path, now.split("\n"), then.split("\n"))
    )

    found = evidence_for(a_finding(path=path, quote=bug), locate(quote, path, 1, source), source.read_lines, changed)

    assert isinstance(found, Evidence)


OPENED = "def read(path):\n    file = open(path)\n    check(path)\n    with file:\n        return file.read()\n"
LEAK = a_finding(path="a.py", start_line=3, end_line=4, quote="check(path)\nwith file:")


def test_a_line_of_the_complaint_that_moved_may_be_the_fix_where_their_order_was_the_problem() -> None:
    """That holds only in the complaint's own file, and not if its lines moved together."""
    reordered = "def read(path):\n    check(path)\n    file = open(path)\n    with file:\n        return file.read()\n"
    moved = "def read(path):\n    check(path)\n    with file:\n        file = open(path)\n        return file.read()\n"
    elsewhere = LEAK.model_copy(update={"path": "b.py"})

    assert isinstance(judged(reordered, "check(path)", finding=LEAK, then=OPENED), Evidence)
    assert judged(moved, "check(path)", finding=LEAK, then=OPENED) == UNCHANGED
    assert judged(reordered, "check(path)", finding=elsewhere, then=OPENED) == UNCHANGED


def test_lines_count_as_changed_by_their_content() -> None:
    """White space, and lines that only moved down, are no change."""
    changed = changes_since(["a", "b", "c", "d"], ["new", " a", "b ", "D", "d"])

    assert changed.added == {1, 4}
    assert changes_since(["a"], ["a"]).added == frozenset()
    assert changes_since([], ["a", "", "b"]).added == {1, 3}


def test_a_file_of_lines_that_are_all_alike_is_compared_in_time() -> None:
    """Tables and generated code have thousands of them; the guard that was added among them is the change."""
    row = "    rows.append(row)"
    then = [row] * 2_000
    now = [*then[:500], "    check(row)", *then[500:1_500], "    return rows", *then[1_500:]]

    began = process_time()
    changed = changes_since(then, now)

    assert {501, 1_502} <= changed.added
    assert process_time() - began < 5
