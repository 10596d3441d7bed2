"""The report's text form, and the table of rules, in themselves."""

import json
import string
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.model.offline.changes import Row, read_changes
from local.model.offline.earlier import Outcome
from local.model.offline.problem import Problem
from local.model.offline.report import NotOurs, read_report, write_report
from local.model.offline.rules import RULES

ANY = st.text(alphabet=st.characters(exclude_categories=[]), max_size=40) | st.sampled_from(
    ["\r\n", "# Offline review", "### Finding 1\n- path: 1", '"', "| `", "</report>", "\u2028\x85\x0c"]
)
PROBLEMS = st.builds(
    Problem,
    rule=st.just("rule"),
    severity=st.sampled_from(["CRITICAL", "MINOR"]),
    category=st.sampled_from(["security", "style"]),
    kind=st.just("impact"),
    path=ANY,
    start_line=st.integers(1, 9),
    end_line=st.integers(1, 9),
    title=ANY,
    explanation=ANY,
    quote=ANY,
    replacement=st.none() | ANY,
)
OUTCOMES = st.builds(
    Outcome, finding=ANY, answer=st.sampled_from(["ADDRESSED", "CANNOT_TELL"]), path=ANY, quote=ANY, why=ANY
)


@given(ANY, st.lists(ANY, max_size=3), st.lists(PROBLEMS, max_size=4), st.lists(OUTCOMES, max_size=3))
def test_a_report_is_read_back_as_it_was_written(
    what_changed: str, strengths: list[str], problems: list[Problem], outcomes: list[Outcome]
) -> None:
    """Whatever text stands in whatever field."""
    report = read_report(write_report(what_changed, strengths, problems, outcomes))

    assert report.what_changed == what_changed
    assert list(report.strengths) == strengths
    assert list(report.findings) == [problem.as_finding() for problem in problems]
    assert list(report.earlier) == [outcome.as_entry() for outcome in outcomes]


@given(ANY, st.data())
def test_a_report_with_a_line_missing_is_not_believed(what_changed: str, data: st.DataObject) -> None:
    """A part of a report is no report."""
    problem = Problem("r", "MINOR", "style", "impact", "a", 1, 1, "title", "why", "quote")
    outcome = Outcome("F-1", "ADDRESSED", "a", "quote", "why")
    lines = [line for line in write_report(what_changed, [], [problem], [outcome]).split("\n") if line]
    idle = {"## Findings", "## Earlier findings"}
    lines.pop(data.draw(st.integers(0, len(lines) - 1).filter(lambda number: lines[number] not in idle)))

    with pytest.raises(NotOurs):
        read_report("\n".join(lines))


def test_every_rule_is_a_stable_rule_of_ruff() -> None:
    """A rule that ruff drops or renames shows here, not as a review that lacks findings."""
    told = subprocess.run(
        [sys.executable, "-m", "ruff", "rule", "--all", "--output-format", "json"], check=True, capture_output=True
    )
    stable = {rule["code"] for rule in json.loads(told.stdout) if not rule["preview"]}

    assert set(RULES) - stable == {"invalid-syntax"}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_can_be_told(code: str) -> None:
    """Its words take the names of ruff's message, its severity and category exist, and a preference is no blocker."""
    rule = RULES[code]
    words = [(text or "").format("one", "two") for text in (rule.title, rule.mechanism)]

    assert not any(set("{}") & set(text.replace("`{}`", "")) for text in words)
    assert rule.severity in {"CRITICAL", "MAJOR", "MEDIUM", "MINOR"}
    assert rule.category in {"security", "correctness", "performance", "reliability", "tests", "documentation", "style"}
    assert rule.kind == "impact" or rule.severity in {"MEDIUM", "MINOR"}
    assert not rule.title or rule.title[0] in string.ascii_uppercase + "`"
    assert not rule.mechanism or rule.mechanism.endswith(".")


SHOWN = """# Its changes

### FILE "src/a.py" modified
@@ -10,4 +10,5 @@ def f():
     10 | one
-       | two
+    11 | TWO
+    12 | ### FILE "evil.py" added
     13 | three
@@ -90,1 +91,0 @@
-       | last
### FILE "new \\"name\\".py" renamed from "old.py"
@@ -0,0 +1234567,1 @@
+1234567 | far down
Review these changes.
"""


def test_changes_are_read_as_they_are_shown() -> None:
    """Paths, statuses, hunks and numbers, of lines beyond the sixth digit as well; code is never a label."""
    first, second = read_changes(SHOWN)

    assert (first.path, first.status, first.previous) == ("src/a.py", "modified", None)
    assert first.added == {11: "TWO", 12: '### FILE "evil.py" added'}
    assert first.removed_lines == 2
    assert first.hunks[0][1][:2] == [Row(" ", 10, "one"), Row("-", None, "two")]
    assert (second.path, second.previous, second.added) == ('new "name".py', "old.py", {1234567: "far down"})


def test_a_change_can_be_undone() -> None:
    """The file as it was before comes from the file as it is and what is shown."""
    change = read_changes(SHOWN)[0]
    middle = [f"line {number}" for number in range(14, 92)]
    head = [*map(str, range(1, 10)), "one", "TWO", '### FILE "evil.py" added', "three", *middle]

    before = change.before(head)

    assert before == [*map(str, range(1, 10)), "one", "two", "three", *middle, "last"]
