"""The Messages API stand-in as a server on this machine: HTTP in front of `MessagesApi`."""

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Self

from local.loopback import LoopbackServer, QuietHandler
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

    @property
    def url(self) -> str:
        """What a client takes as `ANTHROPIC_BASE_URL`."""
        return self._server.url

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
        self._server.start()
        return self

    def stop(self) -> None:
        """Close every connection, also of answers that are still delayed."""
        self._server.stopping.set()
        self._server.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class _Server(LoopbackServer):
    daemon_threads = True

    def __init__(self, api: MessagesApi) -> None:
        self.api = api
        self.stopping = threading.Event()
        super().__init__(_Door)

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        message_request(streaming=False)  # the SDK takes a second to import: while the rest of the system starts
        super().serve_forever(poll_interval)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong in a thread of ours; a client that goes away is no news."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Door(QuietHandler):
    wbufsize = -1  # headers and body leave in one piece
    server: _Server

    def do_GET(self) -> None:  # noqa: N802 - a name that http.server looks for
        self._answer("GET")

    def do_POST(self) -> None:  # noqa: N802 - the same
        self._answer("POST")

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
        if response.halved:
            self.close_connection = True
            payload = payload[: len(payload) // 2]
        self.wfile.write(payload)
