"""CloudWatch, EventBridge and S3, which deployments ask for: moto's own server applications, one request at a time.

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
from typing import Any, Literal, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.aws.call import read_call

Service = Literal["cloudwatch", "dynamodb", "events", "logs", "s3"]
_SIGNED_AS: dict[str, Service] = {"events": "events", "logs": "logs", "monitoring": "cloudwatch", "s3": "s3"}
_Answer = tuple[int, dict[str, str], bytes]


class _Asked(NamedTuple):
    """A request to a service; one without a method forgets all that the service holds of the account."""

    service: Service
    account: str
    method: str
    url: str
    headers: dict[str, str]
    body: bytes


class Moto:
    """These services as an ASGI application; tests ask for moto's DynamoDB too.

    Moto keeps its state by account; an account of its own keeps one `Moto` apart from the next.
    """

    def __init__(self) -> None:
        self._services: set[Service] = set()
        self._account = str(10**11 + secrets.randbelow(9 * 10**11))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        service = _SIGNED_AS[read_call(request).service]
        url = f"{scope['raw_path'].decode()}?{scope['query_string'].decode()}"
        body = await request.body()
        status, headers, answer = await run_in_threadpool(
            lambda: self.ask(service, request.method, url, dict(request.headers), body)
        )
        kept = {name: value for name, value in headers.items() if name.lower() != "content-length"}
        await Response(answer, status, kept)(scope, receive, send)

    def ask(self, service: Service, method: str, url: str, headers: dict[str, str], body: bytes) -> _Answer:
        """Return status, headers and body of moto's answer; the first one takes about two seconds, to load moto."""
        self._services.add(service)
        return _process().ask(_Asked(service, self._account, method, url, headers, body))

    def close(self) -> None:
        """Forget what this account held; the server has stopped by then."""
        for service in self._services:
            _process().ask(_Asked(service, self._account, "", "", {}, b""))


class _Process:
    """Moto's process; it ends when this one does, however it does."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking, asked = multiprocessing.Pipe()
        with asked:
            self._process = subprocess.Popen([sys.executable, "-m", __name__], stdin=asked.fileno())
        atexit.register(self._stop)

    def ask(self, asked: _Asked) -> _Answer:
        """Pass a request on. Raises EOFError and OSError if the process has ended."""
        with self._lock:
            self._asking.send(tuple(asked))
            answer: _Answer = self._asking.recv()
        return answer

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


def _answer(asked: _Asked) -> _Answer:
    from moto.backends import get_backend  # noqa: PLC0415 - it takes a second to load

    if not asked.method:
        get_backend(asked.service).pop(asked.account, None)
        return 200, {}, b""
    answer = _client(asked.service).open(
        asked.url,
        method=asked.method,
        headers={**asked.headers, "x-moto-account-id": asked.account},
        data=asked.body,
    )
    return answer.status_code, dict(answer.headers), answer.data


@cache
def _client(service: Service) -> Any:
    """A client of one service: moto's dispatcher lists folders for each request."""
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415
    from werkzeug.test import Client  # noqa: PLC0415

    return Client(create_backend_app(service))


if __name__ == "__main__":
    _serve(Connection(sys.stdin.fileno()))
