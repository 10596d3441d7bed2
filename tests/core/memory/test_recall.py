"""What similar findings led to is shown to the model within its limits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.memory.recall import fitting, precedent_row, query_text, row_of, rule_row, within
from kodiai.core.memory.rule import Rule
from tests.builders import a_neighbor, a_remembered

NEAR = [a_neighbor(number, problem="x" * 10 * number, distance=number / 10) for number in range(1, 6)]


def test_the_query_has_title_paths_and_symbols() -> None:
    """The title as people see it."""
    found = query_text("Add totals <!-- hidden -->", ["a.py", "b.py"], ["total", "Order"])

    assert found == "Add totals\n\na.py\nb.py\n\ntotal Order"


def test_a_secret_in_the_title_stays_here() -> None:
    """The service that embeds is somebody else's."""
    assert query_text("Use sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", [], []) == "Use sk_l…"


def test_a_large_change_has_a_query_of_limited_length() -> None:
    """The first paths and symbols are enough to find something."""
    found = query_text("T", [f"{'p' * 200}{n}" for n in range(500)], [f"symbol{n}" for n in range(5_000)])

    assert len(found) == 6_000


def test_only_what_is_near_enough_counts() -> None:
    """The threshold itself is near enough."""
    assert [each.distance for each in within(NEAR, 0.3)] == [0.1, 0.2, 0.3]


@given(st.integers(0, 2_500))
def test_the_rows_never_have_more_characters_than_allowed(limit: int) -> None:
    """The nearest come first, whole; one that does not fit ends the list."""
    shown, rows = fitting(NEAR, limit)

    assert len(rows) <= limit
    assert shown == tuple(NEAR[: len(shown)])
    assert [json.loads(row) for row in rows.splitlines()] == [
        json.loads(json.dumps(row_of(each.remembered))) for each in shown
    ]
    if len(shown) < len(NEAR):
        following = json.dumps(row_of(NEAR[len(shown)].remembered), ensure_ascii=False)
        assert len(rows) + bool(rows) + len(following) > limit


def test_the_last_character_decides() -> None:
    """A row that fits exactly is shown; with one character less it is not."""
    [row] = [json.dumps(row_of(NEAR[0].remembered), ensure_ascii=False)]

    assert len(fitting(NEAR, len(row))[0]) == 1
    assert fitting(NEAR, len(row) - 1) == ((), "")


def test_a_precedent_is_shown_with_what_the_person_said_who_dismissed_it() -> None:
    """And without what the judge does not compare."""
    assert precedent_row(a_remembered(12, dismissed_by=("ann",), reason="Refunds are made by hand.")) == {
        "id": "12/F-1",
        "title": "The last page is never fetched",
        "problem": "A list of eleven ends after ten.",
        "dismissed_by": ("ann",),
        "reason": "Refunds are made by hand.",
    }


def test_a_row_says_where_it_was_and_what_it_led_to() -> None:
    """By whom and where it was dismissed or accepted."""
    found = row_of(a_remembered(12, outcome="wont_fix", dismissed_by=("ann", "bob"), accepted_by=("cid",)))

    assert found == {
        "id": "12/F-1",
        "repository": "octo/app",
        "severity": "MEDIUM",
        "category": "correctness",
        "path": "src/app.py",
        "title": "The last page is never fetched",
        "problem": "A list of eleven ends after ten.",
        "outcome": "won't fix",
        "accepted_by": ("cid",),
        "dismissed_by": ("ann", "bob"),
    }


@pytest.mark.parametrize(
    ("outcome", "words"),
    [("open", "open when it was merged"), ("disputed", "disputed when it was merged"), ("fixed", "fixed")],
)
def test_a_row_says_that_it_was_merged_as_it_was(outcome: str, words: str) -> None:
    """Nobody fixed it, and nobody said why."""
    assert row_of(a_remembered(outcome=outcome, is_merged=True))["outcome"] == words


def test_a_rule_names_who_asked_for_it() -> None:
    """By its id the judge can say which rule it follows."""
    assert rule_row(Rule("R-1", "No docstrings.", "ann", 3, 9)) == {"id": "R-1", "by": "ann", "rule": "No docstrings."}
