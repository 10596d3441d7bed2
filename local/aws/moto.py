"""CloudWatch Logs and S3, which deployments ask for: moto's own server applications, one request at a time.

They run in one process of their own, which holds moto, some 30 MB, and what was uploaded.
"""

import atexit
import multiprocessing
import secrets
import subprocess
import sys
import threading
from functools import cache
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send


class _Asked(NamedTuple):
    """A request to "logs" or "s3"; one without a method forgets all that the service holds of the account."""

    service: str
    account: str
    method: str = ""
    path: str = ""
    query: str = ""
    headers: dict[str, str] = {}
    body: bytes = b""


class Moto:
    """An ASGI application that passes requests to moto.

    Moto keeps its state by account; an account of its own keeps one `Moto` apart from the next.
    """

    def __init__(self) -> None:
        self._services: set[str] = set()
        self._account = str(10**11 + secrets.randbelow(9 * 10**11))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the first one waits about two seconds until moto is loaded.

        A request to S3 is all in its method, its path and its headers; only the others have a target.
        """
        request = Request(scope, receive)
        service = "logs" if "x-amz-target" in request.headers else "s3"
        self._services.add(service)
        path, query = scope["raw_path"].decode(), scope["query_string"].decode()
        asked = _Asked(
            service, self._account, request.method, path, query, dict(request.headers), await request.body()
        )
        status, headers, body = await run_in_threadpool(lambda: _process().ask(asked))
        kept = {name: value for name, value in headers.items() if name.lower() != "content-length"}
        await Response(body, status, kept)(scope, receive, send)

    def close(self) -> None:
        """Forget what this account held; the server has stopped by then."""
        for service in self._services:
            _process().ask(_Asked(service, self._account))


class _Process:
    """Moto's process; it ends when this one does, however it does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking, asked = multiprocessing.Pipe()
        with asked:
            self._process = subprocess.Popen([sys.executable, "-m", __name__], stdin=asked.fileno())
        atexit.register(self._stop)

    def ask(self, asked: _Asked) -> Any:
        """Return status, headers and body of moto's answer. Raises EOFError and OSError if the process has ended."""
        with self._lock:
            self._asking.send(tuple(asked))
            return self._asking.recv()

    def _stop(self) -> None:
        self._asking.close()
        self._process.wait()


@cache
def _process() -> _Process:
    return _Process()


def _serve(connection: Connection) -> None:
    """Answer requests until nobody can ask any more."""
    while True:
        try:
            asked = _Asked(*connection.recv())
        except EOFError:
            return
        connection.send(_answer(asked))


def _answer(asked: _Asked) -> tuple[int, dict[str, str], bytes]:
    from moto.backends import get_backend  # noqa: PLC0415 - it takes a second to load

    if not asked.method:
        get_backend(asked.service).pop(asked.account, None)  # type: ignore[arg-type]  # it has a name for each service
        return 200, {}, b""
    answer = _client(asked.service).open(
        asked.path,
        method=asked.method,
        query_string=asked.query,
        headers={**asked.headers, "x-moto-account-id": asked.account},
        data=asked.body,
    )
    return answer.status_code, dict(answer.headers), answer.data


@cache
def _client(service: str) -> Any:
    """A client of one service: moto's dispatcher lists folders for each request."""
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415
    from werkzeug.test import Client  # noqa: PLC0415

    return Client(create_backend_app(service))


if __name__ == "__main__":
    _serve(Connection(sys.stdin.fileno()))
