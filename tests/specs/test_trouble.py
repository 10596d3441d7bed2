"""GitHub and the model are ill, slow, cut off: the author sees one review."""

from local.github.answers import ApiResponse
from local.github.failures import PlannedFailure, expired_token, server_error, slow_response, truncated_response
from local.model import Script, is_extract, is_find, json_reply
from tests.specs.conftest import GITHUB_SECONDS, Stage
from tests.specs.moods import (
    ARCHIVE,
    COMMENTS,
    DISCOUNT,
    FILES,
    REVIEWS,
    TOKENS,
    assert_reviewed_once,
    questions,
    tries,
)
from tests.specs.scripts import a_finding, a_report, says

NO_STATUS = PlannedFailure(ApiResponse(200, [{"filename": "src/orders.py"}]))
HALF_AN_ARCHIVE = PlannedFailure(ApiResponse(200, raw=b"\x1f\x8b\x08\x00", media_type="application/x-gzip"))


def test_each_try_goes_on_where_the_last_one_stopped(stage: Stage) -> None:
    """The model is asked once, though four of five tries meet with trouble; each gets a token of its own.

    GitHub gives an answer that nobody expects, an archive that ends early; it is too ill to take the review, and
    then the token has expired. Something that nobody foresaw ends one try, not the review; the log has its trace.
    """
    stage.model.answers = says(a_report(a_finding()))
    asked, tokens = stage.asked, stage.sent(TOKENS)
    stage.github.fail_next(FILES, NO_STATUS)
    stage.github.fail_next(ARCHIVE, HALF_AN_ARCHIVE)
    stage.github.fail_next(REVIEWS, server_error(503))
    stage.github.fail_next(REVIEWS, expired_token())

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("crashed", 1), ("retry", 2), ("retry", 3), ("retry", 4), ("completed", 5)]
    assert opened.outcomes[0]["reason"] == "KeyError: 'status'"
    traces = [line for line in stage.machine.system.log_lines if line.get("message") == "crashed"]
    assert "changed_files" in traces[-1]["exception"]
    assert stage.waits.over[:3] == [10, 50, 250]
    assert stage.sent(TOKENS) - tokens == 5
    assert stage.asked - asked == 3
    assert_reviewed_once(opened)


def test_a_read_that_is_cut_is_sent_again_at_once(stage: Stage) -> None:
    """Half an answer is none."""
    stage.model.answers = says(a_report(a_finding()))
    for route in (FILES, ARCHIVE, COMMENTS):
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
    broken = json_reply(a_report(a_finding())).torn()
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_find, broken).when(is_extract, broken)
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("retry", 2), ("completed", 3)]
    assert (questions(stage, asked, is_find), questions(stage, asked, is_extract)) == (2, 2)
    assert stage.asked - asked == 5
    assert_reviewed_once(opened)
