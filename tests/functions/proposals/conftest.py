"""The API with everything outside in memory."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from local.server import Server
from tests.functions.proposals.scene import Api


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variables that the template gives the function; nothing of it is reached."""
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")


@pytest.fixture
def api() -> Api:
    return Api()


@pytest.fixture
def served(api: Api) -> Iterator[str]:
    """The API at an address, for real clients."""
    server = Server(Starlette(routes=[Route("/mcp", api.serve, methods=["GET", "POST", "DELETE"])]))
    server.start()
    yield f"{server.url}/mcp"
    server.stop()
