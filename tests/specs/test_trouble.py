"""GitHub and the model are ill, slow, cut off: the author sees one review."""

import time

import pytest

from local.github.answers import ApiResponse
from local.github.failures import (
    PlannedFailure,
    expired_token,
    primary_limit,
    secondary_limit,
    server_error,
    slow_response,
    truncated_response,
)
from local.model import OFFLINE_MODEL, Script, failure, is_find, is_judge, reporting
from tests.specs.conftest import FALLBACK, GITHUB_SECONDS, Stage
from tests.specs.moods import (
    COMMENTS,
    DISCOUNT,
    FILES,
    REVIEWS,
    SNAPSHOT,
    TOKENS,
    TREES,
    UPDATES,
    assert_reviewed_once,
    questions,
    tries,
)
from tests.specs.pushing import ON_PUSH
from tests.specs.scripts import a_finding, a_report, says

NO_STATUS = PlannedFailure(ApiResponse(200, [{"filename": "src/orders.py"}]))


def test_each_try_goes_on_where_the_last_one_stopped(stage: Stage) -> None:
    """The model is asked once, though four of five tries meet with trouble; each gets a token of its own.

    GitHub gives an answer that nobody expects; it is too ill to list the files, and to take the review, and then the
    token has expired. Something that nobody foresaw ends one try, not the review; the log has its trace.
    """
    stage.model.answers = says(a_report(a_finding()))
    tokens = stage.sent(TOKENS)
    stage.github.fail_next(FILES, NO_STATUS)
    stage.github.fail_next(TREES, server_error(502), times=3)
    stage.github.fail_next(REVIEWS, server_error(503))
    stage.github.fail_next(REVIEWS, expired_token())

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("crashed", 1), ("retry", 2), ("retry", 3), ("retry", 4), ("completed", 5)]
    assert opened.outcomes[0]["reason"] == "KeyError: 'status'"
    traces = [line for line in stage.machine.system.log_lines if line.get("message") == "crashed"]
    assert "changed_files" in traces[-1]["exception"]
    assert stage.waits.over[:3] == [10, 50, 250]
    assert (stage.sent(TOKENS) - tokens, stage.asked) == (5, 2)
    assert_reviewed_once(opened)


def test_a_read_that_is_cut_is_sent_again_at_once(stage: Stage) -> None:
    """Half an answer is none."""
    stage.model.answers = says(a_report(a_finding()))
    for route in (FILES, TREES, COMMENTS):
        stage.github.fail_next(route, truncated_response())

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("completed", 1)]
    assert_reviewed_once(opened)


def test_a_review_whose_answer_is_cut_is_found_by_the_next_try(stage: Stage) -> None:
    """It stands: it is not posted a second time."""
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, truncated_response())

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("completed", 2)]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


def test_a_review_whose_answer_is_too_slow_is_found_by_the_next_try(stage: Stage) -> None:
    """It may stand though nobody heard so; the next try comes when GitHub must be done with it.

    Takes as long as github/timeout-seconds.
    """
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, slow_response(GITHUB_SECONDS + 1))

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [10]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


def test_an_answer_of_the_model_that_is_cut_is_asked_for_again(stage: Stage) -> None:
    """Only that one: what was heard before is kept."""
    broken = reporting(a_report(a_finding())).torn()
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_find, broken).when(is_judge, broken)

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("retry", 2), ("completed", 3)]
    assert (questions(stage, is_find), questions(stage, is_judge), stage.asked) == (2, 2, 4)
    assert_reviewed_once(opened)


def test_a_wait_that_is_asked_for_is_the_queues_and_not_the_functions(stage: Stage) -> None:
    """GitHub's or the model's: the message is hidden for so long, and the function is free meanwhile.

    Nothing that was answered is asked again.
    """
    limited_model = failure(429, retry_after=240)
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_judge, limited_model)
    stage.github.fail_next(SNAPSHOT, secondary_limit(300))
    stage.github.fail_next(FILES, primary_limit(time.time() + 1_800))
    stage.github.fail_next(REVIEWS, secondary_limit(120, status=429))

    opened = stage.open(DISCOUNT)

    *limited, completed = opened.outcomes
    told = [line["after_seconds"] for line in limited]
    assert (told[0], told[2:]) == (300, [240, 120])
    assert 1_740 < told[1] <= 1_800
    assert stage.waits.over == told
    assert [line["outcome"] for line in limited] == ["retry"] * 4
    assert max(line["seconds"] for line in limited) < 60
    assert (completed["outcome"], completed["attempt"]) == ("completed", 5)
    assert questions(stage, is_find) == 1
    assert_reviewed_once(opened)


def test_a_model_without_room_is_waited_for_once_and_then_replaced(stage: Stage) -> None:
    """The fallback model answers every question that the first has no room for, and the details name it."""
    overloaded = Script(otherwise=says(a_report(a_finding())))
    overloaded.when(lambda request: request["model"] == OFFLINE_MODEL, failure(529, retry_after=30), always=True)
    stage.model.answers = overloaded

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [30]
    assert [question["model"] for question in stage.questions] == [OFFLINE_MODEL, *[OFFLINE_MODEL, FALLBACK] * 2]
    assert f"- Model: {FALLBACK}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)


CHECKS = "POST /repos/{owner}/{repo}/check-runs"


@pytest.mark.parametrize("takes_effect", [True, False])
def test_calls_that_end_badly_leave_one_review_and_one_check(stage: Stage, *, takes_effect: bool) -> None:
    """Whether they had their effect or not: the message comes again, and what is there already is found.

    The model is not asked again for what it has answered. The lease is free, and the next push works.
    """
    stage.model.answers = says(a_report(a_finding()))
    busy = ApiResponse(502, {"message": "Server Error"}, headers={"Retry-After": "1"})
    for route in (CHECKS, REVIEWS, UPDATES):
        stage.github.fail_next(route, PlannedFailure(busy, takes_effect=takes_effect))

    opened = stage.open(DISCOUNT, config=ON_PUSH)

    assert len(opened.reviews) == 1
    assert [comment["line"] for comment in opened.comments] == [2]
    [check] = opened.checks(opened.head)
    assert (check["status"], check["conclusion"]) == ("completed", "neutral")
    assert [known.comment_id for known in opened.ledger.findings()] == [str(opened.comments[0]["id"])]
    assert stage.asked == 2
    assert stage.outcome()["attempt"] == 4

    opened.push(stage.commit({"src/more.py": "x = 1\n"}, opened.head))

    assert (len(opened.reviews), len(opened.comments)) == (1, 1)
    assert (stage.outcome()["outcome"], stage.outcome()["mode"]) == ("completed", "incremental")
