"""The Messages API stand-in as a server on this machine: HTTP in front of `MessagesApi`."""

import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from local.model.answers import Answers
from local.model.events import events_of
from local.model.messages_api import MessagesApi, Recorded, Response
from local.model.offline.reviewer import OfflineReviewer
from local.model.request_types import message_request


class ModelStandIn:
    """Serves the Messages API on 127.0.0.1, on a port that the system chooses.

    `answers` decides what is said (the offline reviewer unless told otherwise).
    `clock`, in seconds, is what cache lifetimes are measured by.
    """

    def __init__(self, answers: Answers | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._api = MessagesApi(answers or OfflineReviewer(), clock)
        self._server = _Server(self._api)
        self._thread = threading.Thread(target=self._serve, name="model stand-in", daemon=True)

    @property
    def url(self) -> str:
        """What a client takes as `ANTHROPIC_BASE_URL`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, keys redacted."""
        return self._api.requests

    @property
    def violations(self) -> list[str]:
        """What was wrong with requests that the SDK's own types or the API's rules do not allow."""
        return self._api.violations

    def start(self) -> Self:
        """Begin to serve; a request that comes early waits."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Close every connection, also of answers that are still delayed."""
        self._server.stopping.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self) -> None:
        message_request(streaming=False)  # the SDK takes a second to import: while the rest of the system starts
        self._server.serve_forever(poll_interval=0.05)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, api: MessagesApi) -> None:
        self.api = api
        self.stopping = threading.Event()
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Door)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for connection in list(self._open):
            self.shutdown_request(connection)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong in a thread of ours; a client that goes away is no news."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Door(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body leave in one piece
    server: _Server

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the standard library
        """Requests are kept as records, not as lines on a terminal."""

    def _answer(self, method: str) -> None:
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        response = self.server.api.respond(method, path, headers, raw)
        if response.delay_seconds:
            self.server.stopping.wait(response.delay_seconds)
        if response.lost or self.server.stopping.is_set():
            self.close_connection = True
        else:
            self._send(response)

    def _send(self, response: Response) -> None:
        if response.streaming:
            kind, payload = "text/event-stream", b"".join(events_of(response.body))
        else:
            kind, payload = "application/json", json.dumps(response.body).encode()
        self.send_response(response.status)
        for name, value in {**response.headers, "content-type": kind, "content-length": str(len(payload))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)
