"""A failed required check in a review: it is named, and never lets merge."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from kodiai.core.changes.snapshot import Coverage
from kodiai.core.github.ci import CiCheck, CiResults
from kodiai.core.judge.delta import WHOLE, Delta, delta
from kodiai.core.review.check import closing_check
from kodiai.core.words import check as check_words
from kodiai.core.words.review import first_review, re_review
from kodiai.core.words.verdict import headline, headline_again
from tests.builders import HEAD, LINKS, a_finding, a_scope, followed, kept, some_details
from tests.review_form import review_faults
from tests.tables import each_row

LETS_MERGE = re.compile(r"ready to merge|still ready|blockers resolved|nothing blocking", re.IGNORECASE)
STATES = ("success", "neutral", "skipped", "pending", "stale", "cancelled", "action_required", "failure", "error")
NAMES = ("build", "lint / ubuntu (3.12)", "@octo/team", "**[x](https://evil.example)**", "a\u202eb", "n" * 200)
FINDINGS = (a_finding(), a_finding(severity="MINOR", title="The name says little"))
COVERAGES = (WHOLE, Coverage(3, 2), Coverage(0, 0), Coverage(1, 0, not_read=(("logo.png", "binary file"),)))

CHECKS = st.builds(CiCheck, st.sampled_from(NAMES), st.sampled_from(STATES), is_required=st.booleans())
DELTAS = st.builds(
    lambda new, before, coverage, checks: delta([kept(each) for each in new], before, coverage, ci=CiResults(checks)),
    st.lists(st.sampled_from(FINDINGS), max_size=2, unique_by=id),
    st.lists(st.sampled_from([followed(FINDINGS[0]), followed(FINDINGS[0], "resolved"), followed(FINDINGS[1])])),
    st.sampled_from(COVERAGES),
    st.lists(CHECKS, max_size=6).map(tuple),
)


@settings(max_examples=60)
@given(DELTAS)
def test_no_review_lets_merge_over_a_failed_required_check(changes: Delta) -> None:
    """Neither its first line, nor its section, nor its check run; each failed one is named, or counted."""
    first = first_review(a_scope(), changes, [], some_details())
    again = re_review(a_scope(), changes, [], some_details(), HEAD)
    title, summary = check_words.reviewed(changes, LINKS, again=False)
    titles = [title, check_words.unchanged(HEAD, changes, LINKS)[0], headline_again(changes).plain]

    for text in [first, again, *titles]:
        assert ("CI is red (" in text) == changes.ci.is_red, text
        if changes.ci.failed_required:
            assert not LETS_MERGE.search(text), text
    if changes.ci.failed_required:
        assert closing_check(title, summary, changes, "never", "kodiai").conclusion != "success"
    faults = {*review_faults(first), *review_faults(again)}
    assert faults <= {"nothing new, nothing resolved, nothing open"}  # no such re-review is posted


@each_row(
    ("checks", "line"),
    [
        ([("b", "failure", True), ("a", "timed_out", True)], "CI is red (b, a) · nothing found in 1 file"),
        ([("b", "failure", True), ("a", "failure", False)], "CI is red (b) · nothing found in 1 file"),
        ([("b", "cancelled", True)], "CI is red (b) · nothing found in 1 file"),
        ([("b", "cancelled", False)], "Ready to merge · nothing found in 1 file"),
        ([("b", "pending", True)], "Ready to merge · nothing found in 1 file"),
        ([("a", "error", False)], "Ready to merge · nothing found in 1 file · CI is red (a, not required)"),
        ([("b", "failure", True)] * 2, "CI is red (b) · nothing found in 1 file"),
        ([(name, "failure", True) for name in "abcde"], "CI is red (a, b, c and 2 more) · nothing found in 1 file"),
        ([(f"a\u202e\n{'x' * 70}", "error", True)], f"CI is red (a {'x' * 58}…) · nothing found in 1 file"),
    ],
)
def test_failed_checks_are_named_in_the_first_line(checks: list[tuple[str, str, bool]], line: str) -> None:
    """Required ones alone, where there are some; what is cancelled has failed where it is required."""
    found = tuple(CiCheck(name, state, is_required=required) for name, state, required in checks)

    assert headline(delta([], [], ci=CiResults(found))).plain == line


@each_row(
    ("states", "is_whole", "is_green"),
    [
        (["success", "neutral", "skipped"], True, True),
        (["success", "pending"], True, False),
        (["success", "stale"], True, False),
        (["success"], False, False),
        ([], True, False),
    ],
)
def test_green_is_what_was_reported_and_passed(states: list[str], is_whole: bool, is_green: bool) -> None:
    """Only required checks count; nothing that is not shown, or has not run, is taken for passed."""
    checks = tuple(CiCheck(f"{at}", state, is_required=True) for at, state in enumerate(states))

    assert CiResults((*checks, CiCheck("lint", "failure")), is_whole).is_green == is_green
