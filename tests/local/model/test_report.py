"""A report by the tools loses nothing, and changes are as they are read back."""

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.findings.report import ReportedFinding
from local.model import a_report, reporting
from local.model.changes import ChangedLine, read_changes

ANY = st.text(max_size=40)
FINDINGS = st.lists(
    st.fixed_dictionaries(
        {
            **dict.fromkeys(("title", "path", "quote", "explanation"), ANY),
            "severity": st.just("MINOR"),
            "category": st.just("tests"),
            "kind": st.just("impact"),
            **dict.fromkeys(("start_line", "end_line"), st.integers(1, 9)),
            "replacement": st.none() | ANY,
            "pre_existing": st.booleans(),
        }
    ),
    max_size=3,
)


@given(ANY, FINDINGS, st.lists(st.fixed_dictionaries({"finding": ANY, "why": ANY}), max_size=3))
def test_a_report_is_one_turn_of_calls_in_the_engines_own_forms(
    what_changed: str, findings: list[dict[str, object]], earlier: list[dict[str, str]]
) -> None:
    """Any field may have any text; it finishes last, with the summary if there is one."""
    *calls, last = reporting(a_report(what_changed, findings, earlier)).content

    read = [ReportedFinding.model_validate(each["input"]).finding for each in calls[: len(findings)]]
    assert [each.model_dump(include={*findings[0]}) for each in read] == findings if findings else read == []
    assert [each["input"] for each in calls[len(findings) :]] == earlier
    assert (last["name"], last["input"]) == ("finish", {"what_changed": what_changed} if what_changed else {})


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
      1 | from .a import b
names nothing any more: ".a" (was "a.py")
@@ -0,0 +1234567,1 @@
+1234567 | far down
Review these changes.
"""


def test_changes_are_read_as_they_are_shown() -> None:
    """Paths, statuses, hunks and numbers, of lines beyond the sixth digit as well; code is never a label."""
    first, second = read_changes(SHOWN)

    assert (first.path, first.status, first.previous) == ("src/a.py", "modified", None)
    assert first.added == {11: "TWO", 12: '### FILE "evil.py" added'}
    assert first.removed == ["two", "last"]
    assert first.hunks[0][1][:2] == [ChangedLine(" ", 10, "one"), ChangedLine("-", None, "two")]
    assert (second.path, second.previous, second.added) == ('new "name".py', "old.py", {1234567: "far down"})


def test_a_change_can_be_undone() -> None:
    """The file as it was before comes from the file as it is and what is shown."""
    change = read_changes(SHOWN)[0]
    middle = [f"line {number}" for number in range(14, 92)]
    head = [*map(str, range(1, 10)), "one", "TWO", '### FILE "evil.py" added', "three", *middle]

    before = change.before(head)

    assert before == [*map(str, range(1, 10)), "one", "two", "three", *middle, "last"]
