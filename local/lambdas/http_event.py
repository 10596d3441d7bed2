"""Turns an HTTP request into the event of an HTTP API (payload format 2.0) and a function's answer into a response.

Source: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import binascii
import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote

from local.lambdas.description import Route

_TEXTUAL = {"application/json", "application/javascript", "application/xml"}
_STATUSES = range(100, 600)


@dataclass(frozen=True)
class Request:
    """An HTTP request as it came: `target` is the undecoded path with its query, headers in their order."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    source_ip: str = "127.0.0.1"


@dataclass(frozen=True)
class Response:
    """An HTTP response as it goes out."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def message(status: int, text: str) -> Response:
    """Returns an answer that the API gives by itself."""
    return Response(status, (("Content-Type", "application/json"),), json.dumps({"message": text}).encode())


def match(routes: Sequence[Route], method: str, path: str) -> tuple[Route, dict[str, str]] | None:
    """Returns the closest route for a decoded path, with the values of its path parameters."""
    found = [
        (route, values)
        for route in routes
        if route.method in {method, "ANY"} and (values := _path_values(route.path, path)) is not None
    ]
    return min(found, key=lambda each: _breadth(each[0].path), default=None)


def _breadth(pattern: str) -> int:
    return max(("{" in pattern) * 1, ("+}" in pattern) * 2, (pattern == "$default") * 3)


def _path_values(pattern: str, path: str) -> dict[str, str] | None:
    if pattern == "$default":
        return {}
    wanted, given = pattern.split("/"), path.split("/")
    values: dict[str, str] = {}
    for index, part in enumerate(wanted):
        if part.endswith("+}") and index < len(given):
            return values | {part[1:-2]: "/".join(given[index:])}
        if index >= len(given):
            return None
        if part.startswith("{"):
            values[part[1:-1]] = given[index]
        elif part != given[index]:
            return None
    return values if len(wanted) == len(given) else None


def event_of(request: Request, route: Route, path_values: Mapping[str, str]) -> dict[str, Any]:
    """Returns the event that the function is called with."""
    path, _, query = request.target.partition("?")
    headers = joined_headers(request.headers)
    cookies = headers.pop("cookie", None)
    route_key = route.path if route.path == "$default" else f"{route.method} {route.path}"
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": unquote(path),
        "rawQueryString": query,
        "headers": headers,
        "requestContext": _context(request, route_key, unquote(path), headers),
    }
    if cookies is not None:
        event["cookies"] = [cookie.strip() for cookie in cookies.split(";")]
    if query:
        event["queryStringParameters"] = _joined(parse_qsl(query, keep_blank_values=True))
    if path_values:
        event["pathParameters"] = dict(path_values)
    text = _text_of(request.body, headers.get("content-type", ""))
    if request.body:
        event["body"] = base64.b64encode(request.body).decode() if text is None else text
    return event | {"isBase64Encoded": bool(request.body) and text is None}


def joined_headers(headers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Returns the headers with lower-case names, those of one name joined by a comma (cookies by a semicolon)."""
    lowered = [(name.lower(), value) for name, value in headers]
    joined = _joined([pair for pair in lowered if pair[0] != "cookie"])
    cookies = [value for name, value in lowered if name == "cookie"]
    return joined | ({"cookie": ";".join(cookies)} if cookies else {})


def _joined(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    together: dict[str, str] = {}
    for name, value in pairs:
        together[name] = f"{together[name]},{value}" if name in together else value
    return together


def _text_of(body: bytes, content_type: str) -> str | None:
    kind = content_type.partition(";")[0].strip().lower()
    if not (kind.startswith("text/") or kind in _TEXTUAL or kind.endswith("+json")):
        return None
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _context(request: Request, route_key: str, path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    now = time.time()
    return {
        "accountId": "anonymous",
        "apiId": "local",
        "domainName": headers.get("host", "localhost"),
        "domainPrefix": "local",
        "http": {
            "method": request.method,
            "path": path,
            "protocol": "HTTP/1.1",
            "sourceIp": request.source_ip,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": uuid.uuid4().hex[:16],
        "routeKey": route_key,
        "stage": "$default",
        "time": time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(now)),
        "timeEpoch": int(now * 1000),
    }


def response_of(payload: bytes) -> Response:
    """Returns the response that a function's JSON stands for.

    An object with a statusCode is taken at its word; any other JSON becomes the body of a 200;
    what cannot be sent is the function's failure.
    """
    try:
        answer = json.loads(payload)
        if not isinstance(answer, dict) or "statusCode" not in answer:
            return Response(200, (("Content-Type", "application/json"),), payload)
        return _stated(answer)
    except (ValueError, TypeError, AttributeError, binascii.Error):
        return message(500, "Internal Server Error")


def _stated(answer: Mapping[str, Any]) -> Response:
    body = answer.get("body") or ""
    if not isinstance(body, str):
        raise TypeError("the body is no text")
    content = base64.b64decode(body, validate=True) if answer.get("isBase64Encoded") else body.encode()
    headers = [(str(name), str(value)) for name, value in (answer.get("headers") or {}).items()]
    headers += [("Set-Cookie", str(cookie)) for cookie in answer.get("cookies") or ()]
    if not any(name.lower() == "content-type" for name, _ in headers):
        headers.append(("Content-Type", "text/plain;charset=UTF-8"))
    status = int(answer["statusCode"])
    if status not in _STATUSES or any("\n" in part or "\r" in part for pair in headers for part in pair):
        raise ValueError("this is no HTTP response")
    return Response(status, tuple(headers), content)
