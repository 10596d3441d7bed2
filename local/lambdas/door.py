"""The HTTP API on 127.0.0.1: each request to a route of the template calls its function."""

import json
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from local.lambdas.description import Route
from local.lambdas.function import Function
from local.lambdas.http_event import Request, Response, event_of, match, message, response_of
from local.loopback import LoopbackServer, QuietHandler

# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
REQUEST_LIMIT = 10 * 1024 * 1024
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html (synchronous invocation)
EVENT_LIMIT = 6 * 1024 * 1024
_UNFRAMED = {"content-length", "transfer-encoding", "connection"}


class Door:
    """Answers every request that one of the routes takes, and 404 to all others."""

    def __init__(self, routes: Sequence[Route], functions: Mapping[str, Function], port: int = 0) -> None:
        self._routes = routes
        self._functions = functions
        self._server = LoopbackServer(_handler_for(self.answer), port)

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        """Begins to answer."""
        self._server.start()

    def stop(self) -> None:
        """Cuts off what is still open and ends."""
        self._server.stop()

    def answer(self, request: Request) -> Response:
        """Returns the response to one request."""
        found = match(self._routes, request.method, unquote(request.target.partition("?")[0]))
        if found is None:
            return message(404, "Not Found")
        route, path_values = found
        event = json.dumps(event_of(request, route, path_values)).encode()
        if len(event) > EVENT_LIMIT:
            return message(413, "Request Entity Too Large")
        result = self._functions[route.function].invoke(event)
        if result.timed_out:
            return message(503, "Service Unavailable")
        if result.failed:
            return message(500, "Internal Server Error")
        return response_of(result.payload)


def _handler_for(answer: Callable[[Request], Response]) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def handle_one_request(self) -> None:
            self.close_connection = True
            self.raw_requestline = self.rfile.readline(65537)
            if self.raw_requestline and self.parse_request():
                self.close_connection = True
                self._send(self._respond())

        def _respond(self) -> Response:
            length = self.headers.get("Content-Length", "0")
            if "Transfer-Encoding" in self.headers or not length.isascii() or not length.isdigit():
                return message(411, "Length Required")
            if int(length) > REQUEST_LIMIT:
                self._swallow(int(length))
                return message(413, "Request Entity Too Large")
            body = self.rfile.read(int(length))
            return answer(Request(self.command, self.path, self.headers.items(), body, self.client_address[0]))

        def _swallow(self, length: int) -> None:
            # A client that is still sending would take the end of the connection for an error.
            while length > 0 and (read := len(self.rfile.read(min(length, 1 << 20)))):
                length -= read

        def _send(self, response: Response) -> None:
            headers = [pair for pair in response.headers if pair[0].lower() not in _UNFRAMED]
            self.answer(response.status, [*headers, ("Connection", "close")], response.body)

    return Handler
