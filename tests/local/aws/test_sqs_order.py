"""Order within a group, and when a group is held back."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo


def test_a_group_comes_in_order_and_is_held_back_while_one_of_its_messages_is_in_flight(queue: Fifo) -> None:
    """Two workers never hold jobs of the same pull request, and other pull requests do not wait for it."""
    for body in ("a1", "a2", "a3", "b1"):
        queue.send(body, group=body[0])
    first = queue.take()

    others = queue.bodies()
    queue.delete(first)

    assert (first["Body"], others, queue.bodies()) == ("a1", ["b1"], ["a2", "a3"])


def test_a_message_comes_back_in_its_place_when_its_visibility_timeout_passes(queue: Fifo) -> None:
    """A job whose worker died is handed out again, before the jobs behind it."""
    queue.send("a1")
    queue.send("a2")
    queue.take(VisibilityTimeout=60)

    queue.clock.advance(61)

    assert queue.bodies() == ["a1", "a2"]


def test_a_batch_of_one_group_stays_blocked_until_all_of_it_is_done(queue: Fifo) -> None:
    """Giving back the first of two messages in flight does not let it be taken while the second is out."""
    queue.send("a1")
    queue.send("a2")
    first, second = queue.receive(2)

    queue.hide(first, 0)
    while_out = queue.bodies()
    queue.delete(second)

    assert (while_out, queue.bodies()) == ([], ["a1"])


def test_a_longer_visibility_keeps_a_message_hidden_past_its_first_timeout(queue: Fifo) -> None:
    """A long review can hold on to its job."""
    queue.send("a1")
    message = queue.take(VisibilityTimeout=30)
    queue.hide(message, 600)

    queue.clock.advance(300)
    early = queue.bodies()
    queue.clock.advance(301)

    assert (early, queue.bodies()) == ([], ["a1"])


def test_the_visibility_timeout_of_the_queue_is_used_when_the_receiver_names_none(new_queue: Any) -> None:
    """The template's setting holds."""
    queue = new_queue(VisibilityTimeout="900")
    queue.send("a1")
    queue.take()

    queue.clock.advance(890)
    early = queue.bodies()
    queue.clock.advance(11)

    assert (early, queue.bodies()) == ([], ["a1"])


def test_messages_older_than_the_retention_period_are_gone(new_queue: Any) -> None:
    """A queue forgets what nobody took in time."""
    queue = new_queue(MessageRetentionPeriod="3600")
    queue.send("old")

    queue.clock.advance(3601)

    assert queue.bodies() == []


def test_a_receipt_handle_goes_stale_when_the_timeout_passes(queue: Fifo) -> None:
    """A receiver that was too slow cannot delete the message any more: someone else may hold it by now."""
    queue.send("a1")
    slow = queue.take(VisibilityTimeout=10)
    queue.clock.advance(11)
    queue.take()

    with pytest.raises(ClientError, match="The receipt handle has expired") as refused:
        queue.delete(slow)

    assert refused.value.response["Error"]["Code"] == "InvalidParameterValue"


def test_deleting_a_message_twice_is_no_error(queue: Fifo) -> None:
    """A worker that repeats itself after a lost answer is not punished."""
    queue.send("a1")
    message = queue.take()

    queue.delete(message)
    queue.delete(message)

    assert queue.counts() == (0, 0, 0)


def test_a_receipt_handle_that_is_made_up_or_of_another_queue_is_refused(new_queue: Any, sqs: Any) -> None:
    """boto3 raises ReceiptHandleIsInvalid."""
    one, other = new_queue(), new_queue()
    one.send("a1")

    for message in (one.take(), {"ReceiptHandle": "no such handle"}):
        with pytest.raises(sqs.exceptions.ReceiptHandleIsInvalid):
            other.delete(message)


def test_a_deleted_message_cannot_be_hidden(queue: Fifo) -> None:
    """Changing the visibility of what is gone is an error, as on AWS."""
    queue.send("a1")
    message = queue.take()
    queue.delete(message)

    with pytest.raises(ClientError, match="not available for visibility timeout change"):
        queue.hide(message, 10)
