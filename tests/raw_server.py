"""A server that answers byte by byte what it is given."""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.server import Server


@dataclass(frozen=True)
class RawAnswer:
    """Bytes on a socket, after which the connection ends, or stays open and silent."""

    raw: bytes
    stalls: bool = False


def raw_answer(
    status: int = 200, body: bytes = b"[]", headers: Mapping[str, str] = {}, *, missing: int = 0, stalls: bool = False
) -> RawAnswer:
    """A response; `missing` is the number of bytes that its body lacks."""
    fields = {"connection": "close", "content-length": len(body) + missing, **headers}
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in fields.items())]
    return RawAnswer("\r\n".join(lines).encode() + b"\r\n\r\n" + body, stalls)


class RawServer(Server):
    """Answers each request with the next answer.

    `asked`, `paths` and `headers` are the methods, addresses and headers of the requests.
    """

    def __init__(self, *answers: RawAnswer) -> None:
        self.asked: list[str] = []
        self.paths: list[str] = []
        self.headers: list[Mapping[str, str]] = []
        self._answers = deque(answers)
        super().__init__(self._answer)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - ASGI gives it
        await Request(scope, receive).body()
        self.asked.append(scope["method"])
        self.headers.append(dict(Request(scope).headers))
        self.paths.append(f"{scope['path']}?{scope['query_string'].decode()}".removesuffix("?"))
        answer = self._answers.popleft()
        connection = scope["state"]["transport"]
        connection.write(answer.raw)
        if not answer.stalls:
            connection.close()
        while (await receive())["type"] != "http.disconnect":
            pass


@contextmanager
def serving(*answers: RawAnswer) -> Iterator[tuple[str, RawServer]]:
    """The address of a server that gives these answers, and the server."""
    server = RawServer(*answers)
    server.start()
    try:
        yield server.url, server
    finally:
        server.stop()
