"""One request and what becomes of it, for its one log line."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from api_problems import (
    MOST_BODY_BYTES,
    NO_TOKEN,
    NOT_BASE64,
    NOT_JSON,
    TOO_LONG,
    WRONG_TYPE,
    ApiError,
    unauthorized,
)
from kodiai.core.proposals.target import Caller
from kodiai.flows.proposals.ports import ApiPorts

_ROUTE = re.compile(
    r"(?P<route>/openapi\.json|/mcp|/findings|/proposals)|/proposals/(?P<id>P-[0-9a-f]{20})(?P<verb>/[a-z]{1,20})?"
)
# Every form of GitHub's tokens, and none with a line end or a blank.
_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/=-]{1,2000})", re.IGNORECASE)


@dataclass(frozen=True)
class ApiRequest:
    """A request: headers by their names in lower case, and the body as text, "" if there is none."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: str = field(repr=False)

    @property
    def token(self) -> str:
        """The caller's token. Raises ApiError."""
        bearer = _BEARER.fullmatch(self.headers.get("authorization", "").strip())
        if bearer is None:
            raise unauthorized(NO_TOKEN)
        return bearer[1]

    @property
    def route(self) -> str:
        """The route of the path, for the log: "/proposals/{id}/claim"; "other" if it is none of ours."""
        matched = _ROUTE.fullmatch(self.path)
        if matched is None:
            return "other"
        return matched["route"] or f"/proposals/{{id}}{matched['verb'] or ''}"

    @property
    def proposal(self) -> str | None:
        """The id of the proposal in the path."""
        matched = _ROUTE.fullmatch(self.path)
        return matched["id"] if matched is not None else None

    def check_body(self) -> None:
        """Check the size and the type of the body. Raises ApiError."""
        if len(self.body.encode()) > MOST_BODY_BYTES:
            raise ApiError(413, TOO_LONG)
        kind = self.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if self.body and kind != "application/json":
            raise ApiError(415, WRONG_TYPE)


@dataclass
class Noted:
    """The facts of a request for the log."""

    method: str = ""
    route: str = "other"
    proposal: str | None = None
    login: str | None = None
    tool: str | None = None
    calls: int = 0
    error: Exception | None = None

    def read(self, request: ApiRequest) -> None:
        """Note what is asked for."""
        self.method, self.route, self.proposal = request.method, request.route, request.proposal

    def caller(self, caller: Caller) -> None:
        """Note who asks."""
        self.login = caller.login

    @property
    def facts(self) -> dict[str, str | int]:
        """The known facts."""
        named = {"login": self.login, "proposal": self.proposal, "tool": self.tool}
        known = {name: value for name, value in named.items() if value is not None}
        return {"method": self.method, "route": self.route, **known, "github_calls": self.calls}


@dataclass(frozen=True)
class Exchange:
    """A request under way: what it may reach, and what the log says of it."""

    ports: ApiPorts
    noted: Noted


def read_request(event: Mapping[str, Any]) -> ApiRequest:
    """Read an HTTP API event (payload format 2.0). Raises ApiError."""
    http = event["requestContext"]["http"]
    headers = {str(name).lower(): str(text) for name, text in (event.get("headers") or {}).items()}
    body = event.get("body") or ""
    if event.get("isBase64Encoded"):
        try:
            body = base64.b64decode(body, validate=True).decode()
        except binascii.Error as error:
            raise ApiError(400, NOT_BASE64) from error
        except UnicodeDecodeError as error:
            raise ApiError(400, NOT_JSON) from error
    return ApiRequest(http["method"], str(event.get("rawPath", "")), headers, body)
