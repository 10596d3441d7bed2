"""The HTTP server that every emulated service answers through."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

from local.aws.protocol import Answer, AwsError, Request, json_error, request_id
from local.loopback import LoopbackServer, QuietHandler

LARGEST_BODY = 30 * 1024 * 1024  # bytes; PutVectors allows 20 MiB


class Door(LoopbackServer):
    """Listen on loopback and hand each request, read whole, to `answer`; one thread a connection."""

    daemon_threads = True

    def __init__(self, answer: Callable[[Request], Answer], port: int = 0) -> None:
        self.answer = answer
        self._guard = threading.Condition()
        self._under_way = 0
        super().__init__(_Connection, port)

    def drain(self) -> None:
        """Let requests under way get their answer."""
        with self._guard:
            self._guard.wait_for(lambda: not self._under_way, timeout=2)

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


class _Connection(QuietHandler):
    """One kept-alive connection."""

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
