"""GitHub and the model are ill, slow, cut off: the author sees one review."""

from collections.abc import Callable

import pytest

from local.github.answers import ApiResponse
from local.github.failures import (
    PlannedFailure,
    expired_token,
    refusal,
    server_error,
    slow_response,
    truncated_response,
)
from local.model import Request, Script, is_extract, is_find, json_reply
from tests.specs.conftest import GITHUB_SECONDS, Stage
from tests.specs.moods import ARCHIVE, COMMENTS, DISCOUNT, FILES, REVIEWS, TOKENS, assert_reviewed_once, questions
from tests.specs.scripts import a_finding, a_report, says


@pytest.mark.parametrize("trouble", [refusal(409, {"message": "Conflict"}), server_error(502), server_error(503)])
def test_a_review_that_github_is_too_ill_to_take_is_posted_by_the_next_try(
    stage: Stage, trouble: PlannedFailure
) -> None:
    """The model is not asked again."""
    stage.model.answers = says(a_report(a_finding()))
    asked = stage.asked
    stage.github.fail_next(REVIEWS, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [10]
    assert stage.asked - asked == 3
    assert_reviewed_once(opened)


def test_a_token_that_expires_in_the_middle_is_replaced(stage: Stage) -> None:
    """The next try gets one of its own, and goes on where the last one stopped."""
    stage.model.answers = says(a_report(a_finding()))
    asked, tokens = stage.asked, stage.sent(TOKENS)
    stage.github.fail_next(REVIEWS, expired_token())

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.sent(TOKENS) - tokens == 2
    assert stage.asked - asked == 3
    assert_reviewed_once(opened)


def test_an_answer_that_nobody_expects_is_tried_again_and_told(stage: Stage) -> None:
    """Something that nobody foresaw ends one try, not the review; the log has its trace."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(FILES, PlannedFailure(ApiResponse(200, [{"filename": "src/orders.py"}])))

    opened = stage.open(DISCOUNT)

    crashed, completed = opened.outcomes
    assert (crashed["outcome"], crashed["reason"]) == ("crashed", "KeyError: 'status'")
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    traces = [line for line in stage.machine.system.log_lines if line.get("message") == "crashed"]
    assert "changed_files" in traces[-1]["exception"]
    assert_reviewed_once(opened)


def test_an_answer_that_is_slow_changes_nothing(stage: Stage) -> None:
    """As long as it comes within github/timeout-seconds."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(REVIEWS, slow_response(GITHUB_SECONDS / 4))

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_a_read_that_is_too_slow_is_sent_again_at_once(stage: Stage) -> None:
    """Reading does no harm. Takes as long as github/timeout-seconds."""
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(FILES)
    stage.github.fail_next(FILES, slow_response(GITHUB_SECONDS + 1))

    opened = stage.open(DISCOUNT)

    assert stage.sent(FILES) - before == 2
    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_a_review_whose_answer_is_too_slow_is_found_by_the_next_try(stage: Stage) -> None:
    """It may stand though nobody heard so; the next try comes when GitHub must be done with it.

    Takes as long as github/timeout-seconds.
    """
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, slow_response(GITHUB_SECONDS + 1))

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [10]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


@pytest.mark.parametrize(
    ("route", "trouble"),
    [
        (FILES, truncated_response()),
        (FILES, PlannedFailure(ApiResponse(200, raw=b'[{"sha": "f00'))),
        (ARCHIVE, truncated_response()),
        (ARCHIVE, PlannedFailure(drops_connection=True)),
        (COMMENTS, truncated_response()),
    ],
)
def test_a_read_that_is_cut_is_sent_again_at_once(stage: Stage, route: str, trouble: PlannedFailure) -> None:
    """Half an answer is none."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("completed", 1)]
    assert_reviewed_once(opened)


def test_an_archive_that_ends_early_is_fetched_again_by_the_next_try(stage: Stage) -> None:
    """It came as a whole answer, and holds half an archive."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(
        ARCHIVE, PlannedFailure(ApiResponse(200, raw=b"\x1f\x8b\x08\x00", media_type="application/x-gzip"))
    )

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert_reviewed_once(opened)


@pytest.mark.parametrize(
    "trouble", [truncated_response(), PlannedFailure(ApiResponse(200, raw=b'{"id": 21'), takes_effect=True)]
)
def test_a_review_whose_answer_is_cut_is_found_by_the_next_try(stage: Stage, trouble: PlannedFailure) -> None:
    """It stands: it is not posted a second time."""
    stage.model.answers = says(a_report(a_finding()))
    before = stage.sent(REVIEWS)
    stage.github.fail_next(REVIEWS, trouble)

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.sent(REVIEWS) - before == 1
    assert_reviewed_once(opened)


@pytest.mark.parametrize("picks", [is_find, is_extract])
def test_an_answer_of_the_model_that_is_cut_is_asked_for_again(stage: Stage, picks: Callable[[Request], bool]) -> None:
    """Only that one: what was heard before is kept."""
    broken = json_reply(a_report(a_finding())).torn()
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(picks, broken)
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert questions(stage, asked, picks) == 2
    assert stage.asked - asked == 4
    assert_reviewed_once(opened)
