"""The HTTP API on the loopback address: each request to a route of the template calls its function.

Requests become events of the payload format 2.0. Source:
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import json
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.lambdas.description import Route
from local.lambdas.function import Function
from local.lambdas.runtime_api import Result
from local.server import Server

# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (synchronous invocation)
EVENT_LIMIT = 6 * 1024 * 1024
_VARIABLE = re.compile(r"\$context\.([A-Za-z.]+)")
_TEXTUAL = {"application/json", "application/javascript", "application/xml"}
_EVERY_METHOD = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


@dataclass(frozen=True)
class AccessLog:
    """The log of a stage: its format, with variables such as `$context.status`, and what takes a line.

    Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
    """

    form: str
    write: Callable[[str], None]

    def around(self, application: ASGIApp) -> ASGIApp:
        """Return the application with a line for each request; a variable that is not known here is "-"."""

        async def logged(scope: Scope, receive: Receive, send: Send) -> None:
            known = {"httpMethod": scope["method"], "path": scope["path"], "requestId": uuid.uuid4().hex[:16]}
            began = time.monotonic()

            async def see(message: Message) -> None:
                if message["type"] == "http.response.start":
                    known["status"] = str(message["status"])
                await send(message)

            await application(scope, receive, see)
            known["routeKey"] = scope.get("state", {}).get("route_key", "-")
            known["responseLatency"] = str(int((time.monotonic() - began) * 1000))
            self.write(_VARIABLE.sub(lambda name: known.get(name[1], "-"), self.form))

        return logged


class HttpApi:
    """A port whose requests wait until routes are given, and are answered by their functions from then on.

    Every request that no route takes is answered with 404.
    """

    def __init__(self, port: int = 0) -> None:
        # Webhooks come through a tunnel, under its name: they are signed, and other callers bring a token.
        self._server = Server(self._answer, port, has_names=True)
        self._application: ASGIApp | None = None
        self.url = self._server.url

    def answer_with(self, routes: Sequence[Route], functions: Mapping[str, Function], log: AccessLog | None) -> None:
        """Answer with these functions from now on. `log` gets a line for each request."""
        endpoints = [
            StarletteRoute(
                route.path.replace("+}", ":path}"),  # a greedy parameter: it takes the rest of the path
                _endpoint(route, functions[route.function]),
                methods=_EVERY_METHOD if route.method == "ANY" else [route.method],
            )
            for route in routes
        ]
        not_found = {404: _not_found, 405: _not_found}
        api = Starlette(routes=endpoints, exception_handlers=not_found)
        begins = self._application is None
        self._application = log.around(api) if log else api
        if begins:
            self._server.start()

    def stop(self) -> None:
        """Cut off what is still open and end."""
        self._server.stop()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._application is not None  # noqa: S101 -- the server starts when there is one
        await self._application(scope, receive, send)


def _endpoint(route: Route, function: Function) -> Callable[[Request], Awaitable[Response]]:
    async def call(request: Request) -> Response:
        request.state.route_key = f"{route.method} {route.path}"
        event = json.dumps(event_of(request, await request.body(), route)).encode()
        if len(event) > EVENT_LIMIT:
            return _message(413, "Request Entity Too Large")
        return response_of(await run_in_threadpool(function.invoke, event))

    return call


def event_of(request: Request, body: bytes, route: Route) -> dict[str, Any]:
    """Return the event that the function is called with."""
    route_key = f"{route.method} {route.path}"
    headers = {name: ",".join(request.headers.getlist(name)) for name in request.headers}
    text = _text_of(body, headers.get("content-type", ""))
    now = time.time()
    return {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": request.url.path,
        "rawQueryString": request.url.query,
        "headers": headers,
        **({"queryStringParameters": _parameters(request)} if request.url.query else {}),
        **({"pathParameters": dict(request.path_params)} if request.path_params else {}),
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": headers["host"],
            "domainPrefix": "local",
            "http": {
                "method": request.method,
                "path": request.url.path,
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": uuid.uuid4().hex[:16],
            "routeKey": route_key,
            "stage": "$default",
            "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
            "timeEpoch": int(now * 1000),
        },
        **({"body": base64.b64encode(body).decode() if text is None else text} if body else {}),
        "isBase64Encoded": bool(body) and text is None,
    }


def response_of(result: Result) -> Response:
    """Return the response for a function's result; what cannot be sent is the function's failure."""
    if result.timed_out:
        return _message(503, "Service Unavailable")
    try:
        answer = json.loads(result.payload)
        headers = {name.lower(): str(value) for name, value in answer.get("headers", {}).items()}
        body = answer.get("body")
        if answer.get("isBase64Encoded"):
            body = base64.b64decode(body, validate=True)
        return Response(body, int(answer["statusCode"]), headers)
    except (ValueError, TypeError, AttributeError, KeyError):
        return _message(500, "Internal Server Error")


def _parameters(request: Request) -> dict[str, str]:
    """The query's parameters; several values of one name are joined by commas, as in the headers."""
    names = dict.fromkeys(request.query_params)
    return {name: ",".join(request.query_params.getlist(name)) for name in names}


def _text_of(body: bytes, content_type: str) -> str | None:
    kind = content_type.partition(";")[0].strip().lower()
    if not (kind.startswith("text/") or kind in _TEXTUAL or kind.endswith("+json")):
        return None
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _not_found(*_: object) -> Response:
    return _message(404, "Not Found")


def _message(status: int, text: str) -> Response:
    return JSONResponse({"message": text}, status)
