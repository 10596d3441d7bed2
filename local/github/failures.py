"""Failures that a test plans for the next requests of a route."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.github.answers import ApiResponse, api_error, bad_credentials
from local.server import hang_up

_PARAMETER = re.compile(r"\{[^}]*\}")
_ROUTE = re.compile(r"((?:[A-Z]+ )?/\S*)(?: (\w+))?")


@dataclass(frozen=True)
class PlannedFailure:
    """One planned failure.

    `answer` replaces the real response (None keeps it). With `takes_effect` the request still does its work. `seconds`
    delays the response. `drops_connection` ends the connection without a response, `truncates` in the middle of it.
    `forbids` names the GraphQL fields that fail; the others are answered.
    """

    answer: ApiResponse | None = None
    takes_effect: bool = False
    seconds: float = 0.0
    drops_connection: bool = False
    truncates: bool = False
    forbids: frozenset[str] = frozenset()


class FailingResponse(Response):
    """A response that arrives late, in part, or not at all."""

    def __init__(self, answer: ApiResponse, failure: PlannedFailure) -> None:
        raw = b"".join(answer.raw) if failure.truncates and isinstance(answer.raw, Iterator) else answer.raw
        self._whole = replace(answer, raw=raw).response()
        self._failure = failure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await asyncio.sleep(self._failure.seconds)
        if self._failure.truncates:
            await self._send_half(send)
        if self._failure.drops_connection or self._failure.truncates:
            await hang_up(scope, receive)
        else:
            await self._whole(scope, receive, send)

    async def _send_half(self, send: Send) -> None:
        """Send half of what the header promises."""
        half = bytes(self._whole.body[: len(self._whole.body) // 2])
        start = {"type": "http.response.start", "status": self._whole.status_code, "headers": self._whole.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": half, "more_body": True})


def server_error(status: int = 502, *, takes_effect: bool = False) -> PlannedFailure:
    """A server error; with `takes_effect` GitHub still does the work."""
    body = {"message": "Server Error"}
    return PlannedFailure(ApiResponse(status, body), takes_effect)


def dropped_connection(*, takes_effect: bool = True) -> PlannedFailure:
    """The connection breaks before the response, by default after the request took effect."""
    return PlannedFailure(takes_effect=takes_effect, drops_connection=True)


def truncated_response() -> PlannedFailure:
    """The response has the length of the whole, and breaks off half-way."""
    return PlannedFailure(takes_effect=True, truncates=True)


def slow_response(seconds: float) -> PlannedFailure:
    """The answer comes, but late."""
    return PlannedFailure(takes_effect=True, seconds=seconds)


def secondary_limit(retry_after: int = 60, status: int = 403) -> PlannedFailure:
    """Too much at once.

    Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
    """
    sentence = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
        "If you reach out to GitHub Support for help, please include the request ID."
    )
    return PlannedFailure(api_error(status, sentence, headers={"Retry-After": str(retry_after)}).answer)


def primary_limit(reset_at: float, status: int = 403) -> PlannedFailure:
    """The hour's requests are used up until `reset_at`, in epoch seconds."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(reset_at))}
    return PlannedFailure(api_error(status, "API rate limit exceeded for installation.", headers=headers).answer)


def expired_token() -> PlannedFailure:
    """The token has expired."""
    return PlannedFailure(bad_credentials().answer)


def forbidden_field(*names: str) -> PlannedFailure:
    """Fields of a GraphQL document fail with FORBIDDEN and do nothing, wherever they are; the rest is answered."""
    return PlannedFailure(takes_effect=True, forbids=frozenset(names))


def refusal(status: int, body: Any) -> PlannedFailure:
    """Any other answer, without the effect."""
    return PlannedFailure(ApiResponse(status, body))


@dataclass(frozen=True)
class _Planned:
    route: str
    word: str
    failure: PlannedFailure

    def meets(self, operation: str, query: str) -> bool:
        """Whether that request is the one."""
        _, path = operation.split(" ")
        named = self.route in (_plain(operation), _plain(path))
        return named and (not self.word or re.search(rf"\b{self.word}\b", query) is not None)


@dataclass
class FailurePlan:
    """The failures of coming requests. Any names of the parameters in a route will do."""

    _planned: list[_Planned] = field(default_factory=list)

    def add(self, route: str, failure: PlannedFailure, times: int) -> None:
        """Let the next `times` requests of a route ("GET /repos/{owner}/{repo}/pulls/{number}") fail.

        "POST /graphql updateCheckRun" means those GraphQL requests whose query has that word. Raises ValueError.
        """
        found = _ROUTE.fullmatch(route)
        if found is None:
            raise ValueError(f"{route!r} is no route")
        self._planned += [_Planned(_plain(found[1]), found[2] or "", failure)] * times

    def take(self, operation: str, query: str = "") -> PlannedFailure | None:
        """The failure of this request, which is then over."""
        found = next((each for each in self._planned if each.meets(operation, query)), None)
        if found is None:
            return None
        self._planned.remove(found)
        return found.failure


def _plain(route: str) -> str:
    return _PARAMETER.sub("{}", route)
