"""The API with everything outside in memory."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.server import Server
from tests.functions.proposals.scene import Api


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the template gives the function; nothing of it is reached."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def served(api: Api) -> Iterator[str]:
    """The API at an address, for real clients."""

    async def call(request: Request) -> Response:
        body = (await request.body()).decode()
        answer = await run_in_threadpool(api.pass_on, request.method, request.url.path, body, dict(request.headers))
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return Response(answer.text, answer.status, headers)

    methods = ["GET", "POST", "DELETE"]
    server = Server(Starlette(routes=[Route("/mcp", call, methods=methods)]))
    server.start()
    yield f"{server.url}/mcp"
    server.stop()
