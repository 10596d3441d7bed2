"""The door to conversation: one message in, one log line out.

Nothing is queued here yet; a message that is here all the same is told so and done.
"""

from typing import Any

from aws_lambda_powertools.utilities.batch import SqsFifoPartialProcessor, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.core.events.job import Job
from kodiai.telemetry import logger


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle one batch of mentions.fifo, which holds one message."""
    processor = SqsFifoPartialProcessor()
    processor.raise_on_entire_batch_failure = False
    return process_partial_response(event=event, record_handler=_mention, processor=processor, context=context)


def _mention(record: SQSRecord) -> None:
    job = Job.from_message(record.body)
    logger.info(
        "outcome",
        extra={
            "delivery": job.delivery,
            "repository": job.repository,
            "pull_request": job.number,
            "outcome": "skipped",
            "reason": "conversation is not available yet",
        },
    )
