"""The settings a queue may have, and which values SQS accepts for them.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

import json
import re

from local.aws.protocol import AwsError
from local.aws.sqs.errors import invalid_attribute_value, invalid_parameter, unknown_attribute

NUMBERS = {
    "DelaySeconds": (0, 900),
    "KmsDataKeyReusePeriodSeconds": (60, 86400),
    "MaximumMessageSize": (1024, 1048576),
    "MessageRetentionPeriod": (60, 1209600),
    "ReceiveMessageWaitTimeSeconds": (0, 20),
    "VisibilityTimeout": (0, 43200),
}
FLAGS = {"ContentBasedDeduplication", "FifoQueue", "SqsManagedSseEnabled"}
CHOICES = {
    "DeduplicationScope": ("queue", "messageGroup"),
    "FifoThroughputLimit": ("perQueue", "perMessageGroupId"),
}
DOCUMENTS = {"Policy", "RedriveAllowPolicy", "RedrivePolicy"}
FIFO_ONLY = {"ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"}
COMPUTED = {
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesDelayed",
    "ApproximateNumberOfMessagesNotVisible",
    "CreatedTimestamp",
    "LastModifiedTimestamp",
    "QueueArn",
}
SETTABLE = {*NUMBERS, *FLAGS, *CHOICES, *DOCUMENTS, "KmsMasterKeyId"}

_DEFAULTS = {
    "DelaySeconds": "0",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
_FIFO_DEFAULTS = {
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "queue",
    "FifoThroughputLimit": "perQueue",
}


def with_defaults(attributes: dict[str, str]) -> dict[str, str]:
    """Fill in what was not set."""
    fifo = _FIFO_DEFAULTS if attributes.get("FifoQueue") == "true" else {}
    return {**_DEFAULTS, **fifo, **attributes}


def check_name(name: str, attributes: dict[str, str]) -> None:
    """Refuse a queue name that is malformed or does not fit the kind of queue."""
    if attributes.get("FifoQueue") == "true":
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,75}\.fifo", name):
            raise invalid_parameter(
                "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
                "must end with .fifo suffix and be 1 to 80 in length."
            )
    elif not re.fullmatch(r"[A-Za-z0-9_-]{1,80}", name):
        raise invalid_parameter("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length")


def check_attributes(attributes: dict[str, str], fifo: bool) -> None:
    """Refuse names that do not exist, values out of range, and FIFO settings on a standard queue."""
    for name, value in attributes.items():
        if name not in SETTABLE:
            raise unknown_attribute(name)
        if not _acceptable(name, value):
            raise invalid_attribute_value(name)
        if name in FIFO_ONLY and not fifo:
            message = f"You can specify the {name} only when FifoQueue is set to true."
            raise AwsError("InvalidAttributeName", message)
        if name == "FifoQueue" and value == "false":
            raise unknown_attribute(name)


def check_together(attributes: dict[str, str]) -> None:
    """Refuse settings that are fine alone and not beside each other."""
    per_group = attributes.get("FifoThroughputLimit") == "perMessageGroupId"
    if per_group and attributes.get("DeduplicationScope") != "messageGroup":
        raise invalid_attribute_value("FifoThroughputLimit")


def _acceptable(name: str, value: str) -> bool:
    if name in NUMBERS:
        low, high = NUMBERS[name]
        return value.isascii() and value.isdigit() and low <= int(value) <= high
    if name in FLAGS:
        return value in {"true", "false"}
    if name in CHOICES:
        return value in CHOICES[name]
    if name in DOCUMENTS and value:
        return _is_object(value)
    return True


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False
