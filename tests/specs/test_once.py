"""One review, however the calls end."""

import pytest

from local.github.answers import ApiResponse
from local.github.failures import PlannedFailure
from tests.specs.conftest import Stage
from tests.specs.moods import DISCOUNT, REVIEWS, UPDATES
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says

CHECKS = "POST /repos/{owner}/{repo}/check-runs"


@pytest.mark.parametrize("takes_effect", [True, False])
def test_calls_that_end_badly_leave_one_review_and_one_check(stage: Stage, *, takes_effect: bool) -> None:
    """Whether they had their effect or not: the message comes again, and what is there already is found.

    The model is not asked again for what it has answered. The lease is free, and the next push works.
    """
    stage.model.answers = says(a_report(a_finding()))
    busy = ApiResponse(502, {"message": "Server Error"}, headers={"Retry-After": "1"})
    asked = stage.asked
    for route in (CHECKS, REVIEWS, UPDATES):
        stage.github.fail_next(route, PlannedFailure(busy, takes_effect=takes_effect))

    opened = stage.open(DISCOUNT, config=ON_PUSH)

    assert len(opened.reviews) == 1
    assert [comment["line"] for comment in opened.comments] == [2]
    [check] = opened.checks(opened.head)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert [known.comment_id for known in opened.ledger.findings()] == [str(opened.comments[0]["id"])]
    assert stage.asked - asked == 3
    assert stage.outcome()["attempt"] == 4

    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))

    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("completed", "incremental")
