"""Following one delivery through what several functions log about it."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from local.follower import DeliveryFailed, Follower


def line(function: str, outcome: str, delivery: str = "guid-1", **more: Any) -> Mapping[str, Any]:
    fields = {"message": "outcome", "reason": "why", **more}
    return {"function": f"{function}Function", "outcome": outcome, "delivery": delivery, **fields}


def following(*lines: Mapping[str, Any], **patience: Any) -> Follower:
    """A follower that has already heard these."""
    listeners: list[Callable[[Mapping[str, Any]], None]] = []
    follower = Follower(listeners.append, **patience)
    for each in lines:
        listeners[0](each)
    return follower


def silent(_: str) -> None:
    """Report nothing."""


QUEUED, ANSWERED = line("Ingest", "queued"), line("Mention", "done", review=True)
REVIEWED = line("Review", "completed", "guid-1.1", run="r1")


@pytest.mark.parametrize(
    "lines", [[QUEUED, ANSWERED, REVIEWED], [REVIEWED, QUEUED, ANSWERED], [QUEUED, REVIEWED, ANSWERED]]
)
def test_an_answer_and_the_review_that_it_requests_are_distinguished(lines: Sequence[Mapping[str, Any]]) -> None:
    """They have one delivery, and may be logged in any order."""
    follower = following(line("Mention", "read", "other"), *lines)

    answered = follower.outcome("guid-1", 1, silent, of="MentionFunction")
    reviewed = follower.outcome("guid-1", 1, silent, known="reviewing")

    assert (answered, reviewed) == (ANSWERED, REVIEWED)


def test_the_outcome_of_ingest_counts_where_nothing_was_queued() -> None:
    """No other function will ever log anything about it."""
    nothing = line("Ingest", "nothing", status=200)

    assert following(nothing).outcome("guid-1", 1, silent, of="MentionFunction") == nothing


def test_failed_attempts_are_waited_for_and_the_last_one_is_reported() -> None:
    """A dead letter has no further attempt."""
    failed = line("Mention", "crashed", reason="ValueError: no", after_seconds=10)
    steps: list[str] = []

    with pytest.raises(DeliveryFailed, match=r"^ValueError: no$"):
        following(QUEUED, failed, {**failed, "buried": True}).outcome("guid-1", 1, steps.append, of="MentionFunction")

    assert steps == ["delivering the webhook", "answering", "waiting 10 s to try again: ValueError: no"]


@pytest.mark.parametrize(
    ("lines", "waits", "after"),
    [
        (
            [line("Review", "retry", after_seconds=0.1), line("Review", "retry", after_seconds=250)],
            ["waiting 0 s to try again: why", "waiting 1 s to try for the last time: why"],
            0.6,
        ),
        (
            [{"function": "ReviewFunction", "text": "guid-1 Task timed out after 600.00 seconds"}],
            ["waiting 1 s to try for the last time: guid-1 Task timed out after 600.00 seconds"],
            0.7,
        ),
        ([line("Review", "retry", after_seconds=10), REVIEWED], ["waiting 1 s to try for the last time: why"], None),
    ],
)
def test_failed_attempts_wait_no_longer_than_the_patience_in_all(
    lines: Sequence[Mapping[str, Any]], waits: list[str], after: float | None
) -> None:
    """The rest of it comes before the last attempt; a killed function would wait for its queue's timeout."""
    steps: list[str] = []
    ended: list[float] = []
    started = time.monotonic()
    follower = following(*lines, end_waits=lambda: ended.append(time.monotonic() - started), patience_seconds=0.7)

    if after is None:
        follower.outcome("guid-1", 1, steps.append)
    else:
        with pytest.raises(DeliveryFailed, match=r"^no outcome after 0 seconds: waiting"):
            follower.outcome("guid-1", 0.3, steps.append)

    assert [each for each in dict.fromkeys(steps) if each.startswith("waiting")] == waits
    assert [each >= (after or 0) for each in ended[:1]] == ([] if after is None else [True])
