"""Consume: what both doors behind a queue do with a message: one flow call, one log line, and what becomes of it."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.job import Job, Mention
from kodiai.flows.world import Turn
from kodiai.telemetry import logger

# Five tries span 26 minutes: 10, 50, 250 and 1250 seconds between them, where the world does not say how long to wait.
_FIRST_WAIT_SECONDS = 10
_WAIT_GROWS = 5

T = TypeVar("T", Job, Mention)


class Messages(Protocol):
    """What can be done with a received message of one queue; `attempts` is how often one may be received."""

    @property
    def attempts(self) -> int: ...  # noqa: D102

    def delay(self, receipt_handle: str, seconds: float) -> None:
        """Show it again after so many seconds, not after its whole visibility timeout."""

    def bury(self, record: Mapping[str, Any], outcome: str, reason: str) -> None:
        """Put a copy into the dead-letter queue, with what went wrong."""


def consume(
    event: dict[str, Any],
    context: LambdaContext,
    read: Callable[[str], T],
    work: Callable[[T, Turn], Mapping[str, Any]],
    messages: Callable[[], Messages],
) -> PartialItemFailureResponse:
    """Handle one batch of a FIFO queue, which holds one message; what failed is delivered again.

    `read` reads a message's body (raises Broken), `work` does what it asks for and says what came of it.
    """

    def handle(record: SQSRecord) -> None:
        _handle(record, context, read, work, messages)

    processor = SqsFifoPartialProcessor()
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event=event, record_handler=handle, processor=processor, context=context)


def _handle(
    record: SQSRecord,
    context: LambdaContext,
    read: Callable[[str], T],
    work: Callable[[T, Turn], Mapping[str, Any]],
    messages: Callable[[], Messages],
) -> None:
    logger.append_keys(function_request_id=context.aws_request_id)
    started, cpu = time.time(), time.process_time()
    attempt = int(record.attributes.approximate_receive_count)
    said: dict[str, Any] = {"attempt": attempt}
    try:
        job = read(record.body)
        logger.append_keys(delivery=job.delivery)
        said["delivery"], said["trigger"] = job.delivery, job.trigger
        said["repository"], said["pull_request"] = job.repository, job.number
        deadline = started + context.get_remaining_time_in_millis() / 1000
        sent = int(record.attributes.sent_timestamp) / 1000
        turn = Turn(context.aws_request_id, started, deadline, attempt, messages().attempts, sent)
        said |= work(job, turn)
    except Refused as why:
        said |= {"outcome": "refused", "reason": str(why)}
    except Exception as why:
        said |= _failure(why)
        if isinstance(why, Broken) or attempt >= messages().attempts:
            messages().bury(record.raw_event, said["outcome"], said["reason"])
            said["buried"] = True
            return
        wait = why.after_seconds if isinstance(why, Retry) else None
        messages().delay(record.receipt_handle, backoff(attempt) if wait is None else wait)
        raise
    finally:
        said |= {"seconds": round(time.time() - started, 3), "cpu_seconds": round(time.process_time() - cpu, 3)}
        logger.info("outcome", extra=said)
        logger.remove_keys(["function_request_id", "delivery"])


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
