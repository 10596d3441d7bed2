"""The HTTP server that every emulated service answers through."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from local.aws.protocol import Answer, AwsError, Request, json_error, request_id

LARGEST_BODY = 30 * 1024 * 1024  # bytes; PutVectors allows 20 MiB


class Door(ThreadingHTTPServer):
    """Listen on loopback and hand each request, read whole, to `answer`; one thread a connection."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, answer: Callable[[Request], Answer], port: int = 0) -> None:
        self.answer = answer
        self._connections: set[socket.socket] = set()
        self._guard = threading.Condition()
        self._under_way = 0
        super().__init__(("127.0.0.1", port), _Connection)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), name="aws-door", daemon=True)

    @property
    def address(self) -> str:
        """Return the URL of this door, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def open(self) -> None:
        """Start to serve, on a thread of its own."""
        self._thread.start()

    def close(self) -> None:
        """Stop to serve; requests under way get their answer, then whoever is still connected is hung up on."""
        self.shutdown()
        self._thread.join()
        self.server_close()
        with self._guard:
            self._guard.wait_for(lambda: not self._under_way, timeout=2)
            left = list(self._connections)
        for connection in left:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def request_under_way(self) -> Iterator[None]:
        """Count a request in, and out again once it is answered."""
        with self._guard:
            self._under_way += 1
        try:
            yield
        finally:
            with self._guard:
                self._under_way -= 1
                self._guard.notify_all()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note a new connection, so that `close` can hang up on it."""
        with self._guard:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that has ended."""
        with self._guard:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay quiet: only a client that hung up gets here, for `_Connection` answers everything else."""


class _Connection(BaseHTTPRequestHandler):
    """One kept-alive connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Door

    def _serve(self) -> None:
        with self.server.request_under_way():
            self._answer()

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if length > LARGEST_BODY:
            self.close_connection = True
            self._send(json_error(AwsError("RequestEntityTooLarge", "The request is too large.", 413)))
            return
        path, _, query = self.path.partition("?")
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(length)
        request = Request(self.command, path, query, headers, body, self._connected)
        try:
            answer = self.server.answer(request)
        except Exception as error:
            # A door: whatever broke, the client gets an answer.
            answer = json_error(AwsError("InternalFailure", f"{type(error).__name__}: {error}", 500))
        self._send(answer)

    do_DELETE = do_GET = do_POST = do_PUT = _serve  # noqa: N815 - names that http.server looks for

    def _connected(self) -> bool:
        try:
            return bool(self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _send(self, answer: Answer) -> None:
        """Write head and body in one piece: two writes would cost a second packet for each answer."""
        headers = {"x-amzn-RequestId": request_id(), **answer.headers, "Content-Length": str(len(answer.body))}
        lines = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('',))[0]}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.wfile.write("\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + answer.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of http.server
        """Log nothing: the terminal belongs to the review."""
