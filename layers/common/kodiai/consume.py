"""Consume: what both doors behind a queue do with a message: one flow call, one log line, and what becomes of it."""

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.attempt import DeliveryAttempt
from kodiai.core.events.job import Job, Mention
from kodiai.telemetry import logger

# Five tries span 26 minutes: 10, 50, 250 and 1250 seconds between them, where the world does not say how long to wait.
_FIRST_WAIT_SECONDS = 10
_WAIT_GROWS = 5

_KILLED = "the function ended without a word at every attempt"

T = TypeVar("T", Job, Mention)


class _Early(Exception):
    """It is too early for this message, by so many seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__("a newer push may come")
        self.seconds = seconds


class Messages(Protocol):
    """What can be done with a received message of one queue; `attempts` is how often one is tried."""

    @property
    def attempts(self) -> int: ...  # noqa: D102

    def delay(self, receipt_handle: str, seconds: float) -> None:
        """Show it again after so many seconds, not after its whole visibility timeout."""

    def send_to_dlq(self, record: Mapping[str, Any], outcome: str, reason: str) -> None:
        """Put a copy into the dead-letter queue, with what went wrong."""


def consume(
    event: dict[str, Any],
    context: LambdaContext,
    read: Callable[[str], T],
    work: Callable[[T, DeliveryAttempt], Mapping[str, Any]],
    messages: Callable[[], Messages],
    wait_seconds: Callable[[T], float] = lambda _: 0,
) -> PartialItemFailureResponse:
    """Handle one batch of a FIFO queue, which holds one message; what failed is delivered again.

    `read` reads a message's body (raises Broken), `work` does what it asks for and says what came of it.
    `wait_seconds` is how long after it was sent a message is begun; one that comes earlier is put back, once, and
    that is not an attempt.
    """

    def handle(record: SQSRecord) -> None:
        _handle(record, context, read, work, messages, wait_seconds)

    processor = SqsFifoPartialProcessor()
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event=event, record_handler=handle, processor=processor, context=context)


def _handle(
    record: SQSRecord,
    context: LambdaContext,
    read: Callable[[str], T],
    work: Callable[[T, DeliveryAttempt], Mapping[str, Any]],
    messages: Callable[[], Messages],
    wait_seconds: Callable[[T], float],
) -> None:
    logger.append_keys(function_request_id=context.aws_request_id)
    started, cpu = time.time(), time.process_time()
    sent, first = _times(record)
    attempt = int(record.attributes.approximate_receive_count)
    said: dict[str, Any] = {}
    try:
        job = read(record.body)
        logger.append_keys(delivery=job.delivery)
        said["delivery"], said["trigger"] = job.delivery, job.trigger
        said["repository"], said["pull_request"] = job.repository, job.number
        early = wait_seconds(job) - (first - sent)
        if early > 0:
            attempt -= 1  # its first receive only put it back
        _check(attempt, early, messages())
        deadline = started + context.get_remaining_time_in_millis() / 1000
        turn = DeliveryAttempt(context.aws_request_id, started, deadline, attempt, messages().attempts, sent)
        said |= work(job, turn)
    except Refused as why:
        said |= {"outcome": "refused", "reason": str(why)}
    except _Early as why:
        said |= {"outcome": "waiting", "reason": str(why), "after_seconds": why.seconds}
        messages().delay(record.receipt_handle, why.seconds)
        raise
    except Exception as why:
        said |= _failure(why)
        if isinstance(why, Broken) or attempt >= messages().attempts:
            messages().send_to_dlq(record.raw_event, said["outcome"], said["reason"])
            said["buried"] = True
            return
        wait = why.after_seconds if isinstance(why, Retry) else None
        messages().delay(record.receipt_handle, backoff(attempt) if wait is None else wait)
        raise
    finally:
        said["attempt"] = attempt
        said |= {"seconds": round(time.time() - started, 3), "cpu_seconds": round(time.process_time() - cpu, 3)}
        logger.info("outcome", extra=said)
        logger.remove_keys(["function_request_id", "delivery"])


def _check(attempt: int, early: float, messages: Messages) -> None:
    """Let the first try begin and the last one be the last. Raises _Early and Broken."""
    if attempt == 0:
        raise _Early(math.ceil(early))
    if attempt > messages.attempts:
        raise Broken(_KILLED)


def _times(record: SQSRecord) -> tuple[float, float]:
    """When a message was sent and first received, in seconds since the epoch, by the clock of SQS."""
    attributes = record.attributes
    return int(attributes.sent_timestamp) / 1000, int(attributes.approximate_first_receive_timestamp) / 1000


def _failure(why: Exception) -> dict[str, Any]:
    """Say how it failed; what nobody foresaw is logged with its trace."""
    match why:
        case Retry():
            return {"outcome": "retry", "reason": str(why), "after_seconds": why.after_seconds}
        case Broken():
            return {"outcome": "broken", "reason": str(why)}
    logger.exception("crashed")
    return {"outcome": "crashed", "reason": f"{type(why).__name__}: {why}"}


def backoff(attempt: int) -> int:
    """Seconds to wait after this many tries."""
    return int(_FIRST_WAIT_SECONDS * _WAIT_GROWS ** (attempt - 1))
