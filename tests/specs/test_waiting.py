"""Waits that are asked for, and a model that has no room."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from local.github.failures import PlannedFailure, primary_limit, secondary_limit
from local.model import OFFLINE_MODEL, Script, failure, is_extract, is_find
from tests.specs.conftest import FALLBACK, Stage, a_stage
from tests.specs.moods import (
    DISCOUNT,
    FILES,
    REVIEWS,
    SNAPSHOT,
    assert_reviewed_once,
    questions,
)
from tests.specs.scripts import Json, a_finding, a_report, says


@pytest.mark.parametrize(
    ("route", "limit", "seconds"),
    [
        (SNAPSHOT, lambda: secondary_limit(300), 300),
        (REVIEWS, lambda: secondary_limit(120, status=429), 120),
        (FILES, lambda: primary_limit(time.time() + 1_800), 1_800),
    ],
)
def test_a_wait_that_github_asks_for_is_the_queues_and_not_the_functions(
    stage: Stage, route: str, limit: Callable[[], PlannedFailure], seconds: int
) -> None:
    """The message is hidden for so long, and the function is free meanwhile."""
    stage.model.answers = says(a_report(a_finding()))
    stage.github.fail_next(route, limit())

    opened = stage.open(DISCOUNT)

    limited, completed = opened.outcomes
    assert limited["outcome"] == "retry"
    assert seconds - 60 < limited["after_seconds"] <= seconds
    assert limited["seconds"] < 60
    assert stage.waits.over == [limited["after_seconds"]]
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    assert_reviewed_once(opened)


def test_a_wait_that_the_model_asks_for_is_the_queues_and_not_the_functions(stage: Stage) -> None:
    """The same, and nothing that was answered is asked again."""
    report = a_report(a_finding())
    stage.model.answers = Script(otherwise=says(report)).when(is_extract, failure(429, retry_after=240))
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    limited, completed = opened.outcomes
    assert (limited["outcome"], limited["after_seconds"]) == ("retry", 240)
    assert limited["seconds"] < 60
    assert stage.waits.over == [240]
    assert (completed["outcome"], completed["attempt"]) == ("completed", 2)
    assert questions(stage, asked, is_find) == 1
    assert_reviewed_once(opened)


def overloaded(report: Json, *, until: int | None = None) -> Script:
    """A model that has no room, the first so many times or for ever; every other one reports."""
    refused = failure(529, retry_after=30)
    script = Script(otherwise=says(report))
    if until is None:
        return script.when(lambda request: request["model"] == OFFLINE_MODEL, refused, always=True)
    return script.when(lambda request: request["model"] == OFFLINE_MODEL, *[refused] * until)


def models_asked(stage: Stage, since: int) -> list[str]:
    assert stage.machine.model is not None
    return [recorded.body["model"] for recorded in stage.machine.model.requests[since:]]


def test_a_model_without_room_is_waited_for_once_and_then_replaced(stage: Stage) -> None:
    """The fallback model answers every question that the first has no room for, and the details name it."""
    stage.model.answers = overloaded(a_report(a_finding()))
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert [(line["outcome"], line["attempt"]) for line in opened.outcomes] == [("retry", 1), ("completed", 2)]
    assert stage.waits.over == [30]
    assert models_asked(stage, asked) == [OFFLINE_MODEL, *[OFFLINE_MODEL, FALLBACK] * 3]
    assert f"- Model: {FALLBACK}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)


def test_a_model_that_has_room_again_is_not_replaced(stage: Stage) -> None:
    """The second try asks it first."""
    stage.model.answers = overloaded(a_report(a_finding()), until=1)
    asked = stage.asked

    opened = stage.open(DISCOUNT)

    assert models_asked(stage, asked) == [OFFLINE_MODEL] * 4
    assert f"- Model: {OFFLINE_MODEL}, " in opened.reviews[0]["body"]
    assert_reviewed_once(opened)


def test_without_a_fallback_model_there_is_only_waiting(tmp_path: Path) -> None:
    """An operator who names none gets answers of the models that were chosen, however long it takes."""
    with a_stage(tmp_path, stack_parameters={"FallbackModel": ""}) as stage:
        stage.model.answers = overloaded(a_report(a_finding()), until=3)

        opened = stage.open(DISCOUNT)

        assert [line["outcome"] for line in opened.outcomes] == ["retry", "retry", "retry", "completed"]
        assert set(models_asked(stage, 0)) == {OFFLINE_MODEL}
        assert_reviewed_once(opened)
