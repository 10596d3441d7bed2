"""A queue, its settings, and the call that a request makes on it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.aws.protocol import ACCOUNT, REGION, Json
from local.aws.sqs.errors import invalid_value, missing_parameter, queue_does_not_exist
from local.aws.store import Row, Store


@dataclass(frozen=True)
class Redrive:
    """Where messages go that were received more than `most` times."""

    target: str
    most: int


@dataclass(frozen=True)
class Queue:
    """A queue with all its attributes, defaults filled in."""

    name: str
    attributes: dict[str, str]

    @property
    def arn(self) -> str:
        """Return the queue's resource name."""
        return arn_of(self.name)

    @property
    def fifo(self) -> bool:
        """Tell whether messages come in order, group by group."""
        return self.attributes.get("FifoQueue") == "true"

    @property
    def redrive(self) -> Redrive | None:
        """Return the dead-letter rule, if there is one."""
        policy = json.loads(self.attributes.get("RedrivePolicy") or "{}")
        if not policy:
            return None
        return Redrive(name_in_arn(policy["deadLetterTargetArn"]), int(policy["maxReceiveCount"]))

    def seconds(self, attribute: str) -> int:
        """Return the value of an attribute that is a number."""
        return int(self.attributes[attribute])

    def scope(self, group: str) -> str:
        """Return within what a deduplication id counts: the group, or (an empty text) the whole queue."""
        return group if self.attributes.get("DeduplicationScope") == "messageGroup" else ""


@dataclass(frozen=True)
class Call:
    """One request to SQS: the body, the host that the caller knows us by, and whether it still listens."""

    store: Store
    body: Json
    host: str
    connected: Callable[[], bool]

    def queue(self) -> Queue:
        """Find the queue that QueueUrl names, by its last part: the port may have changed since."""
        url = str(self.need("QueueUrl"))
        return find_queue(self.store, url.rstrip("/").rsplit("/", 1)[-1])

    def need(self, name: str) -> Any:
        """Return a parameter, or refuse the request that lacks it."""
        value = self.body.get(name)
        if value is None or value == "":
            raise missing_parameter(name)
        return value

    def number(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Return a whole number between `low` and `high`, or `otherwise` when it is not given."""
        value = self.body.get(name)
        if value is None:
            return otherwise
        if not isinstance(value, int) or not low <= value <= high:
            raise invalid_value(value, name, f"Must be between {low} and {high}, if provided.")
        return value

    def url(self, name: str) -> str:
        """Return the URL of a queue as this caller reaches it."""
        return f"http://{self.host}/{ACCOUNT}/{name}"


def arn_of(name: str) -> str:
    """Return the resource name of the queue that is called `name`."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"


def name_in_arn(arn: str) -> str:
    """Return the queue name at the end of a resource name."""
    return arn.rsplit(":", 1)[-1]


def queue_in(row: Row) -> Queue:
    """Read a queue from its row."""
    return Queue(row["name"], json.loads(row["attributes"]))


def find_queue(store: Store, name: str) -> Queue:
    """Return the queue of that name; raise QueueDoesNotExist if there is none."""
    row = store.row("SELECT * FROM queues WHERE name = ?", name)
    if row is None:
        raise queue_does_not_exist()
    return queue_in(row)
