"""The door to the review: one message in, one log line out."""

import time
from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.events.job import Job
from kodiai.flows.review_pull_request import review_pull_request
from kodiai.telemetry import logger
from kodiai.wiring import review_world, reviews_visibility

# Five tries span twenty minutes: 10, 30, 90, 270 and 810 seconds, where the world does not say how long to wait.
_FIRST_WAIT_SECONDS = 10
_WAIT_GROWS = 3


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle one batch of reviews.fifo, which holds one message."""
    processor = SqsFifoPartialProcessor()
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event=event, record_handler=_review, processor=processor, context=context)


def _review(record: SQSRecord, lambda_context: LambdaContext) -> None:
    started, cpu = time.time(), time.process_time()
    attempt = int(record.attributes.approximate_receive_count)
    said: dict[str, Any] = {"attempt": attempt}
    try:
        job = Job.from_message(record.body)
        said["delivery"], said["trigger"] = job.delivery, job.trigger
        said["repository"], said["pull_request"] = job.repository, job.number
        deadline = started + lambda_context.get_remaining_time_in_millis() / 1000
        with review_world(job, lambda_context.aws_request_id, deadline) as world:
            outcome = review_pull_request(job, world)
        said |= {"outcome": outcome.status, "reason": outcome.reason, **brief(outcome.facts)}
    except Refused as why:
        said |= {"outcome": "refused", "reason": str(why)}
    except Retry as why:
        said |= {"outcome": "retry", "reason": str(why), "after_seconds": why.after_seconds}
        _wait(record, backoff(attempt) if why.after_seconds is None else why.after_seconds)
        raise
    except Exception as why:
        if not isinstance(why, Broken):
            logger.exception("crashed")
        said |= {"outcome": "broken", "reason": f"{type(why).__name__}: {why}"}
        _wait(record, 0)
        raise
    finally:
        said |= {"seconds": round(time.time() - started, 3), "cpu_seconds": round(time.process_time() - cpu, 3)}
        logger.info("outcome", extra=said)


def backoff(attempt: int) -> int:
    """Seconds to wait after this many tries."""
    return int(_FIRST_WAIT_SECONDS * _WAIT_GROWS ** (attempt - 1))


def _wait(record: SQSRecord, seconds: float) -> None:
    """Have the queue deliver the message again after so long, not after its whole visibility timeout."""
    reviews_visibility().delay(record.receipt_handle, seconds)


def brief(facts: Any) -> dict[str, Any]:
    """The facts without their lists of paths, which belong into the ledger, not into a log."""
    return {name: value for name, value in facts.items() if not isinstance(value, list)}
