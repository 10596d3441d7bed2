"""Consume: what both doors behind a queue do with a message: one flow call, one log line, and how it comes again."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.job import Job
from kodiai.telemetry import logger

# Five tries span twenty minutes: 10, 30, 90, 270 and 810 seconds, where the world does not say how long to wait.
_FIRST_WAIT_SECONDS = 10
_WAIT_GROWS = 3

Work = Callable[[Job, str, float], Mapping[str, Any]]
"""Does a job for the owner of that name until that deadline (seconds since the epoch), and says what came of it."""


class Visibility(Protocol):
    """How long a received message stays hidden."""

    def delay(self, receipt_handle: str, seconds: float) -> None:
        """Show it again after so many seconds, not after its whole visibility timeout."""


def consume(
    event: dict[str, Any], context: LambdaContext, work: Work, visibility: Callable[[], Visibility]
) -> PartialItemFailureResponse:
    """Handle one batch of a FIFO queue, which holds one message; what failed is delivered again."""

    def handle(record: SQSRecord) -> None:
        _handle(record, context, work, visibility)

    processor = SqsFifoPartialProcessor()
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event=event, record_handler=handle, processor=processor, context=context)


def _handle(record: SQSRecord, context: LambdaContext, work: Work, visibility: Callable[[], Visibility]) -> None:
    started, cpu = time.time(), time.process_time()
    attempt = int(record.attributes.approximate_receive_count)
    said: dict[str, Any] = {"attempt": attempt}
    try:
        job = Job.from_message(record.body)
        said["delivery"], said["trigger"] = job.delivery, job.trigger
        said["repository"], said["pull_request"] = job.repository, job.number
        said |= work(job, context.aws_request_id, started + context.get_remaining_time_in_millis() / 1000)
    except Refused as why:
        said |= {"outcome": "refused", "reason": str(why)}
    except Retry as why:
        said |= {"outcome": "retry", "reason": str(why), "after_seconds": why.after_seconds}
        wait = backoff(attempt) if why.after_seconds is None else why.after_seconds
        visibility().delay(record.receipt_handle, wait)
        raise
    except Exception as why:
        if not isinstance(why, Broken):
            logger.exception("crashed")
        said |= {"outcome": "broken", "reason": f"{type(why).__name__}: {why}"}
        visibility().delay(record.receipt_handle, 0)
        raise
    finally:
        said |= {"seconds": round(time.time() - started, 3), "cpu_seconds": round(time.process_time() - cpu, 3)}
        logger.info("outcome", extra=said)


def backoff(attempt: int) -> int:
    """Seconds to wait after this many tries."""
    return int(_FIRST_WAIT_SECONDS * _WAIT_GROWS ** (attempt - 1))
