"""Rate limits, counted for each actor as GitHub does."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from local.github.answers import refuse
from local.github.trouble import secondary_limit

HOUR = 3600
_MINUTE = 60


@dataclass
class _Window:
    ends: float = 0.0
    used: int = 0


@dataclass
class Limits:
    """Requests left in the hour, and content written in the last minute.

    `per_hour` is the primary limit of each actor. `content_per_minute` is the secondary one on requests that write,
    None for no such limit. Source: https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """

    clock: Callable[[], float]
    per_hour: int = 5000
    content_per_minute: int | None = None
    _windows: dict[tuple[str, str], _Window] = field(default_factory=lambda: defaultdict(_Window))
    _written: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def spend(self, actor: str, resource: str) -> None:
        """Count a request. Raises Refused with 403 once the hour's requests are used up."""
        window = self._window(actor, resource)
        if window.used >= self.per_hour:
            raise refuse(403, f"API rate limit exceeded for {actor}.")
        window.used += 1

    def give_back(self, actor: str, resource: str) -> None:
        """Take a request off the count: a 304 costs nothing."""
        self._window(actor, resource).used -= 1

    def write(self, actor: str) -> None:
        """Count a request that writes. Raises Refused with 403 and Retry-After where there were too many."""
        if self.content_per_minute is None:
            return
        now = self.clock()
        recent = [at for at in self._written[actor] if at > now - _MINUTE]
        if len(recent) >= self.content_per_minute:
            answer = secondary_limit(int(recent[0] + _MINUTE - now) + 1).answer
            raise refuse(403, answer.body["message"] if answer else "", headers=answer.headers if answer else {})
        self._written[actor] = [*recent, now]

    def headers(self, actor: str, resource: str) -> dict[str, str]:
        """What every answer says of the limit."""
        return {f"X-RateLimit-{name.title()}": str(value) for name, value in self.facts(actor, resource).items()} | {
            "X-RateLimit-Resource": resource
        }

    def facts(self, actor: str, resource: str) -> dict[str, int]:
        """The limit, what is used and left of it, and when the hour ends, in epoch seconds."""
        window = self._window(actor, resource)
        left = max(self.per_hour - window.used, 0)
        return {"limit": self.per_hour, "used": window.used, "remaining": left, "reset": int(window.ends)}

    def _window(self, actor: str, resource: str) -> _Window:
        window = self._windows[actor, resource]
        if window.ends <= self.clock():
            self._windows[actor, resource] = window = _Window(self.clock() + HOUR)
        return window
