"""Requests become events and answers become responses as an HTTP API with payload format 2.0 makes them."""

import base64
import json
from typing import Any

import pytest

from local.lambdas.description import Route
from local.lambdas.http_event import Request, event_of, match, response_of

HOOK = Route("Ingest", "POST", "/webhook")


def event(*headers: tuple[str, str], body: bytes = b"", target: str = "/webhook") -> dict[str, Any]:
    return event_of(Request("POST", target, headers, body), HOOK, {})


def test_a_request_becomes_an_event_of_format_2() -> None:
    """Names are lower case, values of one name are joined, the path and the query stay apart."""
    made = event(
        ("Host", "localhost:1"),
        ("X-GitHub-Event", "pull_request"),
        ("Accept", "a"),
        ("accept", "b"),
        ("Cookie", "a=1; b=2"),
        ("Content-Type", "application/json"),
        ("User-Agent", "GitHub-Hookshot"),
        body=b'{"a": 1}',
        target="/webhook?x=1&x=2&y=%20",
    )

    context = made.pop("requestContext")
    assert made == {
        "version": "2.0",
        "routeKey": "POST /webhook",
        "rawPath": "/webhook",
        "rawQueryString": "x=1&x=2&y=%20",
        "queryStringParameters": {"x": "1,2", "y": " "},
        "cookies": ["a=1", "b=2"],
        "headers": {
            "host": "localhost:1",
            "x-github-event": "pull_request",
            "accept": "a,b",
            "content-type": "application/json",
            "user-agent": "GitHub-Hookshot",
        },
        "body": '{"a": 1}',
        "isBase64Encoded": False,
    }
    assert context["http"] == {
        "method": "POST",
        "path": "/webhook",
        "protocol": "HTTP/1.1",
        "sourceIp": "127.0.0.1",
        "userAgent": "GitHub-Hookshot",
    }
    assert context["stage"] == "$default"


@pytest.mark.parametrize(
    ("content_type", "body", "encoded"),
    [
        ("application/json", b'{"a": 1}', False),
        ("application/json; charset=utf-8", "ü".encode(), False),
        ("application/vnd.github+json", b"{}", False),
        ("text/plain", b"a", False),
        ("application/x-www-form-urlencoded", b"payload=%7B%7D", True),
        ("application/octet-stream", b"a", True),
        ("application/json", b"\xff", True),
        ("", b"a", True),
    ],
)
def test_a_body_that_is_no_text_is_encoded(content_type: str, body: bytes, *, encoded: bool) -> None:
    """The function gets the raw bytes back, whatever they are."""
    made = event(("Content-Type", content_type), body=body)

    assert made["isBase64Encoded"] is encoded
    assert (base64.b64decode(made["body"]) if encoded else made["body"].encode()) == body


def test_a_request_without_a_body_has_none() -> None:
    """No body is no key, not an empty text."""
    assert "body" not in event()
    assert event()["isBase64Encoded"] is False


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/webhook", ("hook", {})),
        ("GET", "/webhook", ("rest", {"all": "webhook"})),
        ("GET", "/pulls/7", ("pull", {"number": "7"})),
        ("GET", "/pulls/a b", ("pull", {"number": "a b"})),
        ("GET", "/pulls/7/files", ("rest", {"all": "pulls/7/files"})),
        ("PUT", "/webhook", ("default", {})),
    ],
)
def test_the_closest_route_wins(method: str, path: str, expected: tuple[str, dict[str, str]]) -> None:
    """A full match is closer than parameters, and the default takes what is left."""
    routes = [
        Route("default", "ANY", "$default"),
        Route("pull", "GET", "/pulls/{number}"),
        Route("rest", "GET", "/{all+}"),
        Route("hook", "POST", "/webhook"),
    ]

    found = match(routes, method, path)

    assert found is not None
    assert (found[0].function, found[1]) == expected


def test_an_unknown_path_has_no_route() -> None:
    """Neither another path nor another method of a known one."""
    assert match([HOOK], "POST", "/webhook/") is None
    assert match([HOOK], "GET", "/webhook") is None


@pytest.mark.parametrize(
    ("answer", "status", "content_type", "body"),
    [
        ({"statusCode": 202, "body": "queued"}, 202, "text/plain;charset=UTF-8", b"queued"),
        ({"statusCode": "401", "headers": {"Content-Type": "a/b"}}, 401, "a/b", b""),
        ({"statusCode": 200, "body": "/w==", "isBase64Encoded": True}, 200, "text/plain;charset=UTF-8", b"\xff"),
        ({"reason": "nothing"}, 200, "application/json", b'{"reason": "nothing"}'),
        ("hello", 200, "application/json", b'"hello"'),
        ({"statusCode": "many"}, 500, "application/json", b'{"message": "Internal Server Error"}'),
        ({"statusCode": 99}, 500, "application/json", b'{"message": "Internal Server Error"}'),
        ({"statusCode": 200, "body": {"a": 1}}, 500, "application/json", b'{"message": "Internal Server Error"}'),
        ({"statusCode": 200, "body": "%", "isBase64Encoded": True}, 500, "application/json", None),
        ({"statusCode": 200, "headers": {"a": "b\r\nc: d"}}, 500, "application/json", None),
        ({"statusCode": 200, "headers": "a"}, 500, "application/json", None),
    ],
)
def test_an_answer_becomes_a_response(answer: Any, status: int, content_type: str, body: bytes | None) -> None:
    """What states a statusCode is sent as it says, other JSON is the body, and nonsense is an error."""
    response = response_of(json.dumps(answer).encode())

    assert response.status == status
    assert {name.lower(): value for name, value in response.headers}["content-type"] == content_type
    if body is not None:
        assert response.body == body


def test_cookies_go_out_one_by_one() -> None:
    """Each has a Set-Cookie header of its own."""
    response = response_of(json.dumps({"statusCode": 200, "cookies": ["a=1", "b=2"]}).encode())

    assert [value for name, value in response.headers if name == "Set-Cookie"] == ["a=1", "b=2"]
