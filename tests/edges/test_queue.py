"""The queues, over real HTTP to the local SQS."""

import json

import pytest

from kodiai.core.errors import Broken, KodiaiError, Retry
from kodiai.core.events.job import Job
from kodiai.edges.queue import SqsJobQueue, SqsMessages
from tests.builders import a_job
from tests.edges.deployed_aws import DeployedAws, aws_that_says, nobody_there, sqs_at

JOB = a_job(
    delivery="72d3162e-cc78-11e3-81ab-4c9367dc0958", repository="octo/hello", installation=123, sender="octocat"
)


def test_a_job_becomes_one_message_of_its_pull_requests_group(deployed: DeployedAws) -> None:
    """The body is the job, the group its pull request, the deduplication id the delivery."""
    reviews, mentions = deployed.new_queue(), deployed.new_queue()

    SqsJobQueue(deployed.sqs, {"reviews": reviews, "mentions": mentions}).send("reviews", JOB)

    (message,) = deployed.messages(reviews)
    assert json.loads(message["Body"]) == {
        "delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "kind": "review",
        "repository": "octo/hello",
        "repository_id": 11,
        "owner_id": 1,
        "number": 7,
        "installation": 123,
        "trigger": "opened",
        "sender": "octocat",
        "head": None,
        "label": None,
        "by_bot": False,
        "requested": None,
        "outsider": None,
    }
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


@pytest.mark.parametrize(
    ("status", "code", "error", "text"),
    [
        (403, "AccessDenied", Broken, "SQS says AccessDenied."),
        (400, "QueueDoesNotExist", Broken, "SQS says QueueDoesNotExist."),
        (400, "RequestThrottled", Retry, "SQS says RequestThrottled."),
        (503, "ServiceUnavailable", Retry, "SQS says ServiceUnavailable."),
        (500, "Whatever", Retry, "SQS says Whatever."),
    ],
)
def test_what_sqs_refuses_is_broken_and_what_it_cannot_do_now_is_tried_again(
    status: int, code: str, error: type[KodiaiError], text: str
) -> None:
    """The door answers 500 to the one, 503 to the other; the SDK's error stays as the cause."""
    with aws_that_says(status, code) as url:
        queue = SqsJobQueue(sqs_at(url), {"reviews": f"{url}/1/reviews.fifo"})

        with pytest.raises(error) as raised:
            queue.send("reviews", JOB)

    assert str(raised.value) == f"The job cannot be sent to the queue reviews: {text}"
    assert raised.value.__cause__ is not None


def test_an_unreachable_queue_is_tried_again() -> None:
    """A connection that fails is the world's business, not our bug."""
    url = nobody_there()
    queue = SqsJobQueue(sqs_at(url), {"reviews": f"{url}/1/reviews.fifo"})

    with pytest.raises(Retry, match="EndpointConnectionError"):
        queue.send("reviews", JOB)
