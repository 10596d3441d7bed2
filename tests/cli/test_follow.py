"""Following one delivery through what several functions say of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from cli.follow import Follower, Unfinished


def line(function: str, outcome: str, delivery: str = "guid-1", **more: Any) -> Mapping[str, Any]:
    told = {"message": "outcome", "reason": "why", **more}
    return {"function": f"{function}Function", "outcome": outcome, "delivery": delivery, **told}


def following(*lines: Mapping[str, Any]) -> Follower:
    """A follower that has already heard these."""
    listeners: list[Callable[[Mapping[str, Any]], None]] = []
    follower = Follower(listeners.append)
    for each in lines:
        listeners[0](each)
    return follower


def silent(_: str) -> None:
    """Tell nobody."""


QUEUED, ANSWERED = line("Ingest", "queued"), line("Mention", "done", review=True)
REVIEWED = line("Review", "completed", "guid-1.1", run="r1")


@pytest.mark.parametrize(
    "lines", [[QUEUED, ANSWERED, REVIEWED], [REVIEWED, QUEUED, ANSWERED], [QUEUED, REVIEWED, ANSWERED]]
)
def test_an_answer_and_the_review_that_it_leads_to_are_told_apart(lines: Sequence[Mapping[str, Any]]) -> None:
    """They have one delivery, and may be heard in any order."""
    follower = following(line("Mention", "read", "other"), *lines)

    answered = follower.outcome("guid-1", 1, silent, of="MentionFunction")
    reviewed = follower.outcome("guid-1", 1, silent, known="reviewing")

    assert (answered, reviewed) == (ANSWERED, REVIEWED)


def test_what_ingest_puts_nowhere_is_the_outcome() -> None:
    """No other function will ever say anything of it."""
    nothing = line("Ingest", "nothing", status=200)

    assert following(nothing).outcome("guid-1", 1, silent, of="MentionFunction") == nothing


def test_a_try_that_fails_is_waited_out_and_the_last_one_is_told() -> None:
    """A message that went to the dead letters comes to nothing more."""
    failed = line("Mention", "crashed", reason="ValueError: no")
    steps: list[str] = []

    with pytest.raises(Unfinished, match=r"^ValueError: no$"):
        following(QUEUED, failed, {**failed, "buried": True}).outcome("guid-1", 1, steps.append, of="MentionFunction")

    assert steps == ["delivering the webhook", "answering", "waiting to try again: ValueError: no"]
