"""The HTTP API over real connections: requests become events of payload format 2.0, answers become responses."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from local.lambdas.description import Route
from local.lambdas.http_api import EVENT_LIMIT, HttpApi, response_of
from local.lambdas.log import Log
from local.lambdas.runtime_api import Result
from tests.local.lambdas.conftest import write_function
from tests.tables import each_row

SOURCE = """
    import json, time
    def handler(event, context):
        body = event.get("body", "")
        if body == "sleep":
            time.sleep(60)
        if body == "raise":
            raise ValueError("a detail that nobody outside should read")
        return {"statusCode": 202, "headers": {"X-Got": str(len(body))}, "body": json.dumps(event)[:10_000]}
"""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpApi]:
    """Routes to a function with a timeout of one second."""
    function = write_function(tmp_path_factory.mktemp("api"), SOURCE, Log(), timeout=1)
    routes = [
        Route("Tiny", "POST", "/webhook"),
        Route("Tiny", "ANY", "/things"),
        Route("Tiny", "ANY", "/things/{proxy+}"),
        Route("Tiny", "PUT", "/boxes/{box}/lid"),
    ]
    api = HttpApi()
    api.answer_with(routes, {"Tiny": function}, None)
    yield api
    api.stop()
    function.stop()


def ask(
    api: HttpApi, body: bytes = b"", content_type: str = "text/plain", method: str = "POST", path: str = "/webhook"
) -> httpx.Response:
    headers = [("X-GitHub-Event", "push"), ("Accept", "a"), ("Accept", "b"), ("Content-Type", content_type)]
    with httpx.Client(trust_env=False, timeout=30) as client:
        return client.request(method, f"{api.url}{path}", content=body, headers=headers)


def test_a_request_becomes_an_event_and_the_functions_answer_the_response(api: HttpApi) -> None:
    """Names are lower case, values of one name are joined, the path and the query stay apart."""
    response = ask(api, b'{"a": 1}', "application/json", path="/webhook?x=1&y=%20&x=2")

    event = response.json()
    context = event.pop("requestContext")
    headers = event.pop("headers")
    assert (response.status_code, response.headers["X-Got"]) == (202, "8")
    assert event == {
        "version": "2.0",
        "routeKey": "POST /webhook",
        "rawPath": "/webhook",
        "rawQueryString": "x=1&y=%20&x=2",
        "queryStringParameters": {"x": "1,2", "y": " "},
        "body": '{"a": 1}',
        "isBase64Encoded": False,
    }
    assert (headers["x-github-event"], headers["accept"], headers["content-type"]) == (
        "push",
        "a,b",
        "application/json",
    )
    assert context["http"] == {
        "method": "POST",
        "path": "/webhook",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": headers["user-agent"],
    }
    assert context["stage"] == "$default"


@pytest.mark.parametrize(
    ("content_type", "body", "encoded"),
    [
        ("application/json; charset=utf-8", "ü".encode(), False),
        ("application/vnd.github+json", b"{}", False),
        ("text/plain", b"a", False),
        ("", b"", False),
        ("application/x-www-form-urlencoded", b"payload=%7B%7D", True),
        ("application/json", b"\xff", True),
        ("", b"a", True),
    ],
)
def test_a_body_that_is_no_text_is_encoded(api: HttpApi, content_type: str, body: bytes, *, encoded: bool) -> None:
    """The function gets the raw bytes back, whatever they are. No body is no key, not an empty text."""
    event = ask(api, body, content_type).json()

    assert event["isBase64Encoded"] is encoded
    assert ("body" in event) is bool(body)
    assert (base64.b64decode(event["body"]) if encoded else event.get("body", "").encode()) == body


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "/things", "ANY /things", None),
        ("DELETE", "/things", "ANY /things", None),
        ("POST", "/things/a/b%20c", "ANY /things/{proxy+}", {"proxy": "a/b c"}),
        ("PATCH", "/things/a", "ANY /things/{proxy+}", {"proxy": "a"}),
        ("PUT", "/boxes/7/lid", "PUT /boxes/{box}/lid", {"box": "7"}),
    ],
)
def test_a_route_may_take_every_method_and_the_rest_of_a_path(
    api: HttpApi, method: str, path: str, key: str, parameters: dict[str, str] | None
) -> None:
    """The event has the route's own name, what its parameters stand for, and the method that was used."""
    event = ask(api, b"a", method=method, path=path).json()

    assert (event["routeKey"], event.get("pathParameters")) == (key, parameters)
    assert event["requestContext"]["http"]["method"] == method


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/webhook"), ("POST", "/"), ("POST", "/webhook/x"), ("POST", "/boxes/7/lid"), ("PUT", "/boxes/7/8/lid")],
)
def test_a_request_without_a_route_is_not_found(api: HttpApi, method: str, path: str) -> None:
    """No function is called for it."""
    response = ask(api, method=method, path=path)

    assert (response.status_code, response.json()) == (404, {"message": "Not Found"})


@pytest.mark.parametrize(
    ("body", "status", "message"), [(b"raise", 500, "Internal Server Error"), (b"sleep", 503, "Service Unavailable")]
)
def test_a_function_that_fails_or_is_too_slow_is_an_error_without_details(
    api: HttpApi, body: bytes, status: int, message: str
) -> None:
    """The message and the stack trace stay inside, and the caller does not wait beyond the function's timeout."""
    response = ask(api, body)

    assert (response.status_code, response.json()) == (status, {"message": message})


def test_a_body_that_lambda_could_not_take_is_refused(api: HttpApi) -> None:
    """An event may have 6 MB; five megabytes get through to the function."""
    response = ask(api, b"x" * EVENT_LIMIT)

    assert (response.status_code, response.json()) == (413, {"message": "Request Entity Too Large"})
    assert ask(api, b"x" * 5_000_000).headers["X-Got"] == "5000000"


@each_row(
    ("answer", "status", "body"),
    [
        ({"statusCode": "401", "headers": {"Content-Type": "a/b"}}, 401, b""),
        ("hello", 500, b'{"message":"Internal Server Error"}'),
        ({"statusCode": "many"}, 500, b'{"message":"Internal Server Error"}'),
        ({"statusCode": 200, "body": {"a": 1}}, 500, b'{"message":"Internal Server Error"}'),
        ({"statusCode": 200, "headers": "a"}, 500, b'{"message":"Internal Server Error"}'),
        ({"statusCode": 200, "body": "/w==", "isBase64Encoded": True}, 200, b"\xff"),
        ({"statusCode": 200, "body": "?", "isBase64Encoded": True}, 500, b'{"message":"Internal Server Error"}'),
    ],
)
def test_an_answer_that_is_no_response_is_an_error(answer: Any, status: int, body: bytes) -> None:
    """An answer with a statusCode is sent as it says."""
    response = response_of(Result(json.dumps(answer).encode()))

    assert (response.status_code, response.body) == (status, body)
