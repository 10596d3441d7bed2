"""One review, however the calls end."""

import pytest

from local.github.answers import ApiResponse
from local.github.failures import PlannedFailure
from tests.specs.conftest import Stage
from tests.specs.scripts import a_finding, a_report, says

DISCOUNT = {"src/orders.py": "def total(prices, discount):\n    return sum(prices) + discount\n"}
REVIEWS = "POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews"
CHECKS = "POST /repos/{owner}/{repo}/check-runs"
UPDATES = "POST /graphql updateCheckRun"


@pytest.mark.parametrize("route", [REVIEWS, CHECKS, UPDATES])
@pytest.mark.parametrize("takes_effect", [True, False])
def test_a_call_that_ends_badly_leaves_one_review_and_one_check(
    stage: Stage, route: str, *, takes_effect: bool
) -> None:
    """Whether it had its effect or not: the message comes again, and what is there already is found.

    The model is not asked again for what it has answered.
    """
    stage.model.answers = says(a_report(a_finding()))
    busy = ApiResponse(502, {"message": "Server Error"}, headers={"Retry-After": "1"})
    asked = stage.asked
    stage.github.fail_next(route, PlannedFailure(busy, takes_effect=takes_effect))

    opened = stage.open(DISCOUNT)

    assert len(opened.reviews) == 1
    assert [comment["line"] for comment in opened.comments] == [2]
    [check] = opened.checks(opened.head)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert [known.comment_id for known in opened.ledger.findings()] == [str(opened.comments[0]["id"])]
    assert stage.asked - asked == 3
    assert stage.outcome()["attempt"] == 2


def test_the_next_push_of_a_pull_request_works_after_a_bad_one(stage: Stage) -> None:
    """The lease is free, nothing of the first try is in the way."""
    stage.model.answers = says(a_report(a_finding()))
    busy = ApiResponse(502, {"message": "Server Error"}, headers={"Retry-After": "1"})
    stage.github.fail_next(REVIEWS, PlannedFailure(busy, takes_effect=True))
    opened = stage.open(DISCOUNT, config="review:\n  triggers:\n    onSynchronize: true\n")

    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))

    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("completed", "incremental")
