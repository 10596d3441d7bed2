"""A message comes out of a queue as it went in, or is refused."""

import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo


def attribute(value: str) -> dict[str, str]:
    return {"DataType": "String", "StringValue": value}


def test_a_received_message_is_the_one_that_was_sent(queue: Fifo) -> None:
    """It has its attributes, the trace header as a system attribute, its sequence number and its receive count."""
    attributes = {"outcome": attribute("retry"), "attempts": {"DataType": "Number", "StringValue": "5"}}
    trace = {"AWSTraceHeader": attribute("Root=1-5759e988-bd862e3fe1be46a994272793")}
    sent = queue.send(
        "zażółć", "octo/hello", MessageDeduplicationId="1", MessageAttributes=attributes, MessageSystemAttributes=trace
    )
    queue.hide(queue.take(), 0)

    received = queue.take(MessageAttributeNames=["All"])

    digest = hashlib.md5("zażółć".encode()).hexdigest()
    assert (sent["MD5OfMessageBody"], received["MD5OfBody"], received["Body"]) == (digest, digest, "zażółć")
    assert received["MessageAttributes"] == attributes
    times = [int(received["Attributes"].pop(f"{name}Timestamp")) for name in ("Sent", "ApproximateFirstReceive")]
    now = queue.clock.now() * 1000
    assert now - 60_000 < times[0] <= times[1] <= now
    assert received["Attributes"] == {
        "MessageGroupId": "octo/hello",
        "MessageDeduplicationId": "1",
        "SequenceNumber": sent["SequenceNumber"],
        "ApproximateReceiveCount": "2",
        "AWSTraceHeader": "Root=1-5759e988-bd862e3fe1be46a994272793",
    }


def test_sequence_numbers_have_twenty_digits_and_grow(queue: Fifo) -> None:
    """They can be compared as text and as numbers."""
    numbers = [queue.send(body)["SequenceNumber"] for body in "abc"]

    assert numbers == sorted(set(numbers))
    assert {len(number) for number in numbers} == {20}


def test_only_the_attributes_that_were_asked_for_come_along(queue: Fifo, sqs: Any) -> None:
    """A receiver that asks for nothing gets nothing, and by AttributeNames one gets that one."""
    queue.send("one", group="a")
    queue.send("two", group="b")

    bare = sqs.receive_message(QueueUrl=queue.url)["Messages"][0]
    some = sqs.receive_message(QueueUrl=queue.url, AttributeNames=["MessageGroupId"])["Messages"][0]

    assert "Attributes" not in bare
    assert some["Attributes"] == {"MessageGroupId": "b"}


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"MessageGroupId": ""}, "MissingParameter", "must contain the parameter MessageGroupId"),
        ({"MessageGroupId": "with space"}, "InvalidParameterValue", "MessageGroupId can only include"),
        ({"MessageGroupId": "g" * 129}, "InvalidParameterValue", "MessageGroupId can only include"),
        ({"MessageGroupId": "zażółć"}, "InvalidParameterValue", "MessageGroupId can only include"),
        ({"MessageDeduplicationId": ""}, "InvalidParameterValue", "ContentBasedDeduplication enabled"),
        ({"DelaySeconds": 5}, "InvalidParameterValue", "not valid for this queue type"),
        ({"MessageBody": "x" * 1_048_575}, "InvalidParameterValue", "Message must be shorter than 1048576 bytes"),
        ({"MessageBody": "null \x00 inside"}, "InvalidMessageContents", "Invalid characters"),
        ({"MessageAttributes": {"a": attribute("null \x00")}}, "InvalidMessageContents", "Invalid characters"),
        ({"MessageAttributes": {"a": attribute("")}}, "InvalidParameterValue", "'a' must contain a non-empty value"),
        (
            {"MessageAttributes": {"a": {"DataType": "Binary", "BinaryValue": b"x"}}},
            "InvalidParameterValue",
            "'a' has a type that is not emulated",
        ),
        (
            {"MessageAttributes": {f"name{n}": attribute("x") for n in range(11)}},
            "InvalidParameterValue",
            r"\[11\] exceeds the allowed maximum",
        ),
    ],
)
def test_a_message_that_sqs_would_refuse_is_refused(
    queue: Fifo, sqs: Any, changes: dict[str, Any], code: str, message: str
) -> None:
    """Under the code of SQS, and in its words; sizes are counted with attributes, in bytes."""
    known = {"MessageBody": "x", "MessageGroupId": "g", "MessageDeduplicationId": "1"}
    given = {**known, "MessageAttributes": {"a": attribute("b")}, **changes}

    with pytest.raises(ClientError, match=message) as refused:
        sqs.send_message(QueueUrl=queue.url, **given)

    assert refused.value.response["Error"]["Code"] == code


def test_the_longest_message_and_the_oddest_group_are_accepted(queue: Fifo) -> None:
    """One mebibyte, and 128 characters of punctuation."""
    group = ("owner/repo#7!\"$%&'()*+,-.:;<=>?@[\\]^_`{|}~" * 4)[:128]

    queue.send("x" * 1_048_576, group=group)

    assert queue.take()["Attributes"]["MessageGroupId"] == group


def test_a_batch_changes_the_visibility_entry_by_entry(queue: Fifo, sqs: Any) -> None:
    """One bad entry does not take the others with it."""
    queue.send("job")
    handles = (queue.take()["ReceiptHandle"], "nonsense")
    entries = [
        {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 0} for number, handle in enumerate(handles)
    ]

    answer = sqs.change_message_visibility_batch(QueueUrl=queue.url, Entries=entries)

    assert [entry["Id"] for entry in answer["Successful"]] == ["0"]
    assert [(entry["Id"], entry["Code"]) for entry in answer["Failed"]] == [("1", "ReceiptHandleIsInvalid")]
    assert queue.bodies() == ["job"]
