"""A FIFO queue as the tests speak of it, over an unmodified boto3 client."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from local.aws import Clock


@dataclass
class Fifo:
    sqs: Any
    clock: Clock
    url: str
    _ids: Iterator[int] = field(default_factory=itertools.count)

    @property
    def arn(self) -> str:
        return self.attribute("QueueArn")

    def send(self, body: str, group: str = "owner/repo#7", **more: Any) -> dict[str, Any]:
        more.setdefault("MessageDeduplicationId", f"delivery-{next(self._ids)}")
        answer: dict[str, Any] = self.sqs.send_message(
            QueueUrl=self.url, MessageBody=body, MessageGroupId=group, **more
        )
        return answer

    def receive(self, most: int = 1, **more: Any) -> list[dict[str, Any]]:
        answer = self.sqs.receive_message(
            QueueUrl=self.url, MaxNumberOfMessages=most, MessageSystemAttributeNames=["All"], **more
        )
        found: list[dict[str, Any]] = answer.get("Messages", [])
        return found

    def take(self, **more: Any) -> dict[str, Any]:
        (message,) = self.receive(1, **more)
        return message

    def bodies(self, most: int = 10, **more: Any) -> list[str]:
        return [message["Body"] for message in self.receive(most, **more)]

    def delete(self, message: dict[str, Any]) -> None:
        self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])

    def hide(self, message: dict[str, Any], seconds: int) -> None:
        self.sqs.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=seconds
        )

    def attribute(self, name: str) -> str:
        answer = self.sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=[name])
        value: str = answer["Attributes"][name]
        return value

    def counts(self) -> tuple[int, int, int]:
        """The numbers of messages that are visible, in flight, delayed."""
        prefix = "ApproximateNumberOfMessages"
        visible, in_flight, delayed = (int(self.attribute(prefix + kind)) for kind in ("", "NotVisible", "Delayed"))
        return visible, in_flight, delayed


class Poller:
    """A receiver on a thread that waits up to 20 seconds, which no test here takes."""

    def __init__(self, receive: Callable[[], list[str]]) -> None:
        self.bodies: list[str] | None = None
        self._receive = receive
        self._thread = threading.Thread(target=self._poll)
        self._thread.start()
        time.sleep(0.1)  # let it reach the server; were it late, it would find the message without waiting

    def _poll(self) -> None:
        self.bodies = self._receive()

    def result(self) -> list[str] | None:
        self._thread.join(timeout=10)
        return self.bodies
