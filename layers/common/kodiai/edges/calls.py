"""Logs each request to another system, at the level DEBUG only.

A line is "call", with `to` (github, model, voyage, or the name of the AWS service), `what` was asked, `status` (HTTP's,
none where no answer came), `error` (AWS's code, or why there is no whole answer), `began` (seconds since the epoch) and
`seconds`, from the sending to the end of the answer. It has neither what was sent nor what was answered.
"""

import logging
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from kodiai.telemetry import logger

if TYPE_CHECKING:
    from botocore.awsrequest import AWSRequest
    from botocore.client import BaseClient

_LOG = "kodiai_call_log"
_FAILED = 400


class CallLog:
    """Logs the requests to one system, one after the other; a context for those that one question leads to."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._line: dict[str, Any] = {}
        self._sent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, *trace: object) -> None:
        if error is not None and self._line.get("status", 0) < _FAILED:
            self.answered(error=type(error.__cause__ or error).__name__)
        self.over()

    def sent(self, what: str, **more: Any) -> None:
        """Note that a request is sent, and log the one before it."""
        if logger.log_level <= logging.DEBUG:
            self.over()
            self._line = {"to": self._to, "what": what, "began": round(time.time(), 6), **more}
            self._sent = time.perf_counter()

    def answered(self, **known: Any) -> None:
        """Note what is known about the answer so far."""
        if self._line:
            self._line |= known

    def over(self) -> None:
        """Log the request that was under way, if there was one."""
        if self._line:
            line, self._line = self._line, {}
            logger.debug("call", extra={**line, "seconds": round(time.perf_counter() - self._sent, 6)})


def log_calls(client: "BaseClient") -> None:
    """Log each request of an AWS client, each try too."""
    if logger.log_level <= logging.DEBUG:
        # The last to look at a request before it is sent, the first to look at its answer.
        client.meta.events.register_last("request-created", _sent)
        client.meta.events.register_first("response-received", _answered)


def _sent(request: "AWSRequest", event_name: str, **_: Any) -> None:
    service, operation = event_name.split(".")[1:]
    log = request.context[_LOG] = CallLog(service)
    log.sent(operation)


def _answered(
    context: dict[str, Any],
    response_dict: Mapping[str, Any] | None,
    parsed_response: Mapping[str, Any] | None,
    exception: Exception | None,
    **_: Any,
) -> None:
    log: CallLog = context.pop(_LOG)
    if response_dict is None or parsed_response is None:
        log.answered(error=type(exception).__name__)
    else:
        log.answered(status=response_dict["status_code"], error=parsed_response.get("Error", {}).get("Code"))
    log.over()
