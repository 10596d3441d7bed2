"""A message that someone wants to send, and what SQS refuses about it.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from local.aws.protocol import AwsError, Json
from local.aws.sqs.digests import attribute_bytes
from local.aws.sqs.errors import invalid_parameter, invalid_value, missing_parameter
from local.aws.sqs.queue import Queue

_TOKEN = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ATTRIBUTE_NAME = re.compile(r"(?!\.)(?!.*\.\.)[A-Za-z0-9_.-]{1,256}(?<!\.)")
_ATTRIBUTE_TYPE = re.compile(r"(String|Number|Binary)(\..+)?")
_MOST_ATTRIBUTES = 10
_MOST_DELAY = 900  # seconds
_WRONG_KIND = "The request include parameter that is not valid for this queue type."


@dataclass(frozen=True)
class Message:
    """What is sent: text, attributes, and for a FIFO queue its group and deduplication id."""

    body: str
    attributes: Json
    system_attributes: Json
    group: str | None
    deduplication_id: str | None
    delay: int

    @property
    def size(self) -> int:
        """Return the bytes that count against the limit: body, and attribute names, types and values."""
        total = len(self.body.encode())
        for name, value in self.attributes.items():
            total += len(name.encode()) + len(value["DataType"].encode()) + len(attribute_bytes(value))
        return total


def read_message(queue: Queue, entry: Json) -> Message:
    """Read a message from a request or from one entry of a batch; raise what SQS refuses it with."""
    body = entry.get("MessageBody")
    if not isinstance(body, str) or not body:
        raise missing_parameter("MessageBody")
    if _FORBIDDEN.search(body):
        raise AwsError("InvalidMessageContents", "Invalid binary character found in the message body.")
    message = Message(
        body=body,
        attributes=_attributes(entry),
        system_attributes=entry.get("MessageSystemAttributes") or {},
        group=_group(queue, entry.get("MessageGroupId")),
        deduplication_id=_deduplication_id(queue, entry.get("MessageDeduplicationId"), body),
        delay=_delay(queue, entry.get("DelaySeconds")),
    )
    most = queue.seconds("MaximumMessageSize")
    if message.size > most:
        raise invalid_parameter(
            f"One or more parameters are invalid. Reason: Message must be shorter than {most} bytes."
        )
    return message


def _group(queue: Queue, value: Any) -> str | None:
    if value is None or value == "":
        if queue.fifo:
            raise missing_parameter("MessageGroupId")
        return None
    return _token(str(value), "MessageGroupId")


def _deduplication_id(queue: Queue, value: Any, body: str) -> str | None:
    if not queue.fifo:
        if value is not None:
            raise invalid_value(value, "MessageDeduplicationId", _WRONG_KIND)
        return None
    if value:
        return _token(str(value), "MessageDeduplicationId")
    if queue.attributes["ContentBasedDeduplication"] == "true":
        return hashlib.sha256(body.encode()).hexdigest()
    raise invalid_parameter(
        "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly"
    )


def _token(value: str, name: str) -> str:
    if not _TOKEN.fullmatch(value):
        reason = f"{name} can only include alphanumeric and punctuation characters. 1 to 128 in length."
        raise invalid_value(value, name, reason)
    return value


def _delay(queue: Queue, value: Any) -> int:
    if queue.fifo:
        if value:
            raise invalid_value(value, "DelaySeconds", _WRONG_KIND)
        value = None
    if value is None:
        return queue.seconds("DelaySeconds")
    if not isinstance(value, int) or not 0 <= value <= _MOST_DELAY:
        raise invalid_value(value, "DelaySeconds", "DelaySeconds must be >= 0 and <= 900.")
    return value


def _attributes(entry: Json) -> Json:
    attributes: Json = entry.get("MessageAttributes") or {}
    if len(attributes) > _MOST_ATTRIBUTES:
        count = len(attributes)
        raise invalid_parameter(f"Number of message attributes [{count}] exceeds the allowed maximum [10].")
    for name, value in attributes.items():
        if not _ATTRIBUTE_NAME.fullmatch(name) or name.lower().startswith(("aws.", "amazon.")):
            raise invalid_parameter(f"Message (user) attribute name {name!r} is not allowed.")
        kind = _ATTRIBUTE_TYPE.fullmatch(str(value.get("DataType") or ""))
        if kind is None:
            raise invalid_parameter(f"The message attribute '{name}' has an invalid message attribute type.")
        if not value.get("BinaryValue" if kind[1] == "Binary" else "StringValue"):
            raise invalid_parameter(f"The message attribute '{name}' must contain a non-empty value.")
    return attributes
