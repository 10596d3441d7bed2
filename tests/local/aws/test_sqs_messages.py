"""What goes into a message and comes out of it, and what is refused."""

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


def test_message_attributes_travel_with_their_md5(queue: Fifo) -> None:
    """The sum covers names, types and values, sorted by name; this one was computed by hand."""
    attributes = {
        "kind": {"DataType": "String", "StringValue": "review"},
        "blob": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
    }
    written = b"".join(
        len(part).to_bytes(4, "big") + part if kind is None else kind
        for part, kind in (
            (b"blob", None), (b"Binary", None), (b"", b"\x02"), (b"\x00\xff", None),
            (b"kind", None), (b"String", None), (b"", b"\x01"), (b"review", None),
        )
    )  # fmt: skip
    digest = hashlib.md5(written).hexdigest()

    sent = queue.send("job", MessageAttributes=attributes)
    received = queue.take(MessageAttributeNames=["All"])

    assert received["MessageAttributes"] == attributes
    assert (sent["MD5OfMessageAttributes"], received["MD5OfMessageAttributes"]) == (digest, digest)


def test_message_attributes_can_be_chosen_by_prefix(queue: Fifo) -> None:
    """`trace.*` brings those that start with it."""
    text = {"DataType": "String", "StringValue": "x"}
    queue.send("job", MessageAttributes={"trace.id": text, "trace.parent": text, "other": text})

    received = queue.take(MessageAttributeNames=["trace.*"])

    assert sorted(received["MessageAttributes"]) == ["trace.id", "trace.parent"]


def test_a_message_without_a_group_is_refused(queue: Fifo, sqs: Any) -> None:
    """A FIFO queue has to know the lane."""
    with pytest.raises(ClientError, match="must contain the parameter MessageGroupId") as refused:
        sqs.send_message(QueueUrl=queue.url, MessageBody="x", MessageDeduplicationId="1")

    assert code_of(refused) == "MissingParameter"


def test_a_message_without_a_deduplication_id_is_refused(queue: Fifo, sqs: Any) -> None:
    """Unless the queue deduplicates by content."""
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
    """boto3 raises InvalidMessageContents."""
    with pytest.raises(sqs.exceptions.InvalidMessageContents):
        queue.send("null \x00 inside")


def test_more_than_ten_message_attributes_are_refused(queue: Fifo) -> None:
    """Ten it is."""
    many = {f"name{n}": {"DataType": "String", "StringValue": "x"} for n in range(11)}

    with pytest.raises(ClientError, match=r"\[11\] exceeds the allowed maximum"):
        queue.send("x", MessageAttributes=many)


def test_a_batch_sends_what_is_right_and_names_what_is_wrong(queue: Fifo, sqs: Any) -> None:
    """One bad entry does not take the others with it."""
    answer = sqs.send_message_batch(
        QueueUrl=queue.url,
        Entries=[
            {"Id": "good", "MessageBody": "1", "MessageGroupId": "g", "MessageDeduplicationId": "1"},
            {"Id": "bad", "MessageBody": "2", "MessageGroupId": "g"},
        ],
    )

    assert [entry["Id"] for entry in answer["Successful"]] == ["good"]
    assert [(entry["Id"], entry["Code"], entry["SenderFault"]) for entry in answer["Failed"]] == [
        ("bad", "InvalidParameterValue", True)
    ]
    assert queue.bodies() == ["1"]


def test_batches_delete_and_hide_entry_by_entry(queue: Fifo, sqs: Any) -> None:
    """The batch forms do what the single ones do."""
    for group in ("a", "b"):
        queue.send(f"for {group}", group=group)
    first, second = queue.receive(2)

    deleted = sqs.delete_message_batch(
        QueueUrl=queue.url,
        Entries=[
            {"Id": "1", "ReceiptHandle": first["ReceiptHandle"]},
            {"Id": "2", "ReceiptHandle": "nonsense"},
        ],
    )
    hidden = sqs.change_message_visibility_batch(
        QueueUrl=queue.url,
        Entries=[{"Id": "1", "ReceiptHandle": second["ReceiptHandle"], "VisibilityTimeout": 0}],
    )

    assert [entry["Code"] for entry in deleted["Failed"]] == ["ReceiptHandleIsInvalid"]
    assert [entry["Id"] for entry in hidden["Successful"]] == ["1"]
    assert queue.bodies() == ["for b"]


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ([], "EmptyBatchRequest"),
        ([{"Id": str(n), "ReceiptHandle": "x"} for n in range(11)], "TooManyEntriesInBatchRequest"),
        ([{"Id": "same", "ReceiptHandle": "x"}] * 2, "BatchEntryIdsNotDistinct"),
        ([{"Id": "a b", "ReceiptHandle": "x"}], "InvalidBatchEntryId"),
    ],
)
def test_a_malformed_batch_is_refused_whole(queue: Fifo, sqs: Any, entries: Any, error: str) -> None:
    """boto3 raises the exception of that name."""
    with pytest.raises(getattr(sqs.exceptions, error)):
        sqs.delete_message_batch(QueueUrl=queue.url, Entries=entries)


def test_a_batch_over_one_mebibyte_is_refused_whole(queue: Fifo, sqs: Any) -> None:
    """The limit holds for all bodies together."""
    entries = [
        {"Id": str(n), "MessageBody": "x" * 600_000, "MessageGroupId": "g", "MessageDeduplicationId": str(n)}
        for n in range(2)
    ]

    with pytest.raises(sqs.exceptions.BatchRequestTooLong):
        sqs.send_message_batch(QueueUrl=queue.url, Entries=entries)

    assert queue.bodies() == []
