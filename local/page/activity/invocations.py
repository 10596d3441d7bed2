"""Invocations: the log lines of one event, sorted by the function invocations that wrote them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from kodiai.core.model.messages import Usage, cost_usd
from kodiai.core.model.prices import Price
from local.page.activity.timeline import Call, Timeline, timeline

LogLine = Mapping[str, Any]
INGEST = "IngestFunction"

_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_ENDINGS = {
    "queued": "queued",
    "nothing": "nothing to do",
    "completed": "completed the review",
    "unchanged": "no changes to review",
    "superseded": "superseded",
    "continued": "out of time, continues in a new message",
    "skipped": "skipped",
    "waiting": "delayed",
    "refused": "refused",
    "answered": "replied",
    "done": "done",
    "read": "no action needed",
    "retry": "failed, will be retried",
    "crashed": "crashed",
    "broken": "failed",
    "unavailable": "unavailable",
}
_WITHOUT_REASON = ("queued", "nothing", "completed", "unchanged", "answered", "done")
_FAILURES = ("retry", "crashed", "broken", "refused", "unavailable")


@dataclass(frozen=True)
class Invocation:
    """One invocation of a function: its calls in the order of their start, and its outcome line, None without one.

    Without that line it is running, or it was killed: `crash` is what Lambda says of that.
    """

    function: str
    line: LogLine | None
    calls: Sequence[Call] = ()
    crash: str = ""

    @property
    def attempt(self) -> int:
        """The number of the attempt, from 1."""
        return int((self.line or {}).get("attempt", 1))

    @property
    def outcome(self) -> str:
        """The outcome's name, "" where there is none yet."""
        return str((self.line or {}).get("outcome", ""))

    @property
    def reason(self) -> str:
        """The reason for this end, "" if the page shows it elsewhere."""
        line = self.line or {}
        reason = "" if self.outcome in _WITHOUT_REASON else str(line.get("reason", ""))
        buried = "moved to the dead-letter queue" if line.get("buried") else ""
        return "; ".join(part for part in (reason, str(line.get("cause", "")), buried, self.crash) if part)

    @property
    def ending(self) -> str:
        """Its end, in words."""
        if self.line is None:
            return "killed" if self.crash else "no outcome yet"
        return _ENDINGS.get(self.outcome, self.outcome)

    @property
    def failed(self) -> bool:
        """Whether it could not do its work."""
        return self.outcome in _FAILURES or bool(self.crash)

    @property
    def seconds(self) -> float | None:
        """The seconds it took; None if they are unknown, or it is not over."""
        return float(self.line["seconds"]) if self.line is not None and "seconds" in self.line else None

    @cached_property
    def timeline(self) -> Timeline | None:
        """The timeline of its calls; None where it made none."""
        started = None
        if self.line is not None and self.seconds is not None and "timestamp" in self.line:
            started = _epoch(self.line["timestamp"]) - self.seconds
        return timeline(self.calls, started, self.seconds)


def invocations_of(lines: Iterable[LogLine], prices: Mapping[str, Price]) -> list[Invocation]:
    """Sort the lines of one event, oldest first, by invocation, in the order of their first lines."""
    made: dict[tuple[str, str], list[LogLine]] = {}
    for line in lines:
        request = line.get("function_request_id") or line.get("requestId") or ""
        made.setdefault((str(line.get("function", "")), str(request)), []).append(line)
    return [_invocation(function, own, prices) for (function, _), own in made.items()]


def _invocation(function: str, lines: Sequence[LogLine], prices: Mapping[str, Price]) -> Invocation:
    calls = [_call(line, prices) for line in lines if line.get("message") == "call"]
    outcome = next((line for line in lines if line.get("message") == "outcome"), None)
    crashes = [f"{line['errorType']}: {line.get('errorMessage', '')}" for line in lines if "errorType" in line]
    return Invocation(function, outcome, sorted(calls, key=lambda call: call.started), "; ".join(crashes))


def _call(line: LogLine, prices: Mapping[str, Price]) -> Call:
    model = line.get("model")
    used = {name: int(line[name]) for name in _TOKENS if line.get(name) is not None}
    usage = Usage(**used) if model is not None and used else None
    return Call(
        system=str(line["to"]),
        operation=str(line["what"]).replace("/repos/{owner}/{repo}", "…"),
        started=float(line["began"]),
        seconds=float(line["seconds"]),
        status=line.get("status"),
        error=line.get("error"),
        model=model,
        usage=usage,
        cost=cost_usd({model: usage}, prices) if model is not None and usage else None,
        stop_reason=line.get("stop_reason"),
    )


def _epoch(timestamp: str) -> float:
    """Read the time of a log line: "2026-11-22 08:29:09,144+0000"."""
    return datetime.strptime(timestamp, "%Y-%m-%d %H:%M:%S,%f%z").timestamp()
