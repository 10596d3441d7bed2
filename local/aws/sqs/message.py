"""A message that someone wants to send, and what SQS refuses about it.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
"""

import re
from dataclasses import dataclass

from local.aws.protocol import AwsError, Json
from local.aws.sqs.errors import invalid_parameter, invalid_value, missing_parameter
from local.aws.sqs.queue import Queue

_ID = re.compile(r"[A-Za-z0-9!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]{1,128}")
_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_ATTRIBUTES = 10


@dataclass(frozen=True)
class Message:
    """A message as it was sent: text, attributes, its group and its deduplication id."""

    body: str
    attributes: Json
    system_attributes: Json
    group: str
    deduplication_id: str


def read_message(queue: Queue, request: Json) -> Message:
    """Read a message from a request; raise what SQS refuses it with."""
    body = request.get("MessageBody")
    if not isinstance(body, str) or not body:
        raise missing_parameter("MessageBody")
    if request.get("DelaySeconds"):
        reason = "The request include parameter that is not valid for this queue type."
        raise invalid_value(request["DelaySeconds"], "DelaySeconds", reason)
    if not request.get("MessageDeduplicationId"):
        raise invalid_parameter(
            "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided "
            "explicitly"
        )
    attributes: Json = request.get("MessageAttributes") or {}
    _check_attributes(attributes)
    _check_text(body, *(value["StringValue"] for value in attributes.values()))
    message = Message(
        body=body,
        attributes=attributes,
        system_attributes=request.get("MessageSystemAttributes") or {},
        group=_read_id("MessageGroupId", request),
        deduplication_id=_read_id("MessageDeduplicationId", request),
    )
    most = queue.number("MaximumMessageSize")
    if _size(message) > most:
        raise invalid_parameter(
            f"One or more parameters are invalid. Reason: Message must be shorter than {most} bytes."
        )
    return message


def _read_id(name: str, request: Json) -> str:
    value = str(request.get(name) or "")
    if not value:
        raise missing_parameter(name)
    if not _ID.fullmatch(value):
        reason = f"{name} can only include alphanumeric and punctuation characters. 1 to 128 in length."
        raise invalid_value(value, name, reason)
    return value


def _check_attributes(attributes: Json) -> None:
    if len(attributes) > _MOST_ATTRIBUTES:
        count = len(attributes)
        raise invalid_parameter(f"Number of message attributes [{count}] exceeds the allowed maximum [10].")
    for name, value in attributes.items():
        if value.get("DataType") not in {"String", "Number"}:
            raise invalid_parameter(f"The message attribute '{name}' has a type that is not emulated.")
        if not value.get("StringValue"):
            raise invalid_parameter(f"The message attribute '{name}' must contain a non-empty value.")


def _check_text(*texts: str) -> None:
    if any(_FORBIDDEN.search(text) for text in texts):
        raise AwsError("InvalidMessageContents", "Invalid characters found in the message.")


def _size(message: Message) -> int:
    """Count the bytes of the body, and of the attributes' names, types and values."""
    parts = [part for name, value in message.attributes.items() for part in (name, *value.values())]
    return sum(len(part.encode()) for part in (message.body, *parts))
