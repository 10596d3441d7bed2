"""How a received message looks to its receiver."""

import json

from local.aws.protocol import Json
from local.aws.sqs.digests import md5_of_attributes, md5_of_text
from local.aws.sqs.sending import sequence_number
from local.aws.store import Row

_SENDER = "AIDALOCALSENDER000000"


def show(row: Row, asked: Json, fifo: bool) -> Json:
    """Show a message with the attributes that the request asked for, and no others."""
    shown: Json = {
        "MessageId": row["message_id"],
        "ReceiptHandle": row["receipt"],
        "MD5OfBody": md5_of_text(row["body"]),
        "Body": row["body"],
    }
    names = {*(asked.get("AttributeNames") or []), *(asked.get("MessageSystemAttributeNames") or [])}
    system = {name: value for name, value in _system(row, fifo).items() if names & {"All", name}}
    if system:
        shown["Attributes"] = system
    attributes = _chosen(json.loads(row["attributes"]), asked.get("MessageAttributeNames") or [])
    if attributes:
        shown["MessageAttributes"] = attributes
        shown["MD5OfMessageAttributes"] = md5_of_attributes(attributes)
    return shown


def _system(row: Row, fifo: bool) -> dict[str, str]:
    known = {
        "SenderId": _SENDER,
        "SentTimestamp": _milliseconds(row["sent_at"]),
        "ApproximateReceiveCount": str(row["receive_count"]),
        "ApproximateFirstReceiveTimestamp": _milliseconds(row["first_received_at"]),
        "MessageGroupId": row["group_id"],
        "MessageDeduplicationId": row["deduplication_id"],
        "SequenceNumber": sequence_number(row["sequence"]) if fifo else None,
        "DeadLetterQueueSourceArn": row["source_arn"],
        "AWSTraceHeader": json.loads(row["system_attributes"]).get("AWSTraceHeader", {}).get("StringValue"),
    }
    return {name: value for name, value in known.items() if value is not None}


def _chosen(attributes: Json, names: list[str]) -> Json:
    """Pick attributes by name, by `prefix.*`, or all of them."""
    if {"All", ".*"} & set(names):
        return attributes
    prefixes = tuple(name[:-1] for name in names if name.endswith(".*"))
    return {
        name: value for name, value in attributes.items() if name in names or (prefixes and name.startswith(prefixes))
    }


def _milliseconds(seconds: float) -> str:
    return str(int(seconds * 1000))
