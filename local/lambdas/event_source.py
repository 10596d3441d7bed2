"""Moves messages from a queue to a function, as Lambda's event source mapping does.

Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
"""

import contextlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from typing import Any

from local.aws import LocalAws
from local.aws.protocol import REGION, AwsError, Json
from local.lambdas.description import EventSource
from local.lambdas.function import Function
from local.lambdas.runtime_api import Result

_POLL_SECONDS = 20
_AFTER_AN_ERROR_SECONDS = 0.5

Message = Mapping[str, Any]


class EventSourceMapping:
    """Polls one queue; a message that the function did not finish stays there until it is visible again.

    Nothing but the queue holds a message back, or those behind it in its group: what becomes visible while the
    function still works on it is handled a second time, at the same time as the first.
    """

    def __init__(
        self,
        source: EventSource,
        function: Function,
        aws: LocalAws,
        on_problem: Callable[[str, str], None],
    ) -> None:
        self._source = source
        self._function = function
        self._aws = aws
        self._on_problem = on_problem
        self._closed = threading.Event()
        self._hung_up: Future[None] = Future()  # one for each poll: it keeps whatever waits for it
        self._free = threading.Semaphore(source.concurrency)
        self._workers = ThreadPoolExecutor(source.concurrency)
        self._poller = threading.Thread(target=self._poll, daemon=True)

    def start(self) -> None:
        """Begin to poll."""
        self._poller.start()

    def close(self) -> None:
        """Take no further message; what is under way goes on."""
        self._closed.set()
        with contextlib.suppress(InvalidStateError):
            self._hung_up.set_result(None)

    def stop(self) -> None:
        """Wait for what is under way: close this and stop the function first, then it is quick."""
        self.close()
        if self._poller.ident is not None:
            self._poller.join()
        self._workers.shutdown()

    def _poll(self) -> None:
        while not self._closed.is_set():
            if not self._free.acquire(timeout=0.1):
                continue
            batch = self._receive()
            if batch and not self._closed.is_set():
                self._workers.submit(self._handle, batch).add_done_callback(self._report)
            else:
                self._give_back(batch)
                self._free.release()

    def _receive(self) -> list[Message]:
        self._hung_up = Future()
        if self._closed.is_set():
            return []
        try:
            answer = self._ask(
                "ReceiveMessage",
                hung_up=self._hung_up,
                MaxNumberOfMessages=min(self._source.batch_size, 10),
                WaitTimeSeconds=_POLL_SECONDS,
                AttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
        except AwsError as error:
            if not self._closed.wait(_AFTER_AN_ERROR_SECONDS):
                self._on_problem(self._source.function, f"the queue cannot be read: {error}")
            return []
        return list(answer.get("Messages", []))

    def _handle(self, batch: Sequence[Message]) -> None:
        try:
            records = [record_of(message, self._source.queue_arn) for message in batch]
            result = self._function.invoke(json.dumps({"Records": records}).encode())
            done = finished(batch, result, reports_failures=self._source.reports_failures)
            if not self._closed.is_set():
                self._delete(done)
        finally:
            self._free.release()

    def _report(self, handled: Future[None]) -> None:
        if (error := handled.exception()) is not None:
            self._on_problem(self._source.function, f"a batch could not be handled: {error!r}")

    def _give_back(self, messages: Sequence[Message]) -> None:
        # Messages received during the close would otherwise stay hidden for a whole visibility timeout.
        for message in messages:
            with contextlib.suppress(AwsError):
                self._ask("ChangeMessageVisibility", ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)

    def _delete(self, messages: Sequence[Message]) -> None:
        for message in messages:
            try:
                self._ask("DeleteMessage", ReceiptHandle=message["ReceiptHandle"])
            except AwsError as error:
                self._on_problem(self._source.function, f"a finished message cannot be deleted: {error}")

    def _ask(self, operation: str, **request: Any) -> Json:
        return self._aws.ask("sqs", operation, QueueUrl=self._source.queue_url, **request)


def record_of(message: Message, queue_arn: str) -> dict[str, Any]:
    """Return a received message in the form in which Lambda hands it to a function."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": {
            name: {key[0].lower() + key[1:]: value for key, value in attribute.items()}
            for name, attribute in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": REGION,
    }


def finished(batch: Sequence[Message], result: Result, *, reports_failures: bool) -> list[Message]:
    """Return the messages of the batch that the function has done with; none when its answer is no answer.

    Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html (success and
    failure conditions of ReportBatchItemFailures)
    """
    if result.failed:
        return []
    if not reports_failures:
        return list(batch)
    try:
        failed = _failed_ids(json.loads(result.payload or b"null"))
    except (ValueError, TypeError, KeyError):
        return []
    if not failed <= {message["MessageId"] for message in batch}:
        return []
    return [message for message in batch if message["MessageId"] not in failed]


def _failed_ids(answer: Any) -> set[str]:
    if answer is None:
        return set()
    if not isinstance(answer, dict):
        raise TypeError("the answer is no object")
    failures = answer.get("batchItemFailures")
    if failures is None:
        return set()
    return {failure["itemIdentifier"] for failure in failures}
