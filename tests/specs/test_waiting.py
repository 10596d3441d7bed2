"""Waits that are asked for, and a model that has no room."""

import time

from local.github.failures import primary_limit, secondary_limit
from local.model import OFFLINE_MODEL, Script, failure, is_extract, is_find
from tests.specs.conftest import FALLBACK, Stage
from tests.specs.moods import DISCOUNT, FILES, REVIEWS, SNAPSHOT, assert_reviewed_once, questions, tries
from tests.specs.scripts import a_finding, a_report, says


def test_a_wait_that_is_asked_for_is_the_queues_and_not_the_functions(stage: Stage) -> None:
    """GitHub's or the model's: the message is hidden for so long, and the function is free meanwhile.

    Nothing that was answered is asked again.
    """
    limited_model = failure(429, retry_after=240)
    stage.model.answers = Script(otherwise=says(a_report(a_finding()))).when(is_extract, limited_model)
    stage.github.fail_next(SNAPSHOT, secondary_limit(300))
    stage.github.fail_next(FILES, primary_limit(time.time() + 1_800))
    stage.github.fail_next(REVIEWS, secondary_limit(120, status=429))
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    *limited, completed = opened.outcomes
    told = [line["after_seconds"] for line in limited]
    assert (told[0], told[2:]) == (300, [240, 120])
    assert 1_740 < told[1] <= 1_800
    assert stage.waits.over == told
    assert [line["outcome"] for line in limited] == ["retry"] * 4
    assert max(line["seconds"] for line in limited) < 60
    assert (completed["outcome"], completed["attempt"]) == ("completed", 5)
    assert questions(stage, asked, is_find) == 1
    assert_reviewed_once(opened)


def models_asked(stage: Stage, since: int) -> list[str]:
    assert stage.machine.model is not None
    return [recorded.body["model"] for recorded in stage.machine.model.requests[since:]]


def test_a_model_without_room_is_waited_for_once_and_then_replaced(stage: Stage) -> None:
    """The fallback model answers every question that the first has no room for, and the details name it."""
    overloaded = Script(otherwise=says(a_report(a_finding())))
    overloaded.when(lambda request: request["model"] == OFFLINE_MODEL, failure(529, retry_after=30), always=True)
    stage.model.answers = overloaded
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert tries(opened) == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [30]
    assert models_asked(stage, asked) == [OFFLINE_MODEL, *[OFFLINE_MODEL, FALLBACK] * 3]
    assert f"- Model: {FALLBACK}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)
