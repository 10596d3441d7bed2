"""Tells each request to the outside by a line in the log, at the level DEBUG; at any other nothing is done.

A line is "call", with `to` (github, model, or the name of the AWS service), `what` was asked, `status` (HTTP's, none
where no answer came), `error` (AWS's code, or why there is no whole answer), `began` (seconds since the epoch) and
`seconds`, from the sending to the end of the answer. What was sent and what was answered is not in it.
"""

import logging
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from kodiai.telemetry import logger

if TYPE_CHECKING:
    from botocore.awsrequest import AWSRequest
    from botocore.client import BaseClient

_CALLS = "kodiai_calls"
_FAILED = 400


class Calls:
    """The requests that one question leads to, one after the other, to one system; a context for them."""

    def __init__(self, to: str) -> None:
        self._to = to
        self._told: dict[str, Any] = {}
        self._sent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._told.get("status", 0) < _FAILED:
            self.answered(error=type(error.__cause__ or error).__name__)
        self.over()

    def sent(self, what: str, **more: Any) -> None:
        """Say that a request is sent; the one before it is over."""
        if logger.log_level <= logging.DEBUG:
            self.over()
            self._told = {"to": self._to, "what": what, "began": round(time.time(), 6), **more}
            self._sent = time.perf_counter()

    def answered(self, **told: Any) -> None:
        """Say what is known of the answer by now; None is nothing."""
        if self._told:
            self._told |= told

    def over(self) -> None:
        """Tell the request that was under way, if there was one."""
        if self._told:
            told, self._told = self._told, {}
            logger.debug("call", extra={**told, "seconds": round(time.perf_counter() - self._sent, 6)})


def tell_calls(client: "BaseClient") -> None:
    """Have each request of an AWS client told, tries too."""
    if logger.log_level <= logging.DEBUG:
        # The last to look at a request before it is sent, the first to look at its answer.
        client.meta.events.register_last("request-created", _sent)
        client.meta.events.register_first("response-received", _answered)


def _sent(request: "AWSRequest", event_name: str, **_: Any) -> None:
    service, operation = event_name.split(".")[1:]
    calls = Calls(service)
    request.context[_CALLS] = calls
    calls.sent(operation)


def _answered(
    context: dict[str, Any],
    response_dict: Mapping[str, Any] | None,
    parsed_response: Mapping[str, Any] | None,
    exception: Exception | None,
    **_: Any,
) -> None:
    calls: Calls = context.pop(_CALLS)
    if response_dict is None or parsed_response is None:
        calls.answered(error=type(exception).__name__)
    else:
        calls.answered(status=response_dict["status_code"], error=parsed_response.get("Error", {}).get("Code"))
    calls.over()
