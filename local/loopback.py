"""An HTTP server on 127.0.0.1 that starts at once and stops at once, with nothing left open."""

import contextlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_POLL_SECONDS = 0.05


class LoopbackServer(ThreadingHTTPServer):
    """Serves each connection in a thread of its own; `stop` cuts them all off.

    It waits for their threads too, unless a subclass makes them daemons.
    """

    daemon_threads = False
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", port), handler)
        self._thread = threading.Thread(target=self.serve_forever, args=(_POLL_SECONDS,), daemon=True)

    @property
    def url(self) -> str:
        """The server's address, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_port}"

    def start(self) -> None:
        """Begins to serve."""
        self._thread.start()

    def stop(self) -> None:
        """Ends every connection and the server; returns when all its threads have ended."""
        if not self._thread.is_alive():
            self.server_close()
            return
        self.shutdown()
        self._thread.join()
        self.drain()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()

    def drain(self) -> None:
        """A subclass's last wait before connections are cut off; no new ones come any more."""

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remembers the connection before it is served."""
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forgets the connection once it has been served."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of a connection that broke: the other side has ended, which its owner sees."""


class QuietHandler(BaseHTTPRequestHandler):
    """A handler that logs nothing and answers with whole bodies."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the base class's name
        """Logs nothing: what matters is logged by the functions."""

    def answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        """Sends one whole response."""
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
