"""The HTTP server of the local system: answered at once, ended at once, with nothing left open."""

import gc
import socket
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

import httpx
import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from local.server import Server, hang_up

CROWD = 60  # more than a pool of threads has by default


@pytest.fixture
def serve() -> Iterator[Callable[[ASGIApp], Server]]:
    with ExitStack() as stack:

        def start(application: ASGIApp) -> Server:
            server = Server(application)
            server.start()
            stack.callback(server.stop)
            return server

        yield start


class Waiting:
    """An application whose requests wait in threads until the test lets them go."""

    def __init__(self, expected: int = 1) -> None:
        self.arrived = threading.Semaphore(0)
        self.released = threading.Event()
        self.everybody = threading.Barrier(expected)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = await run_in_threadpool(self.wait)
        await answer(scope, receive, send)

    def wait(self) -> PlainTextResponse:
        self.arrived.release()
        self.everybody.wait(10)
        self.released.wait(10)
        return PlainTextResponse("done")


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(f"{scope['method']} {scope['path']} {len(body)}")(scope, receive, send)


def get(url: str) -> str:
    return httpx.get(url, trust_env=False, verify=False, timeout=20).text


def test_an_application_is_served_on_the_loopback_address(serve: Callable[[ASGIApp], Server]) -> None:
    """The address is known before the server starts, and requests arrive whole."""
    server = serve(echo)

    answer = httpx.post(f"{server.url}/a/b", content=b"x" * 3_000_000, trust_env=False, verify=False)

    assert (answer.status_code, answer.text) == (200, "POST /a/b 3000000")
    assert server.url == f"http://127.0.0.1:{server.port}"


def test_requests_that_wait_in_threads_do_not_wait_for_each_other(serve: Callable[[ASGIApp], Server]) -> None:
    """Receivers of a queue wait for seconds, and there are as many as there are functions."""
    application = Waiting(expected=CROWD)
    application.released.set()
    server = serve(application)

    with ThreadPoolExecutor(CROWD) as pool:
        answers = list(pool.map(get, [server.url] * CROWD))

    assert answers == ["done"] * CROWD


def test_stopping_takes_no_time_and_frees_the_port(serve: Callable[[ASGIApp], Server]) -> None:
    """Idle connections do not hold the server up, and a new one can take its port at once."""
    server = serve(echo)
    with httpx.Client(trust_env=False, verify=False) as client:
        client.get(server.url)

        begun = time.monotonic()
        server.stop()
        took = time.monotonic() - begun

    assert took < 1
    Server(echo, server.port).stop()


def test_a_connection_that_arrives_at_the_stop_is_closed_too(serve: Callable[[ASGIApp], Server]) -> None:
    """A connection that nothing has read is neither lost nor left open."""

    def connect(port: int) -> None:
        with suppress(OSError), ExitStack() as connections:
            for _ in range(30):
                connections.enter_context(socket.create_connection(("127.0.0.1", port)))

    with warnings.catch_warnings(record=True) as left_open, ThreadPoolExecutor() as pool:
        warnings.simplefilter("always")
        for _ in range(30):
            server = serve(echo)
            client = pool.submit(connect, server.port)
            server.stop()
            client.result()
        gc.collect()

    assert [str(each.message) for each in left_open] == []


@pytest.mark.parametrize("grace", [0, 10])
def test_a_request_under_way_is_cut_off_after_the_grace(serve: Callable[[ASGIApp], Server], grace: int) -> None:
    """A server that stops lets requests finish as long as it is asked to, and waits until their threads have ended."""
    application = Waiting()
    server = serve(application)
    with ThreadPoolExecutor() as pool:
        answer = pool.submit(get, server.url)
        application.arrived.acquire()

        stopping = pool.submit(server.stop, grace)
        if not grace:
            with pytest.raises(httpx.TransportError):
                answer.result(10)
        assert not stopping.done()
        application.released.set()

        if grace:
            assert answer.result(10) == "done"
        stopping.result(10)


def test_an_application_can_cut_its_connection(
    serve: Callable[[ASGIApp], Server], capsys: pytest.CaptureFixture[str]
) -> None:
    """A lost answer is simulated so; the server does not treat it as an error."""

    async def cut(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001 - ASGI gives it
        await hang_up(scope, receive)

    server = serve(cut)

    with pytest.raises(httpx.TransportError):
        get(server.url)

    assert capsys.readouterr().err == ""


def test_a_port_that_is_taken_is_an_error() -> None:
    """Ports are not shared."""
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(OSError, match="in use"):
        Server(echo, other.getsockname()[1])
