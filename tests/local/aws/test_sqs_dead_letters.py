"""Messages that were received too often, and the way back."""

import json
from collections.abc import Callable
from typing import Any

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
    buried = dead.take()

    assert left == []
    assert buried["MessageId"] == sent["MessageId"]
    assert buried["Attributes"]["MessageGroupId"] == "owner/repo#7"
    assert buried["Attributes"]["MessageDeduplicationId"] == "guid-1"
    assert buried["Attributes"]["ApproximateReceiveCount"] == "3"
    assert buried["Attributes"]["DeadLetterQueueSourceArn"] == live.arn


def test_a_dead_message_does_not_hold_its_group_back(live: Fifo, dead: Fifo) -> None:
    """The job behind a poisonous one is handed out by the very receive that buries it."""
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


def test_a_buried_fifo_message_is_as_old_as_its_burial(live: Fifo, dead: Fifo) -> None:
    """Its retention in the dead-letter queue starts anew, unlike on a standard queue."""
    live.send("poison")
    live.clock.advance(3600)
    fail_times(live, 2)
    before = live.clock.now() * 1000

    live.bodies()

    assert int(dead.take()["Attributes"]["SentTimestamp"]) >= int(before)


def test_receives_in_another_queue_do_not_count_towards_the_next_burial(
    new_queue: Callable[..., Fifo], live: Fifo, dead: Fifo, sqs: Any
) -> None:
    """A dead-letter queue with a dead-letter queue of its own hands its messages out first."""
    policy = {"deadLetterTargetArn": new_queue().arn, "maxReceiveCount": 1}
    sqs.set_queue_attributes(QueueUrl=dead.url, Attributes={"RedrivePolicy": json.dumps(policy)})
    live.send("poison")
    fail_times(live, 2)
    live.bodies()

    assert dead.bodies() == ["poison"]


def test_receivers_that_wait_learn_of_a_burial_and_of_the_way_back(live: Fifo, dead: Fifo, sqs: Any) -> None:
    """Whoever watches the dead-letter queue sees a message at once, and so does its queue after the move."""
    live.send("poison")
    fail_times(live, 2)
    at_the_dead = Poller(lambda: dead.bodies(WaitTimeSeconds=20, VisibilityTimeout=0))
    live.bodies()
    found = at_the_dead.result()
    at_the_live = Poller(lambda: live.bodies(WaitTimeSeconds=20))

    sqs.start_message_move_task(SourceArn=dead.arn)

    assert (found, at_the_live.result()) == (["poison"], ["poison"])


def test_a_move_task_brings_dead_messages_back_to_where_they_came_from(live: Fifo, dead: Fifo, sqs: Any) -> None:
    """In their order, as new messages that have not been received."""
    for body in ("one", "two"):
        sent = live.send(body)
    for _ in range(2):
        for message in live.receive(2):
            live.hide(message, 0)
    live.bodies()

    sqs.start_message_move_task(SourceArn=dead.arn)
    back = live.receive(10)

    assert [message["Body"] for message in back] == ["one", "two"]
    assert [message["Attributes"]["ApproximateReceiveCount"] for message in back] == ["1", "1"]
    assert back[1]["MessageId"] != sent["MessageId"]
    assert dead.counts() == (0, 0, 0)


def test_a_move_task_can_be_looked_up(live: Fifo, dead: Fifo, sqs: Any) -> None:
    """Status and count of the latest move."""
    live.send("job")
    fail_times(live, 2)
    live.bodies()
    sqs.start_message_move_task(SourceArn=dead.arn, DestinationArn=live.arn)

    (task,) = sqs.list_message_move_tasks(SourceArn=dead.arn)["Results"]

    assert (task["Status"], task["ApproximateNumberOfMessagesMoved"]) == ("COMPLETED", 1)
    assert (task["SourceArn"], task["DestinationArn"]) == (dead.arn, live.arn)


def test_only_a_dead_letter_queue_can_be_moved_out_of(queue: Fifo, sqs: Any) -> None:
    """A queue that no other queue buries into is refused."""
    with pytest.raises(ClientError, match="must be configured as a Dead Letter Queue"):
        sqs.start_message_move_task(SourceArn=queue.arn)


def test_a_move_out_of_a_queue_that_does_not_exist_is_refused(queue: Fifo, sqs: Any) -> None:
    """boto3 raises ResourceNotFoundException."""
    with pytest.raises(sqs.exceptions.ResourceNotFoundException):
        sqs.start_message_move_task(SourceArn=queue.arn + "x")


def test_a_dead_letter_queue_knows_its_sources(live: Fifo, dead: Fifo, sqs: Any) -> None:
    """ListDeadLetterSourceQueues names the queues that bury into it."""
    assert sqs.list_dead_letter_source_queues(QueueUrl=dead.url)["queueUrls"] == [live.url]


def test_a_redrive_policy_needs_a_queue_that_exists(new_queue: Callable[..., Fifo], dead: Fifo) -> None:
    """A wrong target is refused when it is set, not when a message gets there."""
    policy = json.dumps({"deadLetterTargetArn": dead.arn + "x", "maxReceiveCount": 2})

    with pytest.raises(ClientError, match="Dead letter target does not exist"):
        new_queue(RedrivePolicy=policy)
