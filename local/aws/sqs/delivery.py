"""A received message as its receiver sees it, and the receipt handle by which it is deleted."""

import base64
import hashlib
import json
import uuid

from local.aws.protocol import AwsError, Json
from local.aws.sqs.queue import Queue
from local.aws.store import Row

_FIRST_SEQUENCE_NUMBER = 10**19  # AWS's numbers have 20 digits


def new_receipt(queue: Queue, sequence: int, now: float) -> str:
    """Make a receipt handle: each delivery of a message has another one."""
    return base64.urlsafe_b64encode(f"{queue.name} {sequence} {now} {uuid.uuid4().hex}".encode()).decode()


def delivery_of(queue: Queue, handle: str) -> tuple[int, float]:
    """The message's number, and when it was received, in a receipt handle of this queue; or ReceiptHandleIsInvalid."""
    try:
        name, number, received_at, _ = base64.urlsafe_b64decode(handle).decode().split(" ")
    except ValueError:
        name, number, received_at = "", "", ""
    if name != queue.name:
        raise AwsError("ReceiptHandleIsInvalid", f'The input receipt handle "{handle}" is not a valid receipt handle.')
    return int(number), float(received_at)


def show(row: Row, request: Json) -> Json:
    """Show a received message with the attributes that were asked for, and no others."""
    system = {
        "SentTimestamp": _milliseconds(row["sent_at"]),
        "ApproximateReceiveCount": str(row["receive_count"]),
        "ApproximateFirstReceiveTimestamp": _milliseconds(row["first_received_at"]),
        "MessageGroupId": row["group_id"],
        "MessageDeduplicationId": row["deduplication_id"],
        "SequenceNumber": sequence_number(row["sequence"]),
        **({"DeadLetterQueueSourceArn": row["source_arn"]} if row["source_arn"] else {}),
        **{name: value["StringValue"] for name, value in json.loads(row["system_attributes"]).items()},
    }
    names = {*request.get("AttributeNames", ()), *request.get("MessageSystemAttributeNames", ())}
    chosen = {
        "Attributes": _chosen(system, names),
        "MessageAttributes": _chosen(json.loads(row["attributes"]), {*request.get("MessageAttributeNames", ())}),
    }
    return {
        "MessageId": row["message_id"],
        "ReceiptHandle": row["receipt"],
        "MD5OfBody": md5(row["body"]),
        "Body": row["body"],
        **{name: values for name, values in chosen.items() if values},
    }


def _chosen(values: Json, names: set[str]) -> Json:
    return {name: value for name, value in values.items() if {"All", name} & names}


def md5(text: str) -> str:
    """Return the MD5 sum of a message body, in hexadecimal."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def sequence_number(sequence: int) -> str:
    """Show a message's number as SQS shows sequence numbers: 20 digits that grow."""
    return str(_FIRST_SEQUENCE_NUMBER + sequence)


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))
