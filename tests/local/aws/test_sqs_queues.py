"""Queues are created, found, changed, purged and deleted."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo


def test_a_queue_is_found_by_its_name(queue: Fifo, sqs: Any) -> None:
    """GetQueueUrl answers the URL that CreateQueue answered."""
    name = queue.url.rsplit("/", 1)[-1]

    assert sqs.get_queue_url(QueueName=name)["QueueUrl"] == queue.url


def test_a_queue_that_does_not_exist_raises_the_exception_of_that_name(sqs: Any) -> None:
    """With the older code beside it, as AWS sends it."""
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


def test_creating_a_queue_again_with_the_same_settings_answers_the_same_url(sqs: Any, queue: Fifo) -> None:
    """Deployments can repeat themselves."""
    name = queue.url.rsplit("/", 1)[-1]

    again = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})

    assert again["QueueUrl"] == queue.url


def test_creating_a_queue_again_with_other_settings_is_refused(sqs: Any, queue: Fifo) -> None:
    """boto3 raises QueueNameExists, and the message names the setting."""
    name = queue.url.rsplit("/", 1)[-1]
    attributes = {"FifoQueue": "true", "VisibilityTimeout": "31"}

    with pytest.raises(sqs.exceptions.QueueNameExists, match="VisibilityTimeout"):
        sqs.create_queue(QueueName=name, Attributes=attributes)


@pytest.mark.parametrize(
    ("name", "attributes", "code"),
    [
        ("no-suffix", {"FifoQueue": "true"}, "InvalidParameterValue"),
        ("standard.fifo", {}, "InvalidParameterValue"),
        ("a b.fifo", {"FifoQueue": "true"}, "InvalidParameterValue"),
        ("q.fifo", {"FifoQueue": "true", "VisibilityTimeout": "43201"}, "InvalidAttributeValue"),
        ("q.fifo", {"FifoQueue": "true", "NoSuch": "1"}, "InvalidAttributeName"),
        ("standard", {"ContentBasedDeduplication": "true"}, "InvalidAttributeName"),
        ("q.fifo", {"FifoQueue": "true", "FifoThroughputLimit": "perMessageGroupId"}, "InvalidAttributeValue"),
        ("q.fifo", {"FifoQueue": "true", "RedrivePolicy": "{}}"}, "InvalidAttributeValue"),
    ],
)
def test_names_and_settings_that_sqs_does_not_accept_are_refused(
    sqs: Any, name: str, attributes: dict[str, str], code: str
) -> None:
    """A template that AWS would refuse is refused here."""
    with pytest.raises(ClientError) as refused:
        sqs.create_queue(QueueName=name, Attributes=attributes)

    assert refused.value.response["Error"]["Code"] == code


def test_an_unknown_attribute_cannot_be_asked_for(queue: Fifo, sqs: Any) -> None:
    """A typing mistake is an error, not an empty answer."""
    with pytest.raises(sqs.exceptions.InvalidAttributeName):
        sqs.get_queue_attributes(QueueUrl=queue.url, AttributeNames=["QueueARN"])


def test_queues_are_listed_by_prefix_and_page(sqs: Any) -> None:
    """All of them come, in pages as small as asked."""
    urls = [sqs.create_queue(QueueName=f"paged-{n}")["QueueUrl"] for n in range(3)]

    pages = sqs.get_paginator("list_queues").paginate(QueueNamePrefix="paged-", PaginationConfig={"PageSize": 2})

    assert [page["QueueUrls"] for page in pages] == [urls[:2], urls[2:]]


def test_a_purge_takes_everything_and_cannot_be_repeated_within_a_minute(queue: Fifo, sqs: Any) -> None:
    """Messages in flight go as well; the second purge raises PurgeQueueInProgress."""
    queue.send("a1")
    queue.take()
    queue.send("a2")

    sqs.purge_queue(QueueUrl=queue.url)
    with pytest.raises(sqs.exceptions.PurgeQueueInProgress):
        sqs.purge_queue(QueueUrl=queue.url)
    queue.clock.advance(61)
    sqs.purge_queue(QueueUrl=queue.url)

    assert queue.counts() == (0, 0, 0)


def test_a_deleted_queue_is_gone(queue: Fifo, sqs: Any) -> None:
    """Sending to it raises QueueDoesNotExist."""
    sqs.delete_queue(QueueUrl=queue.url)

    with pytest.raises(sqs.exceptions.QueueDoesNotExist):
        queue.send("x")


def test_tags_can_be_set_read_and_taken_off(queue: Fifo, sqs: Any) -> None:
    """What a deployment tags stays readable."""
    sqs.tag_queue(QueueUrl=queue.url, Tags={"stage": "dev", "app": "kodiai"})
    sqs.untag_queue(QueueUrl=queue.url, TagKeys=["stage"])

    assert sqs.list_queue_tags(QueueUrl=queue.url)["Tags"] == {"app": "kodiai"}


def test_a_standard_queue_needs_no_group_and_holds_nothing_back(sqs: Any) -> None:
    """Two receivers take its messages side by side."""
    url = sqs.create_queue(QueueName="standard-1")["QueueUrl"]
    for body in ("one", "two"):
        sqs.send_message(QueueUrl=url, MessageBody=body, DelaySeconds=0)

    first, second = (sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] for _ in range(2))

    assert {first, second} == {"one", "two"}


def test_an_old_handle_is_ignored_by_a_standard_queue(sqs: Any, queue: Fifo) -> None:
    """The delete succeeds, and the message stays with its newer receiver."""
    url = sqs.create_queue(QueueName="standard-2")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="x")
    old = sqs.receive_message(QueueUrl=url, VisibilityTimeout=0)["Messages"][0]["ReceiptHandle"]
    sqs.receive_message(QueueUrl=url, VisibilityTimeout=10)

    sqs.delete_message(QueueUrl=url, ReceiptHandle=old)
    queue.clock.advance(11)

    assert sqs.receive_message(QueueUrl=url)["Messages"][0]["Body"] == "x"
