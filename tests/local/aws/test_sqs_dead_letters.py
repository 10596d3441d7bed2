"""Messages that were received too often."""

import json
from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo, Poller


def fail_times(queue: Fifo, times: int) -> None:
    for _ in range(times):
        queue.hide(queue.take(), 0)


@pytest.fixture
def dead(new_queue: Callable[..., Fifo]) -> Fifo:
    return new_queue()


@pytest.fixture
def live(new_queue: Callable[..., Fifo], dead: Fifo) -> Fifo:
    policy = {"deadLetterTargetArn": dead.arn, "maxReceiveCount": 2}
    return new_queue(RedrivePolicy=json.dumps(policy))


def test_a_message_received_too_often_moves_to_the_dead_letter_queue(live: Fifo, dead: Fifo) -> None:
    """It goes when it would be received once more, and keeps id, group, deduplication id and count."""
    sent = live.send("poison", group="owner/repo#7", MessageDeduplicationId="guid-1")
    fail_times(live, 2)

    left = live.bodies()
    moved = dead.take()

    assert left == []
    assert moved["MessageId"] == sent["MessageId"]
    assert moved["Attributes"]["MessageGroupId"] == "owner/repo#7"
    assert moved["Attributes"]["MessageDeduplicationId"] == "guid-1"
    assert moved["Attributes"]["ApproximateReceiveCount"] == "3"
    assert moved["Attributes"]["DeadLetterQueueSourceArn"] == live.arn


def test_a_dead_message_does_not_hold_its_group_back(live: Fifo, dead: Fifo) -> None:
    """The job behind a poisonous one is handed out by the very receive that moves it away."""
    live.send("poison")
    live.send("fine")
    fail_times(live, 2)

    assert live.bodies() == ["fine"]
    assert dead.bodies() == ["poison"]


def test_a_message_may_be_received_as_often_as_allowed(live: Fifo, dead: Fifo) -> None:
    """A maxReceiveCount of 2 means two deliveries."""
    live.send("job")
    fail_times(live, 1)

    assert live.bodies() == ["job"]
    assert dead.bodies() == []


def test_a_moved_message_is_as_old_as_its_move(live: Fifo, dead: Fifo) -> None:
    """Its retention in the dead-letter queue starts again."""
    live.send("poison")
    live.clock.advance(3600)
    fail_times(live, 2)
    before = live.clock.now() * 1000

    live.bodies()

    assert int(dead.take()["Attributes"]["SentTimestamp"]) >= int(before)


def test_receivers_of_the_dead_letter_queue_that_wait_get_the_message_at_once(live: Fifo, dead: Fifo) -> None:
    """Long polling does not sleep through a move."""
    live.send("poison")
    fail_times(live, 2)
    poller = Poller(lambda: dead.bodies(WaitTimeSeconds=20))

    live.bodies()

    assert poller.result() == ["poison"]


def test_a_redrive_policy_needs_a_queue_that_exists(new_queue: Callable[..., Fifo], dead: Fifo) -> None:
    """A wrong target is refused when it is set, not when a message gets there."""
    policy = json.dumps({"deadLetterTargetArn": dead.arn + "x", "maxReceiveCount": 2})

    with pytest.raises(ClientError, match="Dead letter target does not exist"):
        new_queue(RedrivePolicy=policy)
