"""An HTTP server on the loopback address, in a thread: it starts at once, and stops at once."""

import asyncio
import math
import socket
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import uvicorn
from anyio import to_thread
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

T = TypeVar("T")
_OWN_NAMES = ("127.0.0.1", "localhost")
_START_SECONDS = 20.0
_END_SECONDS = 10.0
_IDLE_SECONDS = 3600
_TURNS_OF_ACCEPTING = 3
"""Turns of the event loop until an accepted connection is one of the server's connections."""


class Server:
    """Serves an ASGI application. The port is open from construction on, and answered from `start` on.

    As many requests as come are answered at the same time, in threads too (`run_in_threadpool`). An idle connection
    stays open, so that no client finds one closed that it is about to use. An application can `hang_up`.
    A request has to name this machine in its header Host: a page whose name was pointed here names itself.
    `has_names` is whether it is reached under other names too, as through a tunnel.
    Raises OSError where the port is taken.
    """

    def __init__(self, application: ASGIApp, port: int = 0, *, has_names: bool = False) -> None:
        self._socket = socket.create_server(("127.0.0.1", port))
        # Head and body of an answer are two packets; without this the second waits 40 ms for word of the first.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            application if has_names else _OwnHost(application),
            interface="asgi3",
            http=_Connection,
            ws="none",
            lifespan="off",
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_IDLE_SECONDS,
        )
        self._server = _Uvicorn(config)
        self._thread = threading.Thread(target=self._run, name="http-server", daemon=True)

    def start(self) -> None:
        """Begin to serve, and return once it does. Raises RuntimeError where it cannot."""
        self._thread.start()
        if not self._server.ready.wait(_START_SECONDS) or not self._server.started:
            raise RuntimeError("the HTTP server did not start")

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run something in the server's event loop, from another thread, and return its result."""
        return asyncio.run_coroutine_threadsafe(work, self._server.loop).result()

    def stop(self, grace: float = 0.0) -> None:
        """End the server. Requests under way get `grace` seconds for their answers; then all connections are cut off.

        It returns when the threads of the requests have ended too, at most some seconds later.
        """
        if self._thread.is_alive():
            self._server.end(grace)
            self._thread.join(grace + 2 * _END_SECONDS)
        self._socket.close()

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._server.ready.set()


async def hang_up(scope: Scope, receive: Receive) -> None:
    """Break off the connection of a request, which gets no answer then, or only what has been sent of it."""
    scope["state"]["transport"].abort()
    while (await receive())["type"] != "http.disconnect":
        pass


class _OwnHost:
    """Refuses requests that were sent to another host name, against DNS rebinding.

    The port may be another one: it is forwarded then, or a test's proxy is in front of this.
    """

    def __init__(self, application: ASGIApp) -> None:
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "").partition(":")[0].lower()
        refusal = PlainTextResponse("This server is on this machine, and has no other name.\n", 421)
        await (self._application if host in _OWN_NAMES else refusal)(scope, receive, send)


class _Connection(HttpToolsProtocol):
    """Hands the connection to the application, so that it can be broken off."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class _Uvicorn(uvicorn.Server):
    """Ends on request, where uvicorn looks ten times a second whether it should and sleeps on the way out."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self.loop: asyncio.AbstractEventLoop
        self._ended = asyncio.Event()
        self._grace = 0.0

    def end(self, grace: float) -> None:
        """Stop serving; from any thread."""
        self._grace = grace
        if self.ready.is_set():
            with suppress(RuntimeError):  # another thread has stopped it meanwhile
                self.loop.call_soon_threadsafe(self._ended.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        to_thread.current_default_thread_limiter().total_tokens = math.inf
        await super().startup(sockets)
        self.ready.set()

    async def main_loop(self) -> None:
        await self._ended.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:  # noqa: ARG002 - uvicorn gives it
        for listener in self.servers:
            for each in listener.sockets:
                self.loop.remove_reader(each.fileno())
        # asyncio loses a connection whose listener closes between its acceptance and its transport.
        for _ in range(_TURNS_OF_ACCEPTING):
            await asyncio.sleep(0)
        for listener in self.servers:
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._finish_tasks(self._grace)
        for connection in list(self.server_state.connections):
            if isinstance(connection, _Connection):
                connection.transport.abort()
        await self._finish_tasks(_END_SECONDS)

    async def _finish_tasks(self, seconds: float) -> None:
        if self.server_state.tasks:
            await asyncio.wait(set(self.server_state.tasks), timeout=seconds)
