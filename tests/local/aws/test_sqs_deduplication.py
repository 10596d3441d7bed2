"""The same deduplication id within five minutes is the same message."""

from typing import Any

import pytest

from tests.local.aws.fifo import Fifo


def test_a_repeated_id_is_answered_with_the_first_message_and_delivered_once(queue: Fifo) -> None:
    """GitHub's redelivery of a webhook starts no second review."""
    first = queue.send("job", MessageDeduplicationId="guid-1")
    again = queue.send("job", MessageDeduplicationId="guid-1")

    assert again["MessageId"] == first["MessageId"]
    assert again["SequenceNumber"] == first["SequenceNumber"]
    assert queue.bodies() == ["job"]


def test_an_id_is_remembered_for_five_minutes_after_the_send(queue: Fifo) -> None:
    """A redelivery after the review starts nothing: a deleted message counts. Repeats do not prolong it."""
    queue.send("job", MessageDeduplicationId="guid-1")
    queue.clock.advance(200)
    queue.delete(queue.take())
    queue.send("job", MessageDeduplicationId="guid-1")
    still_known = queue.bodies()

    queue.clock.advance(101)
    queue.send("job again", MessageDeduplicationId="guid-1")

    assert (still_known, queue.bodies()) == ([], ["job again"])


@pytest.mark.parametrize(
    ("settings", "bodies"),
    [
        ({}, ["for a"]),
        ({"DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}, ["for a", "for b"]),
    ],
)
def test_an_id_counts_in_the_whole_queue_unless_its_scope_is_the_group(
    new_queue: Any, settings: dict[str, str], bodies: list[str]
) -> None:
    """DeduplicationScope messageGroup gives each group ids of its own."""
    queue = new_queue(**settings)
    for group in ("a", "b", "a"):
        queue.send(f"for {group}", group=group, MessageDeduplicationId="guid-1")

    assert queue.bodies() == bodies


def test_an_id_is_the_queues_own(new_queue: Any) -> None:
    """The same delivery can go into two queues."""
    reviews, mentions = new_queue(), new_queue()

    reviews.send("job", MessageDeduplicationId="guid-1")
    mentions.send("job", MessageDeduplicationId="guid-1")

    assert reviews.bodies() == mentions.bodies() == ["job"]
