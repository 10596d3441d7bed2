"""The HTTP API's own answers, over real connections."""

import http.client
import json
import socket
from collections.abc import Callable, Iterator

import pytest

from local.lambdas.description import Route
from local.lambdas.door import REQUEST_LIMIT, Door
from local.lambdas.function import Function

SOURCE = """
    import time
    def handler(event, context):
        body = event.get("body", "")
        if body == "sleep":
            time.sleep(60)
        if body == "raise":
            raise ValueError("a detail that nobody outside should read")
        return {"statusCode": 202, "headers": {"X-Got": str(len(body))}, "body": "taken"}
"""


@pytest.fixture
def door(make_function: Callable[..., Function]) -> Iterator[Door]:
    """One route to a function with a timeout of one second."""
    door = Door([Route("Tiny", "POST", "/webhook")], {"Tiny": make_function(SOURCE, timeout=1)})
    door.start()
    yield door
    door.stop()


def ask(door: Door, method: str, path: str, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(door.url.removeprefix("http://"), timeout=30)
    try:
        connection.request(method, path, body, {"Content-Type": "text/plain"})
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()
    finally:
        connection.close()


def test_the_functions_answer_is_the_response(door: Door) -> None:
    """Status, headers and body come from the function."""
    status, headers, body = ask(door, "POST", "/webhook", b"hello")

    assert (status, headers["X-Got"], body) == (202, "5", b"taken")


@pytest.mark.parametrize(("method", "path"), [("GET", "/webhook"), ("POST", "/"), ("POST", "/webhook/x")])
def test_what_no_route_takes_is_not_found(door: Door, method: str, path: str) -> None:
    """No function is called for it."""
    status, _, body = ask(door, method, path)

    assert (status, json.loads(body)) == (404, {"message": "Not Found"})


def test_a_failing_function_is_a_500_without_details(door: Door) -> None:
    """Neither message nor stack trace gets out."""
    status, _, body = ask(door, "POST", "/webhook", b"raise")

    assert (status, json.loads(body)) == (500, {"message": "Internal Server Error"})


def test_a_function_that_is_too_slow_is_a_503(door: Door) -> None:
    """The caller is not kept waiting beyond the function's timeout."""
    status, _, body = ask(door, "POST", "/webhook", b"sleep")

    assert (status, json.loads(body)) == (503, {"message": "Service Unavailable"})


@pytest.mark.parametrize("size", [REQUEST_LIMIT + 1, 6 * 1024 * 1024])
def test_a_body_that_lambda_could_not_take_is_refused(door: Door, size: int) -> None:
    """Beyond the API's 10 MB, and beyond the 6 MB that an event may have."""
    status, _, body = ask(door, "POST", "/webhook", b"x" * size)

    assert (status, json.loads(body)) == (413, {"message": "Request Entity Too Large"})


def test_a_large_body_arrives_whole(door: Door) -> None:
    """Five megabytes get through to the function."""
    status, headers, _ = ask(door, "POST", "/webhook", b"x" * 5_000_000)

    assert (status, headers["X-Got"]) == (202, "5000000")


@pytest.mark.parametrize(
    "request_line", [b"\r\n\r\n", b"nonsense\r\n\r\n", b"POST /webhook HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
)
def test_nonsense_on_the_line_does_not_harm(door: Door, request_line: bytes) -> None:
    """The connection ends, and the next request is answered."""
    host, port = door.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(request_line)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(4096):
            pass

    assert ask(door, "POST", "/webhook")[0] == 202


def test_a_door_stops_although_someone_is_connected(door: Door) -> None:
    """A silent client cannot hold up the stop."""
    host, port = door.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        ask(door, "GET", "/")

        door.stop()

        assert connection.recv(1) == b""
