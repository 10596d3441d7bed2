"""The function for GitHub's webhooks: one request in, at most one message out, one answer, one log line."""

import base64
import binascii
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kodiai import cold_start
from kodiai.core.metrics import WEBHOOKS_REFUSED
from kodiai.flows.receive_delivery import BROKEN, NOT_BASE64, Delivery, WebhookResponse, receive_delivery
from kodiai.telemetry import logger, measured
from kodiai.wiring import job_queue, parameters, repository_lists, webhook_settings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

_LONGEST_DELIVERY = 100
_LOG = {2: logger.info, 4: logger.warning, 5: logger.error}


def handler(event: Mapping[str, Any], context: "LambdaContext") -> dict[str, Any]:
    """Answer an HTTP API request (payload format 2.0), whatever it holds.

    Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    logger.append_keys(function_request_id=context.aws_request_id)
    try:
        answer = _answer(event)
    except Exception as error:
        answer = WebhookResponse(500, "broken", BROKEN, cause=type(error).__name__)
        logger.exception("outcome", extra=_line(answer))
    else:
        _LOG[answer.status // 100]("outcome", extra=_line(answer))
    finally:
        logger.remove_keys(["function_request_id", "delivery"])
    return _response(answer)


def _answer(event: Mapping[str, Any]) -> WebhookResponse:
    headers = {str(name).lower(): str(text) for name, text in (event.get("headers") or {}).items()}
    logger.append_keys(delivery=headers.get("x-github-delivery", "")[:_LONGEST_DELIVERY] or None)
    body = (event.get("body") or "").encode(errors="surrogatepass")
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True)
        except binascii.Error:
            return WebhookResponse(400, "refused", NOT_BASE64)
    return receive_delivery(Delivery(headers, body), webhook_settings, repository_lists, job_queue())


with suppress(Exception):  # what outlives an event is built before the first one, which reports what is wrong
    parameters()
    job_queue()
cold_start.end()


def _line(answer: WebhookResponse) -> dict[str, Any]:
    """The line of a delivery; one that is refused counts if it looks like GitHub's, whoever signed it."""
    cause = {} if answer.cause is None else {"cause": answer.cause}
    counts = answer.outcome == "refused" and {"event", "delivery"} <= answer.facts.keys()
    line = {"status": answer.status, **_shown(answer), **cause}
    return measured(line, {WEBHOOKS_REFUSED: 1} if counts else {})


def _response(answer: WebhookResponse) -> dict[str, Any]:
    return {
        "statusCode": answer.status,
        "headers": {"content-type": "application/json"},
        "body": json.dumps(_shown(answer)),
    }


def _shown(answer: WebhookResponse) -> dict[str, str | int]:
    return {"outcome": answer.outcome, "reason": answer.reason, **answer.facts}
