"""A message comes out of a queue as it went in, or is refused."""

import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local.aws.fifo import Fifo


def code_of(refused: pytest.ExceptionInfo[ClientError]) -> str:
    code: str = refused.value.response["Error"]["Code"]
    return code


def test_a_received_message_says_where_it_belongs_and_how_often_it_came(queue: Fifo) -> None:
    """The attributes that a worker decides by are there and right."""
    sent = queue.send("job", group="owner/repo#7", MessageDeduplicationId="guid-1")
    queue.hide(queue.take(), 0)

    attributes = queue.take()["Attributes"]

    assert attributes["MessageGroupId"] == "owner/repo#7"
    assert attributes["MessageDeduplicationId"] == "guid-1"
    assert attributes["SequenceNumber"] == sent["SequenceNumber"]
    assert attributes["ApproximateReceiveCount"] == "2"
    now = queue.clock.now() * 1000
    times = [int(attributes[name]) for name in ("SentTimestamp", "ApproximateFirstReceiveTimestamp")]
    assert now - 60_000 < times[0] <= times[1] <= now


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


def test_the_md5_of_the_body_is_answered_on_both_sides(queue: Fifo) -> None:
    """SDKs compare it."""
    digest = hashlib.md5("zażółć".encode()).hexdigest()

    sent = queue.send("zażółć")
    received = queue.take()

    assert (sent["MD5OfMessageBody"], received["MD5OfBody"], received["Body"]) == (digest, digest, "zażółć")


def test_message_attributes_travel_with_the_message(queue: Fifo) -> None:
    """The reason of a dead letter is in them; the trace header comes as a system attribute."""
    attributes = {
        "outcome": {"DataType": "String", "StringValue": "retry"},
        "attempts": {"DataType": "Number", "StringValue": "5"},
    }
    trace = {"AWSTraceHeader": {"DataType": "String", "StringValue": "Root=1-5759e988-bd862e3fe1be46a994272793"}}
    queue.send("job", MessageAttributes=attributes, MessageSystemAttributes=trace)

    received = queue.take(MessageAttributeNames=["All"])

    assert received["MessageAttributes"] == attributes
    assert received["Attributes"]["AWSTraceHeader"] == "Root=1-5759e988-bd862e3fe1be46a994272793"


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ({"DataType": "String", "StringValue": ""}, "must contain a non-empty value"),
        ({"DataType": "Binary", "BinaryValue": b"x"}, "a type that is not emulated"),
    ],
)
def test_message_attributes_that_are_empty_or_not_emulated_are_refused(
    queue: Fifo, attribute: dict[str, Any], message: str
) -> None:
    """By name."""
    with pytest.raises(ClientError, match=f"'reason' (must|has).*{message.rsplit(maxsplit=1)[-1]}"):
        queue.send("job", MessageAttributes={"reason": attribute})


def test_a_message_without_a_group_is_refused(queue: Fifo, sqs: Any) -> None:
    """A FIFO queue has to know the lane."""
    with pytest.raises(ClientError, match="must contain the parameter MessageGroupId") as refused:
        sqs.send_message(QueueUrl=queue.url, MessageBody="x", MessageDeduplicationId="1")

    assert code_of(refused) == "MissingParameter"


def test_a_message_without_a_deduplication_id_is_refused(queue: Fifo, sqs: Any) -> None:
    """The queue does not deduplicate by content."""
    with pytest.raises(ClientError, match="ContentBasedDeduplication enabled") as refused:
        sqs.send_message(QueueUrl=queue.url, MessageBody="x", MessageGroupId="g")

    assert code_of(refused) == "InvalidParameterValue"


@pytest.mark.parametrize("group", ["with space", "g" * 129, "zażółć"])
def test_a_group_id_outside_of_sqs_alphabet_is_refused(queue: Fifo, group: str) -> None:
    """1 to 128 letters, digits and punctuation."""
    with pytest.raises(ClientError, match="MessageGroupId can only include") as refused:
        queue.send("x", group=group)

    assert code_of(refused) == "InvalidParameterValue"


def test_a_group_id_may_hold_128_characters_of_punctuation(queue: Fifo) -> None:
    """The longest and oddest id that is allowed is accepted."""
    group = ("owner/repo#7!\"$%&'()*+,-.:;<=>?@[\\]^_`{|}~" * 4)[:128]

    queue.send("x", group=group)

    assert queue.take()["Attributes"]["MessageGroupId"] == group


def test_a_delay_for_one_message_is_refused(queue: Fifo) -> None:
    """FIFO queues delay all messages or none."""
    with pytest.raises(ClientError, match="not valid for this queue type"):
        queue.send("x", DelaySeconds=5)


def test_a_message_may_hold_one_mebibyte_and_no_byte_more(queue: Fifo) -> None:
    """The size counts in bytes, attributes included."""
    queue.send("x" * 1_048_576)

    with pytest.raises(ClientError, match="Message must be shorter than 1048576 bytes") as refused:
        queue.send("x" * 1_048_570, MessageAttributes={"a": {"DataType": "String", "StringValue": "b"}})

    assert code_of(refused) == "InvalidParameterValue"


def test_characters_that_xml_does_not_know_are_refused(queue: Fifo, sqs: Any) -> None:
    """In the body and in attributes; boto3 raises InvalidMessageContents."""
    with pytest.raises(sqs.exceptions.InvalidMessageContents):
        queue.send("null \x00 inside")
    with pytest.raises(sqs.exceptions.InvalidMessageContents):
        queue.send("x", MessageAttributes={"reason": {"DataType": "String", "StringValue": "null \x00 inside"}})


def test_more_than_ten_message_attributes_are_refused(queue: Fifo) -> None:
    """Ten it is."""
    many = {f"name{n}": {"DataType": "String", "StringValue": "x"} for n in range(11)}

    with pytest.raises(ClientError, match=r"\[11\] exceeds the allowed maximum"):
        queue.send("x", MessageAttributes=many)


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
