"""Faults that a test injects: what goes wrong at the next request of a route."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.github.answers import Answer, bad_credentials, refuse
from local.server import hang_up

_PARAMETER = re.compile(r"\{[^}]*\}")
_ROUTE = re.compile(r"((?:[A-Z]+ )?/\S*)(?: (\w+))?")


@dataclass(frozen=True)
class Fault:
    """One fault.

    `answer` replaces what would have been answered (None keeps it). `takes_effect` lets the request do its work
    before that. `seconds` is how long the answer is held back. `drops_connection` ends the connection without an
    answer, `truncates` in the middle of it. `forbids` names the GraphQL fields that fail; the rest is answered.
    """

    answer: Answer | None = None
    takes_effect: bool = False
    seconds: float = 0.0
    drops_connection: bool = False
    truncates: bool = False
    forbids: frozenset[str] = frozenset()


class FaultyResponse(Response):
    """An answer as the fault lets it arrive: late, in part, or not at all."""

    def __init__(self, answer: Answer, fault: Fault) -> None:
        raw = b"".join(answer.raw) if fault.truncates and isinstance(answer.raw, Iterator) else answer.raw
        self._whole = replace(answer, raw=raw).response()
        self._fault = fault

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        await asyncio.sleep(self._fault.seconds)
        if self._fault.truncates:
            await self._send_half(send)
        if self._fault.drops_connection or self._fault.truncates:
            await hang_up(scope, receive)
        else:
            await self._whole(scope, receive, send)

    async def _send_half(self, send: Send) -> None:
        """Send half of what the header promises."""
        half = bytes(self._whole.body[: len(self._whole.body) // 2])
        start = {"type": "http.response.start", "status": self._whole.status_code, "headers": self._whole.raw_headers}
        await send(start)
        await send({"type": "http.response.body", "body": half, "more_body": True})


def server_error(status: int = 502, *, takes_effect: bool = False) -> Fault:
    """GitHub has a problem; with `takes_effect` it has done the work nevertheless."""
    body = {"message": "Server Error"}
    return Fault(Answer(status, body), takes_effect)


def cut(*, takes_effect: bool = True) -> Fault:
    """The connection breaks before the answer, by default after the effect."""
    return Fault(takes_effect=takes_effect, drops_connection=True)


def torn() -> Fault:
    """The answer begins, with the length of the whole, and breaks off half-way."""
    return Fault(takes_effect=True, truncates=True)


def slow(seconds: float) -> Fault:
    """The answer comes, but late."""
    return Fault(takes_effect=True, seconds=seconds)


def secondary_limit(retry_after: int = 60, status: int = 403) -> Fault:
    """Too much at once.

    Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
    """
    sentence = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
        "If you reach out to GitHub Support for help, please include the request ID."
    )
    return Fault(refuse(status, sentence, headers={"Retry-After": str(retry_after)}).answer)


def primary_limit(reset_at: float, status: int = 403) -> Fault:
    """The hour's requests are used up until `reset_at`, in epoch seconds."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(reset_at))}
    return Fault(refuse(status, "API rate limit exceeded for installation.", headers=headers).answer)


def expired_token() -> Fault:
    """The token has expired."""
    return Fault(bad_credentials().answer)


def forbidden_field(*names: str) -> Fault:
    """Fields of a GraphQL document fail with FORBIDDEN and do nothing, wherever they stand; the rest is answered."""
    return Fault(takes_effect=True, forbids=frozenset(names))


def refusal(status: int, body: Any) -> Fault:
    """Any other answer, without the effect."""
    return Fault(Answer(status, body))


@dataclass(frozen=True)
class _Planned:
    route: str
    word: str
    fault: Fault

    def meets(self, operation: str, query: str) -> bool:
        """Whether that request is the one."""
        _, path = operation.split(" ")
        named = self.route in (_plain(operation), _plain(path))
        return named and (not self.word or re.search(rf"\b{self.word}\b", query) is not None)


@dataclass
class FaultPlan:
    """The faults of coming requests. Any names of the parameters in a route will do."""

    _planned: list[_Planned] = field(default_factory=list)

    def add(self, route: str, fault: Fault, times: int) -> None:
        """Let the next `times` requests of a route ("GET /repos/{owner}/{repo}/pulls/{number}") fail.

        "POST /graphql updateCheckRun" means those GraphQL requests whose query has that word. Raises ValueError.
        """
        found = _ROUTE.fullmatch(route)
        if found is None:
            raise ValueError(f"{route!r} is no route")
        self._planned += [_Planned(_plain(found[1]), found[2] or "", fault)] * times

    def take(self, operation: str, query: str = "") -> Fault | None:
        """The fault of this request, which is then over."""
        found = next((each for each in self._planned if each.meets(operation, query)), None)
        if found is None:
            return None
        self._planned.remove(found)
        return found.fault


def _plain(route: str) -> str:
    return _PARAMETER.sub("{}", route)
