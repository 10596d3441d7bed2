"""Receivers that wait for messages."""

import http.client
import json
import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws
from tests.local.aws.fifo import Fifo, Poller


def test_a_waiting_receiver_gets_a_message_as_soon_as_it_is_sent(queue: Fifo) -> None:
    """Long polling does not sleep through a send."""
    poller = Poller(lambda: queue.bodies(WaitTimeSeconds=20))

    queue.send("job")

    assert poller.result() == ["job"]


def test_a_waiting_receiver_wakes_when_the_group_is_freed(queue: Fifo) -> None:
    """The next job of a pull request starts the moment the one before is deleted."""
    queue.send("a1")
    queue.send("a2")
    first = queue.take()
    poller = Poller(lambda: queue.bodies(WaitTimeSeconds=20))

    queue.delete(first)

    assert poller.result() == ["a2"]


def test_waits_can_be_ended(aws: LocalAws, queue: Fifo) -> None:
    """Hidden messages come back as if they had been received more often; what was received more often stays so."""
    queue.send("a1", group="a")
    queue.send("b1", group="b")
    queue.hide(queue.take(), 600)
    queue.take()

    aws.end_waits(4)
    again = queue.receive(10)
    aws.end_waits(2)

    assert [each["Attributes"]["ApproximateReceiveCount"] for each in again] == ["5", "5"]
    assert [each["Attributes"]["ApproximateReceiveCount"] for each in queue.receive(10)] == ["6", "6"]


def test_a_waiting_receiver_wakes_when_a_timeout_passes(queue: Fifo) -> None:
    """It gets the message of a dead worker, without another request."""
    queue.send("a1")
    queue.take(VisibilityTimeout=1)

    found = Poller(lambda: queue.bodies(WaitTimeSeconds=20)).result()

    assert found == ["a1"]


def test_a_waiting_receiver_wakes_when_the_clock_is_turned(queue: Fifo) -> None:
    """Tests need not sleep for a visibility timeout."""
    queue.send("a1")
    queue.take(VisibilityTimeout=600)
    poller = Poller(lambda: queue.bodies(WaitTimeSeconds=20))

    queue.clock.advance(601)

    assert poller.result() == ["a1"]


def test_a_receiver_that_hung_up_takes_no_message_with_it(aws: LocalAws, queue: Fifo) -> None:
    """A worker killed while it waits leaves nothing in flight behind."""
    gone = http.client.HTTPConnection(aws.address.removeprefix("http://"))
    wait = json.dumps({"QueueUrl": queue.url, "WaitTimeSeconds": 20})
    gone.request("POST", "/", wait, {"X-Amz-Target": "AmazonSQS.ReceiveMessage"})
    time.sleep(0.1)  # until it waits
    gone.close()

    queue.send("job")

    assert queue.bodies(WaitTimeSeconds=1) == ["job"]


def test_an_empty_receive_has_no_messages_key(queue: Fifo, sqs: Any) -> None:
    """Code that indexes it blindly fails, as on AWS."""
    assert "Messages" not in sqs.receive_message(QueueUrl=queue.url)


@pytest.mark.parametrize("wrong", [{"MaxNumberOfMessages": 11}, {"WaitTimeSeconds": 21}, {"VisibilityTimeout": 43201}])
def test_numbers_out_of_range_are_refused(queue: Fifo, sqs: Any, wrong: dict[str, int]) -> None:
    """10 messages, 20 seconds, 12 hours."""
    with pytest.raises(ClientError, match="Must be between"):
        sqs.receive_message(QueueUrl=queue.url, **wrong)


def test_a_message_is_hidden_for_twelve_hours_in_all(queue: Fifo) -> None:
    """They are counted from its receive, not from later changes."""
    queue.send("job")
    job = queue.take()
    queue.clock.advance(20)

    with pytest.raises(
        ClientError, match=r"Total VisibilityTimeout for the message is beyond the limit \[43200 seconds\]"
    ):
        queue.hide(job, 43_190)
    queue.hide(job, 43_000)
