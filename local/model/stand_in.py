"""The Messages API stand-in as a server on this machine: HTTP in front of `MessagesApi`."""

import asyncio
import json
from typing import Self

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.model.answers import Answers
from local.model.messages_api import MessagesApi, RecordedRequest
from local.model.offline.reviewer import OfflineReviewer
from local.recent import Recent
from local.server import Server, hang_up


class ModelStandIn:
    """Serves the Messages API on the loopback address, on a port that the system chooses; a context manager.

    `answers` gives the answers (by default the offline reviewer). Unless it is `trusting`, every request is
    held against the SDK's types and the API's rules.
    """

    def __init__(self, answers: Answers | None = None, *, trusting: bool = False) -> None:
        self._api = MessagesApi(answers or OfflineReviewer(), trusting=trusting)
        self._server = Server(self.serve)
        self.url = self._server.url
        """The value for a client's `ANTHROPIC_BASE_URL`."""

    @property
    def requests(self) -> Recent[RecordedRequest]:
        """Every request so far, keys redacted."""
        return self._api.requests

    @property
    def violations(self) -> Recent[str]:
        """The faults of requests that the SDK's own types or the API's rules do not allow."""
        return self._api.violations

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application: others can hand theirs on."""
        request = Request(scope, receive)
        raw = await request.body()
        path = request.url.path
        response = await run_in_threadpool(self._api.respond, request.method, path, dict(request.headers), raw)
        answer = response.answer
        if answer.delay_seconds and not await _is_still_there(receive, answer.delay_seconds):
            return
        if answer.lost:
            await hang_up(scope, receive)
            return
        body = json.dumps(response.body)  # escaped: a model may call tools with halves of surrogate pairs
        whole = Response(body, response.status, dict(response.headers), media_type="application/json")
        if not answer.halved:
            await whole(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": whole.status_code, "headers": whole.raw_headers})
        half = bytes(whole.body[: len(whole.body) // 2])
        await send({"type": "http.response.body", "body": half, "more_body": True})
        await hang_up(scope, receive)


async def _is_still_there(receive: Receive, seconds: float) -> bool:
    """Wait; whether the client has waited too, and nobody has stopped the server."""
    try:
        async with asyncio.timeout(seconds):
            while (await receive())["type"] != "http.disconnect":
                pass
    except TimeoutError:
        return True
    return False
