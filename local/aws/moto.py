"""CloudWatch Logs and S3, which deployments ask for: moto's own server applications, one request at a time."""

import asyncio
import secrets
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

Service = Literal["logs", "s3"]


class Moto:
    """An ASGI application that passes requests to moto in the server's thread: it is not thread-safe.

    Moto keeps its state in the process, by account; an account of its own keeps one `Moto` apart from the next.
    """

    def __init__(self) -> None:
        self._loading = asyncio.Lock()
        self._clients: dict[Service, Any] = {}
        self._account = str(10**11 + secrets.randbelow(9 * 10**11))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the first one waits about two seconds until moto is loaded.

        A request to S3 is all in its method, its path and its headers; only the others have a target.
        """
        request = Request(scope, receive)
        service: Service = "logs" if "x-amz-target" in request.headers else "s3"
        body = await request.body()
        async with self._loading:
            if service not in self._clients:
                self._clients[service] = await run_in_threadpool(_load, service)
        await self._pass_on(service, request, body)(scope, receive, send)

    def close(self) -> None:
        """Forget what this account held; the server has stopped by then."""
        if self._clients:
            from moto.backends import get_backend  # noqa: PLC0415 - moto takes a second to load

            for service in self._clients:
                get_backend(service).pop(self._account, None)

    def _pass_on(self, service: Service, request: Request, body: bytes) -> Response:
        headers = {**request.headers, "x-moto-account-id": self._account}
        path = request.scope["raw_path"].decode()
        query = request.scope["query_string"].decode()
        answer = self._clients[service].open(
            path, method=request.method, query_string=query, headers=headers, data=body
        )
        kept = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
        return Response(answer.data, answer.status_code, kept)


def _load(service: Service) -> Any:
    """Load moto, which takes a second or two, as a client of a service: its dispatcher lists folders per request."""
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415
    from werkzeug.test import Client  # noqa: PLC0415

    return Client(create_backend_app(service))
