"""The outcomes of similar findings are shown to the model within its limits."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kodiai.core.memory.recall import fitting, precedent_row, query_text, row_of, rule_row, within
from kodiai.core.memory.rule import Rule
from tests.builders import a_neighbor, a_remembered

NEAR = [a_neighbor(number, problem="x" * 10 * number, distance=number / 10) for number in range(1, 6)]


def test_the_query_has_title_paths_and_symbols() -> None:
    """The title as people see it, without a secret: the service that embeds is somebody else's; 6,000 characters."""
    large = query_text("T", [f"{'p' * 200}{n}" for n in range(500)], [f"symbol{n}" for n in range(5_000)])

    assert query_text("Add totals <!-- it -->", ["a.py", "b.py"], ["total", "Order"]) == (
        "Add totals\n\na.py\nb.py\n\ntotal Order"
    )
    assert query_text("Use sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", [], []) == "Use sk_l…"
    assert len(large) == 6_000


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


def test_the_threshold_itself_is_near_enough_and_the_last_character_decides() -> None:
    """A row that fits exactly is shown; with one character less it is not."""
    row = json.dumps(row_of(NEAR[0].remembered), ensure_ascii=False)

    assert [each.distance for each in within(NEAR, 0.3)] == [0.1, 0.2, 0.3]
    assert len(fitting(NEAR, len(row))[0]) == 1
    assert fitting(NEAR, len(row) - 1) == ((), "")


def test_a_row_says_where_it_was_and_what_it_led_to() -> None:
    """By whom it was dismissed or accepted, and that it was merged as it was; a rule names who asked for it.

    The judge is shown a precedent with its reason, and without what it does not compare.
    """
    given: dict[str, Any] = {"dismissed_by": ("ann", "bob"), "reason": "Refunds are made by hand."}
    about = {"title": "The last page is never fetched", "problem": "A list of eleven ends after ten."}

    assert row_of(a_remembered(12, outcome="wont_fix", accepted_by=("cid",), **given)) == {
        **about,
        "id": "12/F-1",
        "repository": "octo/app",
        "severity": "MEDIUM",
        "category": "correctness",
        "path": "src/app.py",
        "outcome": "won't fix",
        "accepted_by": ("cid",),
        **given,
    }
    assert precedent_row(a_remembered(12, **given)) == {**about, "id": "12/F-1", **given}
    assert rule_row(Rule("R-1", "No docs.", "ann", 3, 9)) == {"id": "R-1", "by": "ann", "rule": "No docs."}
    merged = [row_of(a_remembered(outcome=each, is_merged=True))["outcome"] for each in ("open", "disputed", "fixed")]
    assert merged == ["open when it was merged", "disputed when it was merged", "fixed"]
