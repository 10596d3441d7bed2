"""The benchmark of a burst, at its smallest."""

from collections import Counter
from random import Random

import pytest

from bench.burst import _acts, measure, table


def test_the_first_act_on_every_pull_request_opens_it() -> None:
    """The number of acts is the requested one."""
    acts = _acts(200, 20, Random(1))

    assert len(acts) == 200
    opened = {number: turn for turn, what, number in acts if what == "open"}
    assert len(opened) == 20
    assert all(turn >= opened[number] for turn, _, number in acts)
    assert set(Counter(what for _, what, _ in acts)) == {"open", "push", "describe"}


@pytest.mark.proof  # it goes against the clock, for a minute or two
def test_a_small_burst_misses_nothing_and_reviews_nothing_twice() -> None:
    """Lost webhooks are redelivered, and what is lost all the same is found by its missing run."""
    burst = measure(100, 8, failing=0.05)

    assert (burst.missed, burst.twice, burst.dead_letters) == (0, 0, 0)
    assert burst.pull_requests == 8
    assert burst.deliveries >= 100
    assert burst.repeated > 5
    assert burst.lost > 0
    assert burst.sweeps > 0
    assert burst.redelivered + burst.queued > 0
    assert burst.heads >= 8
    assert len(table(burst).rows) == 1
