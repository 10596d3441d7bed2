"""The function that answers mentions: one message in, one log line out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kodiai import cold_start
from kodiai.consume import consume
from kodiai.core.events.job import DeliveryAttempt, Mention
from kodiai.flows.answer_mention import answer_mention
from kodiai.wiring import messages, ports_of, warm_up

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

warm_up()
cold_start.end()


def handler(event: Mapping[str, Any], context: "LambdaContext") -> dict[str, list[dict[str, str]]]:
    """Handle one batch of mentions.fifo."""
    return consume(event, context, Mention.from_message, _answer, lambda: messages("mentions"))


def _answer(mention: Mention, attempt: DeliveryAttempt) -> Mapping[str, Any]:
    with ports_of(mention, attempt) as ports:
        outcome = answer_mention(mention, ports)
    return {"outcome": outcome.status, "reason": outcome.reason, **outcome.facts}
