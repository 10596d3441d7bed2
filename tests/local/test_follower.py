"""Following one delivery through what several functions log about it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from local.follower import DeliveryFailed, Follower


def line(function: str, outcome: str, delivery: str = "guid-1", **more: Any) -> Mapping[str, Any]:
    fields = {"message": "outcome", "reason": "why", **more}
    return {"function": f"{function}Function", "outcome": outcome, "delivery": delivery, **fields}


def following(*lines: Mapping[str, Any]) -> Follower:
    """A follower that has already heard these."""
    listeners: list[Callable[[Mapping[str, Any]], None]] = []
    follower = Follower(listeners.append)
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
    failed = line("Mention", "crashed", reason="ValueError: no")
    steps: list[str] = []

    with pytest.raises(DeliveryFailed, match=r"^ValueError: no$"):
        following(QUEUED, failed, {**failed, "buried": True}).outcome("guid-1", 1, steps.append, of="MentionFunction")

    assert steps == ["delivering the webhook", "answering", "waiting to try again: ValueError: no"]
