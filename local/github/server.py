"""The HTTP server around the API: uvicorn in a thread, on the loopback address."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import uvicorn
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from local.github.answers import Answer
from local.github.api import Api, Asked

_START_SECONDS = 20.0


class _CuttableProtocol(H11Protocol):
    """Hands the connection to the application, so that it can be broken off."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, "transport": transport}


class _PromptServer(uvicorn.Server):
    """Ends as soon as it is told, instead of looking ten times a second whether it should."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        await self._told.wait()

    def tell_to_end(self) -> None:
        """From any thread."""
        self.should_exit = self.force_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._told.set)


class Server:
    """Serves an Api until it is stopped, and a `site` where there is one. The port is there from construction on."""

    def __init__(self, api: Api, port: int = 0) -> None:
        self.site: ASGIApp | None = None
        self._api = api
        self._socket = socket.create_server(("127.0.0.1", port))
        # Head and body of an answer are two packets; without this the second waits 40 ms for word of the first.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(
            self._serve,
            interface="asgi3",
            http=_CuttableProtocol,
            ws="none",
            lifespan="off",
            log_level="error",
            server_header=False,
            date_header=False,
        )
        self._server = _PromptServer(config)
        self._thread = threading.Thread(target=self._run, name="github", daemon=True)

    def start(self) -> None:
        """Begin to serve, and return once it does."""
        self._thread.start()
        until = time.monotonic() + _START_SECONDS
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > until:
                raise RuntimeError("the GitHub stand-in did not start")
            time.sleep(0.005)

    def stop(self) -> None:
        """End; connections that are still open are closed."""
        if self._thread.is_alive():
            self._server.tell_to_end()
            self._thread.join(_START_SECONDS)
        self._socket.close()

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.site is not None and self._api.is_for_people(scope["path"]):
            await self.site(scope, receive, send)
            return
        request = Request(scope, receive)
        asked = Asked(
            method=request.method,
            raw_path=scope["raw_path"],
            raw_query=scope["query_string"].decode("ascii", "replace"),
            headers=dict(request.headers),
            body=await request.body(),
        )
        exchange = await run_in_threadpool(self._api.answer, asked)
        if exchange.trouble.seconds:
            await asyncio.sleep(exchange.trouble.seconds)
        if exchange.trouble.cuts:
            scope["state"]["transport"].abort()
            return
        if exchange.trouble.tears:
            await _tear(exchange.answer, scope, receive, send)
            return
        await _respond(exchange.answer)(scope, receive, send)


async def _tear(answer: Answer, scope: Scope, receive: Receive, send: Send) -> None:
    """Send half of what the header promises, and close the connection."""
    whole = replace(answer, raw=b"".join(answer.raw)) if isinstance(answer.raw, Iterator) else answer
    response = _respond(whole)
    half = bytes(response.body[: len(response.body) // 2])
    await send({"type": "http.response.start", "status": answer.status, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": half, "more_body": True})
    scope["state"]["transport"].close()
    while (await receive())["type"] != "http.disconnect":
        pass


def _respond(answer: Answer) -> Response:
    headers = dict(answer.headers)
    if isinstance(answer.raw, Iterator):
        return StreamingResponse(answer.raw, answer.status, headers, answer.media_type)
    if answer.raw is not None:
        return Response(answer.raw, answer.status, headers, answer.media_type)
    return Response(_dump(answer.body), answer.status, headers, answer.media_type)


def _dump(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
