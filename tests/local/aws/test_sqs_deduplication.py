"""The same deduplication id within five minutes is the same message."""

from typing import Any

from tests.local.aws.fifo import Fifo


def test_a_repeated_id_is_answered_with_the_first_message_and_delivered_once(queue: Fifo) -> None:
    """GitHub's redelivery of a webhook starts no second review."""
    first = queue.send("job", MessageDeduplicationId="guid-1")
    again = queue.send("job", MessageDeduplicationId="guid-1")

    assert again["MessageId"] == first["MessageId"]
    assert again["SequenceNumber"] == first["SequenceNumber"]
    assert queue.bodies() == ["job"]


def test_an_id_is_remembered_after_its_message_was_deleted(queue: Fifo) -> None:
    """A redelivery that comes after the review was done starts nothing either."""
    queue.send("job", MessageDeduplicationId="guid-1")
    queue.delete(queue.take())

    queue.send("job", MessageDeduplicationId="guid-1")

    assert queue.bodies() == []


def test_an_id_is_forgotten_five_minutes_after_the_send(queue: Fifo) -> None:
    """The interval counts from the send, not from the delete, and repeats do not prolong it."""
    queue.send("job", MessageDeduplicationId="guid-1")
    queue.clock.advance(200)
    queue.delete(queue.take())
    queue.send("job", MessageDeduplicationId="guid-1")
    still_known = queue.bodies()

    queue.clock.advance(101)
    queue.send("job again", MessageDeduplicationId="guid-1")

    assert (still_known, queue.bodies()) == ([], ["job again"])


def test_an_id_counts_in_the_whole_queue_by_default(queue: Fifo) -> None:
    """Two groups cannot use the same id at the same time."""
    queue.send("one", group="a", MessageDeduplicationId="guid-1")
    queue.send("two", group="b", MessageDeduplicationId="guid-1")

    assert queue.bodies() == ["one"]


def test_an_id_counts_in_its_group_when_the_scope_says_so(new_queue: Any) -> None:
    """With DeduplicationScope messageGroup, each group has ids of its own."""
    queue = new_queue(DeduplicationScope="messageGroup", FifoThroughputLimit="perMessageGroupId")
    for group in ("a", "b", "a"):
        queue.send(f"for {group}", group=group, MessageDeduplicationId="guid-1")

    assert queue.bodies() == ["for a", "for b"]


def test_an_id_is_the_queues_own(new_queue: Any) -> None:
    """The same delivery can go into two queues."""
    reviews, mentions = new_queue(), new_queue()

    reviews.send("job", MessageDeduplicationId="guid-1")
    mentions.send("job", MessageDeduplicationId="guid-1")

    assert reviews.bodies() == mentions.bodies() == ["job"]
