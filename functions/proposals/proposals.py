"""The function for proposals, over HTTP and over MCP: one request in, one answer, one log line."""

import base64
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from api_description import description
from api_exchange import ApiRequest, Exchange, Noted, read_request
from api_problems import CONTENT_TYPE, ApiError, error_of
from api_routes import app
from kodiai import cold_start
from kodiai.core.errors import KodiaiError
from kodiai.core.proposals.target import Caller
from kodiai.flows.proposals.ports import ApiPorts
from kodiai.telemetry import logger
from kodiai.wiring import api_ports, warm_up_api
from mcp_endpoint import answer_mcp

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

OpenPorts = Callable[[str, Callable[[Caller], None]], AbstractContextManager[ApiPorts]]

_CLIENT_ERROR, _SERVER_ERROR = 400, 500
_MOST_TEXT_BYTES = 1_000_000
"""The longest answer that is sent as text. Lambda writes it as JSON again, where a character may take six bytes."""

warm_up_api()
cold_start.end()


def handler(event: Mapping[str, Any], context: "LambdaContext") -> dict[str, Any]:
    """Answer an HTTP API request (payload format 2.0), whatever it holds.

    Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
    """
    return answer(event, context, api_ports)


def answer(event: Mapping[str, Any], context: "LambdaContext", open_ports: OpenPorts) -> dict[str, Any]:
    """Answer a request with the ports that are opened for its token, and log it."""
    logger.append_keys(function_request_id=context.aws_request_id)
    noted, began = Noted(), time.perf_counter()
    try:
        response = _answer(event, context, noted, open_ports)
    except Exception as error:
        noted.error = None if isinstance(error, ApiError) else error
        response = _error(error_of(error))
    try:
        _log(noted, response["statusCode"], time.perf_counter() - began)
    finally:
        logger.remove_keys(["function_request_id"])
    return _encoded(response)


def _answer(event: Mapping[str, Any], context: "LambdaContext", noted: Noted, open_ports: OpenPorts) -> dict[str, Any]:
    request = read_request(event)
    noted.read(request)
    if (request.method, request.path) == ("GET", "/openapi.json"):
        return _response(200, "application/json", description())
    token = request.token
    request.check_body()

    @contextmanager
    def opened() -> Iterator[ApiPorts]:
        with open_ports(token, noted.caller) as ports:
            try:
                yield ports
            finally:
                noted.calls = sum(ports.calls().values())

    if request.path == "/mcp":
        return answer_mcp(request, opened, noted)
    with opened() as ports:
        app.append_context(exchange=Exchange(ports, noted))  # type: ignore[no-untyped-call]  # powertools leaves it so
        resolved: dict[str, Any] = app.resolve(_with_body(event, request), context)
        return resolved


def _with_body(event: Mapping[str, Any], request: ApiRequest) -> dict[str, Any]:
    """The event with its body as text; without one it is an empty object, as most members may be left out."""
    return {**event, "body": request.body or "{}", "isBase64Encoded": False}


def _response(status: int, content_type: str, body: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {"statusCode": status, "headers": {"content-type": content_type, **(headers or {})}, "body": body}


def _error(error: ApiError) -> dict[str, Any]:
    return _response(error.problem.status, CONTENT_TYPE, error.body, error.headers)


def _encoded(response: dict[str, Any]) -> dict[str, Any]:
    """The response in base64 if it is long."""
    body = str(response.get("body") or "").encode()
    if len(body) <= _MOST_TEXT_BYTES:
        return response
    return {**response, "body": base64.b64encode(body).decode(), "isBase64Encoded": True}


def _log(noted: Noted, status: int, seconds: float) -> None:
    """Write the one line of a request; why it failed is in it, and never what was sent."""
    line = {"status": status, **noted.facts, "seconds": round(seconds, 3)}
    if noted.error is not None:
        known = isinstance(noted.error, KodiaiError)
        line["cause"] = f"{type(noted.error).__name__}: {noted.error}" if known else type(noted.error).__name__
    if status >= _SERVER_ERROR:
        logger.error("outcome", extra=line, exc_info=noted.error if status == _SERVER_ERROR else None)
    elif status >= _CLIENT_ERROR:
        logger.warning("outcome", extra=line)
    else:
        logger.info("outcome", extra=line)
