"""Waiting for messages, and asking twice for the same ones."""

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


def test_a_waiting_receiver_wakes_when_a_timeout_passes(queue: Fifo) -> None:
    """A message whose worker died is handed to whoever waits, without anyone else asking."""
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
    """As on AWS, where code that indexes it blindly fails."""
    assert "Messages" not in sqs.receive_message(QueueUrl=queue.url)


def test_the_same_attempt_id_brings_the_same_messages_and_handles(queue: Fifo) -> None:
    """A receiver that lost the answer asks again and does not block its group for the timeout."""
    queue.send("a1")
    queue.send("a2")

    once = queue.receive(2, ReceiveRequestAttemptId="attempt-1")
    again = queue.receive(2, ReceiveRequestAttemptId="attempt-1")

    assert [message["Body"] for message in once] == ["a1", "a2"]
    assert again == once


def test_a_repeated_attempt_starts_the_visibility_timeout_anew(queue: Fifo) -> None:
    """The second answer is worth as much as the first."""
    queue.send("a1")
    queue.take(VisibilityTimeout=60, ReceiveRequestAttemptId="attempt-1")
    queue.clock.advance(50)

    again = queue.take(VisibilityTimeout=60, ReceiveRequestAttemptId="attempt-1")
    queue.clock.advance(50)
    queue.delete(again)

    assert queue.counts() == (0, 0, 0)


def test_an_attempt_of_which_a_message_was_deleted_is_a_new_one(queue: Fifo) -> None:
    """Nothing that was done is handed out again."""
    queue.send("a1", group="a")
    queue.send("b1", group="b")
    queue.delete(queue.take(ReceiveRequestAttemptId="attempt-1"))

    assert queue.bodies(ReceiveRequestAttemptId="attempt-1") == ["b1"]


def test_an_attempt_of_which_a_message_was_hidden_longer_is_a_new_one(queue: Fifo) -> None:
    """Someone is at work on it: its timeout is not changed behind their back."""
    queue.send("a1")
    message = queue.take(ReceiveRequestAttemptId="attempt-1")
    queue.hide(message, 600)

    assert queue.bodies(ReceiveRequestAttemptId="attempt-1") == []


@pytest.mark.parametrize("wrong", [{"MaxNumberOfMessages": 11}, {"WaitTimeSeconds": 21}, {"VisibilityTimeout": 43201}])
def test_numbers_out_of_range_are_refused(queue: Fifo, sqs: Any, wrong: dict[str, int]) -> None:
    """10 messages, 20 seconds, 12 hours."""
    with pytest.raises(ClientError, match="Must be between"):
        sqs.receive_message(QueueUrl=queue.url, **wrong)


def test_stopping_sends_waiting_receivers_home_with_nothing() -> None:
    """`stop` does not wait for the 20 seconds of a long poll, nor does the poller."""
    aws = LocalAws()
    aws.start()
    sqs = aws.client("sqs")
    url = sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
    poller = Poller(lambda: sqs.receive_message(QueueUrl=url, WaitTimeSeconds=20).get("Messages", []))

    aws.stop()

    assert poller.result() == []
