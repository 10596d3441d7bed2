"""A FIFO queue and its settings.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from local.aws.protocol import ACCOUNT, REGION, AwsError
from local.aws.sqs.errors import invalid_parameter

_NAME = re.compile(r"[A-Za-z0-9_-]{1,75}\.fifo")
_DEFAULTS = {
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "queue",
    "FifoQueue": "false",
    "FifoThroughputLimit": "perQueue",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
_POLICIES = {"RedriveAllowPolicy", "RedrivePolicy"}


@dataclass(frozen=True)
class Queue:
    """A FIFO queue with all its attributes, defaults filled in."""

    name: str
    attributes: Mapping[str, str]

    @property
    def arn(self) -> str:
        """Return the queue's resource name."""
        return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{self.name}"

    @property
    def redrive(self) -> tuple[str, int] | None:
        """Return the dead-letter queue's ARN and after how many receives a message goes there, if it ever does."""
        policy = json.loads(self.attributes.get("RedrivePolicy", "{}"))
        return (policy["deadLetterTargetArn"], int(policy["maxReceiveCount"])) if policy else None

    def number(self, attribute: str) -> int:
        """Return the value of an attribute that is a number."""
        return int(self.attributes[attribute])

    def scope(self, group: str) -> str:
        """Return within what a deduplication id counts: the group, or (an empty text) the whole queue."""
        return group if self.attributes["DeduplicationScope"] == "messageGroup" else ""


def new_queue(name: str, attributes: Mapping[str, str]) -> Queue:
    """Make a queue; raise what SQS refuses it with, or that it is of a kind that is not emulated."""
    for attribute in attributes.keys() - _DEFAULTS.keys() - _POLICIES:
        raise AwsError("InvalidAttributeName", f"Unknown Attribute {attribute}.")
    queue = Queue(name, {**_DEFAULTS, **attributes})
    if (queue.attributes["FifoQueue"], queue.attributes["ContentBasedDeduplication"]) != ("true", "false"):
        raise invalid_parameter("Only FIFO queues are emulated, and only those without ContentBasedDeduplication.")
    if not _NAME.fullmatch(name):
        raise invalid_parameter(
            "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, "
            "must end with .fifo suffix and be 1 to 80 in length."
        )
    return queue
