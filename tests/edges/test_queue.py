"""The queues, over real HTTP to the local SQS."""

import pytest

from kodiai.core.errors import Broken
from kodiai.core.events.job import Job
from kodiai.edges.queue import SqsJobQueue, SqsMessages
from tests.builders import a_job
from tests.edges.deployed_aws import DeployedAws

JOB = a_job(
    delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958", repository="octo/hello", installation=123, sender="octocat"
)


def test_a_job_becomes_one_message_of_its_pull_requests_group(deployed: DeployedAws) -> None:
    """The body is the job, the group its pull request, the deduplication id the delivery."""
    reviews, mentions = deployed.new_queue(), deployed.new_queue()

    SqsJobQueue(deployed.sqs, {"reviews": reviews, "mentions": mentions}).send("reviews", JOB)

    (message,) = deployed.messages(reviews)
    assert Job.from_message(message["Body"]) == JOB
    assert message["Attributes"]["MessageGroupId"] == "octo/hello#7"
    assert message["Attributes"]["MessageDeduplicationId"] == "72d3162e-cc78-11e3-81ab-4c9367dc0958"
    assert deployed.messages(mentions) == []


def test_a_job_may_have_any_text(deployed: DeployedAws) -> None:
    """SQS refuses characters that people can write on GitHub, and that JSON need not escape."""
    url, text = deployed.new_queue(), "".join(map(chr, [*range(0xD800), *range(0xE000, 0x10001), 0x10FFFF]))

    for start in range(0, len(text), 1_000):
        job = a_job(label=text[start : start + 1_000], delivery=f"guid-{start}")
        SqsJobQueue(deployed.sqs, {"reviews": url}).send("reviews", job)
        (message,) = deployed.messages(url)
        deployed.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        assert Job.from_message(message["Body"]) == job


def test_a_delay_is_between_nothing_and_what_sqs_allows(deployed: DeployedAws) -> None:
    """A failed message does not block its pull request for the whole visibility timeout; SQS refuses too long ones."""
    url = deployed.new_queue()
    SqsJobQueue(deployed.sqs, {"reviews": url}).send("reviews", JOB)
    (message,) = deployed.messages(url)
    hidden = deployed.messages(url)

    SqsMessages(deployed.sqs, url, url, 5).delay(message["ReceiptHandle"], -1)

    assert hidden == []
    (again,) = deployed.messages(url)
    SqsMessages(deployed.sqs, url, url, 5).delay(again["ReceiptHandle"], 10**9)
    assert again["Body"] == message["Body"]
    assert deployed.messages(url) == []


def test_a_receipt_handle_that_is_no_longer_good_is_broken(deployed: DeployedAws) -> None:
    """The message is somebody else's by now."""
    with pytest.raises(Broken, match=r"^The message cannot be delayed: SQS says ReceiptHandleIsInvalid\.$"):
        SqsMessages(deployed.sqs, deployed.new_queue(), "", 5).delay("not-a-handle", 30)


def test_a_buried_message_lies_in_the_dead_letter_queue_with_what_went_wrong(deployed: DeployedAws) -> None:
    """Its body, its group and its reason, on one short line; buried twice, it is there once."""
    url, dead = deployed.new_queue(), deployed.new_queue()
    SqsJobQueue(deployed.sqs, {"reviews": url}).send("reviews", JOB)
    (message,) = deployed.messages(url)
    record = {
        "messageId": message["MessageId"],
        "body": message["Body"],
        "attributes": {"ApproximateReceiveCount": "5", "MessageGroupId": message["Attributes"]["MessageGroupId"]},
    }

    for _ in range(2):
        SqsMessages(deployed.sqs, url, dead, 5).send_to_dlq(record, "broken", "The model\n\x00said " + "no " * 1_000)

    answer = deployed.sqs.receive_message(QueueUrl=dead, AttributeNames=["All"], MessageAttributeNames=["All"])
    [letter] = answer["Messages"]
    assert letter["Body"] == message["Body"]
    assert letter["Attributes"]["MessageGroupId"] == "octo/hello#7"
    said = {name: each["StringValue"] for name, each in letter["MessageAttributes"].items()}
    assert said == {"outcome": "broken", "reason": ("The model said " + "no " * 1_000)[:1_000], "attempts": "5"}
