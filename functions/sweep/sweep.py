"""The function that a schedule calls: it looks for lost webhooks and missed pull requests, and logs one line."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kodiai import cold_start
from kodiai.core.errors import Retry
from kodiai.core.events.job import DeliveryAttempt
from kodiai.flows.sweep import sweep
from kodiai.telemetry import logger
from kodiai.wiring import sweep_ports

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

cold_start.end()


def handler(event: Mapping[str, Any], context: "LambdaContext") -> None:  # noqa: ARG001 - it says only that it is time
    """Sweep once. What a busy service leaves undone is done by the next sweep; any other error counts as one."""
    logger.append_keys(function_request_id=context.aws_request_id)
    started = time.time()
    deadline = started + context.get_remaining_time_in_millis() / 1000
    try:
        with sweep_ports(DeliveryAttempt(context.aws_request_id, started, deadline, attempt=1, attempts=1)) as ports:
            line = {"outcome": "completed", **sweep(ports)}
    except Retry as busy:
        logger.warning("outcome", extra={"outcome": "skipped", "reason": str(busy)})
    except Exception as error:
        logger.exception("outcome", extra={"outcome": "broken", "reason": str(error)})
        raise
    else:
        logger.info("outcome", extra={**line, "seconds": round(time.time() - started, 3)})
    finally:
        logger.remove_keys(["function_request_id"])
