"""The door to conversation: one message in, one log line out.

Nothing is queued here yet; a message that is here all the same is told so and done.
"""

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.typing import LambdaContext

from kodiai.consume import consume
from kodiai.core.events.job import Job
from kodiai.flows.world import Turn
from kodiai.wiring import mentions, warm_up

warm_up()


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Handle one batch of mentions.fifo."""
    return consume(event, context, _answer, mentions)


def _answer(_job: Job, _turn: Turn) -> Mapping[str, Any]:
    return {"outcome": "skipped", "reason": "conversation is not available yet"}
