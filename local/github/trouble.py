"""Planned trouble: what a test wants to go wrong at the next request of a kind."""

import re
from dataclasses import dataclass, field
from typing import Any

from local.github.answers import Answer, bad_credentials, refuse

_PARAMETER = re.compile(r"\{[^}]*\}")


@dataclass(frozen=True)
class Trouble:
    """One failure.

    `answer` replaces what would have been answered (None keeps it). `takes_effect` lets the request do its work
    before that. `seconds` is how long the answer is held back. `cuts` ends the connection without an answer,
    `tears` in the middle of it.
    """

    answer: Answer | None = None
    takes_effect: bool = False
    seconds: float = 0.0
    cuts: bool = False
    tears: bool = False


def server_error(status: int = 502, *, takes_effect: bool = False) -> Trouble:
    """GitHub is ill; with `takes_effect` it did the work all the same."""
    body = {"message": "Server Error"}
    return Trouble(Answer(status, body), takes_effect)


def cut(*, takes_effect: bool = True) -> Trouble:
    """The connection breaks before the answer, by default after the effect."""
    return Trouble(takes_effect=takes_effect, cuts=True)


def torn() -> Trouble:
    """The answer begins, with the length of the whole, and breaks off half-way."""
    return Trouble(takes_effect=True, tears=True)


def slow(seconds: float) -> Trouble:
    """The answer comes, but late."""
    return Trouble(takes_effect=True, seconds=seconds)


def secondary_limit(retry_after: int = 60, status: int = 403) -> Trouble:
    """Too much at once.

    Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits
    """
    sentence = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
        "If you reach out to GitHub Support for help, please include the request ID."
    )
    return Trouble(refuse(status, sentence, headers={"Retry-After": str(retry_after)}).answer)


def primary_limit(reset_at: float, status: int = 403) -> Trouble:
    """The hour's requests are used up until `reset_at`, in epoch seconds."""
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(reset_at))}
    return Trouble(refuse(status, "API rate limit exceeded for installation.", headers=headers).answer)


def expired_token() -> Trouble:
    """The token is good no longer."""
    return Trouble(bad_credentials().answer)


def refusal(status: int, body: Any) -> Trouble:
    """Any other answer, without the effect."""
    return Trouble(Answer(status, body))


@dataclass
class Plan:
    """The troubles that wait, by route. Any spelling of the parameters' names will do."""

    _waiting: list[tuple[str, Trouble]] = field(default_factory=list)

    def add(self, route: str, trouble: Trouble, times: int) -> None:
        """Let the next `times` requests of a route ("GET /repos/{owner}/{repo}/pulls/{number}") fail."""
        self._waiting += [(_plain(route), trouble)] * times

    def take(self, operation: str) -> Trouble | None:
        """The trouble of this request, which is then over."""
        _, path = operation.split(" ")
        for waiting in self._waiting:
            if waiting[0] in (_plain(operation), _plain(path)):
                self._waiting.remove(waiting)
                return waiting[1]
        return None


def _plain(route: str) -> str:
    return _PARAMETER.sub("{}", route)
