"""SQS: the operations on queues, and receivers that wait for a message."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.aws.clock import Clock
from local.aws.protocol import AwsError, Json
from local.aws.sqs.errors import invalid_value
from local.aws.sqs.queues import Queues

_LONGEST_WAIT = 20  # seconds


class Sqs:
    """Every queue of one account, kept in a file or in memory."""

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._queues = Queues(file, clock, self._announce)
        self._waiting: set[asyncio.Future[None]] = set()
        clock.on_advance(self._announce)
        queues = self._queues
        self._operations: dict[str, Callable[[Json], Json]] = {
            "ChangeMessageVisibility": queues.change_visibility,
            "ChangeMessageVisibilityBatch": queues.change_visibility_batch,
            "DeleteMessage": queues.delete,
            "DeleteQueue": queues.delete_queue,
            "GetQueueAttributes": queues.get_attributes,
            "SendMessage": queues.send,
            "SetQueueAttributes": queues.set_attributes,
        }
        self._answers_with_url: dict[str, Callable[[Json, str], Json]] = {
            "CreateQueue": queues.create,
            "GetQueueUrl": queues.get_url,
            "ListQueues": queues.list_urls,
        }

    def close(self) -> None:
        """Close the file; the server has stopped by then."""
        self._queues.close()

    async def ask(self, operation: str, body: Json, host: str, hung_up: asyncio.Future[Any]) -> Json:
        """Answer a request to the host; one that waits for a message ends with `hung_up`. Raises AwsError."""
        if operation in self._operations:
            return self._operations[operation](body)
        if operation in self._answers_with_url:
            return self._answers_with_url[operation](body, host)
        if operation == "ReceiveMessage":
            return await self._receive(body, hung_up)
        raise AwsError("UnknownOperationException", f"SQS has no operation {operation} here.", 404)

    async def end_waits(self, receives: int) -> None:
        """Give back at once what is in flight, as if it had been received so often already."""
        self._queues.end_waits(receives)

    async def _receive(self, body: Json, hung_up: asyncio.Future[Any]) -> Json:
        """Receive up to ten messages, waiting up to WaitTimeSeconds for the first one.

        A receiver that hangs up while it waits gets none, for that would be in flight until its timeout.
        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ReceiveMessage.html
        """
        wait = body.get("WaitTimeSeconds", 0)
        if not 0 <= wait <= _LONGEST_WAIT:
            raise invalid_value(wait, "WaitTimeSeconds", f"Must be between 0 and {_LONGEST_WAIT}, if provided.")
        until = time.monotonic() + wait
        while not hung_up.done():
            changed = asyncio.get_running_loop().create_future()
            self._waiting.add(changed)  # first: what changes while the queue is looked at is not missed
            try:
                if found := self._queues.receive(body):
                    return {"Messages": found}
                left = min(until - time.monotonic(), self._queues.seconds_to_next(body))
                if until <= time.monotonic():
                    break
                await asyncio.wait((changed, hung_up), timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting.remove(changed)
        return {}

    def _announce(self) -> None:
        """Wake every receiver that waits; from any thread."""
        for changed in list(self._waiting):
            changed.get_loop().call_soon_threadsafe(_set, changed)


def _set(changed: asyncio.Future[None]) -> None:
    if not changed.done():
        changed.set_result(None)
