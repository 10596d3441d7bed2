"""Access that is withdrawn: before, in the middle, behind the review."""

import pytest

from local.github.failures import PlannedFailure, forbidden_field
from tests.specs.conftest import Stage
from tests.specs.moods import (
    DISCOUNT,
    FORBIDDEN,
    NOT_FOUND,
    NOTHING_THERE,
    REVIEWS,
    SNAPSHOT,
    TARBALL,
    TOKENS,
    UPDATES,
    assert_reviewed_once,
)
from tests.specs.scripts import a_finding, a_report, says


@pytest.mark.parametrize(
    ("route", "trouble"), [(SNAPSHOT, NOTHING_THERE), (SNAPSHOT, FORBIDDEN), (TOKENS, NOT_FOUND), (TOKENS, FORBIDDEN)]
)
def test_without_access_from_the_start_nothing_is_written(stage: Stage, route: str, trouble: PlannedFailure) -> None:
    """It is refused once and not tried again; the next event after access is back is dealt with at once."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert (opened.reviews, opened.checks(opened.head)) == ([], [])
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert_reviewed_once(opened)


@pytest.mark.parametrize(
    ("route", "trouble", "why"),
    [(TARBALL, NOT_FOUND, "Not Found"), (REVIEWS, FORBIDDEN, "Resource not accessible by integration")],
)
def test_access_that_is_withdrawn_in_the_middle_is_told_by_the_check(
    stage: Stage, route: str, trouble: PlannedFailure, why: str
) -> None:
    """Nothing is posted; once access is back, the next event leads to the one review."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert opened.reviews == []
    assert (opened.check["status"], opened.check["output"]["title"]) == ("completed", "Not reviewed")
    assert why in opened.check["output"]["summary"]
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_where_not_even_the_check_may_be_written_the_run_waits_for_access(stage: Stage) -> None:
    """The next event carries it through: the review as it was written down, the check that was opened."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(REVIEWS, FORBIDDEN)
    stage.github.fail_next(UPDATES, FORBIDDEN)

    opened = stage.open(DISCOUNT)

    assert [line["outcome"] for line in opened.outcomes] == ["refused"]
    assert opened.reviews == []
    asked = stage.asked
    opened.ask_for_review()
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes[1:]] == [("completed", 1)]
    assert stage.asked == asked
    assert_reviewed_once(opened)


@pytest.mark.parametrize("forbidden", [(UPDATES,), (UPDATES, UPDATES)])
def test_access_that_is_withdrawn_behind_the_review_leads_to_no_second_one(
    stage: Stage, forbidden: tuple[str, ...]
) -> None:
    """Whatever of the rest could not be done: the next event finds the review and does only that."""
    stage.model.answers = says(a_report(a_finding()))
    for route in forbidden:
        stage.github.fail_next(route, forbidden_field("updateCheckRun"))

    opened = stage.open(DISCOUNT)
    opened.ask_for_review()

    assert_reviewed_once(opened)
