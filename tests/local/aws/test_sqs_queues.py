"""Queues are created, found and counted."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo


def test_a_queue_that_does_not_exist_raises_the_exception_of_that_name(sqs: Any) -> None:
    """The code is the older one, which AWS sends."""
    with pytest.raises(sqs.exceptions.QueueDoesNotExist) as refused:
        sqs.get_queue_url(QueueName="nowhere.fifo")

    assert refused.value.response["Error"]["Code"] == "AWS.SimpleQueueService.NonExistentQueue"


def test_a_queue_tells_its_settings_and_defaults(new_queue: Callable[..., Fifo], sqs: Any) -> None:
    """`All` answers what was set, what was not, and what is counted."""
    queue = new_queue(VisibilityTimeout="5400")

    attributes = sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["All"])["Attributes"]

    name = queue.url.rsplit("/", 1)[-1]
    assert attributes["QueueArn"] == f"arn:aws:sqs:us-east-1:123456789012:{name}"
    expected = {
        "VisibilityTimeout": "5400",
        "FifoQueue": "true",
        "ContentBasedDeduplication": "false",
        "DeduplicationScope": "queue",
        "FifoThroughputLimit": "perQueue",
        "MaximumMessageSize": "1048576",
        "MessageRetentionPeriod": "345600",
        "ApproximateNumberOfMessages": "0",
    }
    assert {name: attributes[name] for name in expected} == expected


def test_a_queue_counts_what_is_visible_and_what_is_in_flight(queue: Fifo) -> None:
    """Three sent, one taken: two wait, one is out."""
    for body in "abc":
        queue.send(body)
    queue.take()

    assert queue.counts() == (2, 1, 0)


def test_a_queue_is_created_again_only_with_the_same_settings(sqs: Any, queue: Fifo) -> None:
    """Deployments can repeat themselves; boto3 raises QueueNameExists for other settings."""
    name = queue.url.rsplit("/", 1)[-1]

    again = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})

    assert again["QueueUrl"] == sqs.get_queue_url(QueueName=name)["QueueUrl"] == queue.url
    with pytest.raises(sqs.exceptions.QueueNameExists):
        sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true", "VisibilityTimeout": "31"})


@pytest.mark.parametrize(
    ("name", "attributes", "message"),
    [
        ("no-suffix", {"FifoQueue": "true"}, "must end with .fifo suffix"),
        ("a b.fifo", {"FifoQueue": "true"}, "alphanumeric characters"),
        ("q.fifo", {"FifoQueue": "true", "NoSuch": "1"}, "Unknown Attribute NoSuch"),
        ("standard", {}, "Only FIFO queues are emulated"),
        ("q.fifo", {"FifoQueue": "true", "ContentBasedDeduplication": "true"}, "without ContentBasedDeduplication"),
    ],
)
def test_names_and_settings_that_are_wrong_or_not_emulated_are_refused(
    sqs: Any, name: str, attributes: dict[str, str], message: str
) -> None:
    """A template that needs more than there is here must not half work."""
    with pytest.raises(ClientError, match=message):
        sqs.create_queue(QueueName=name, Attributes=attributes)
