"""Tries: the log lines of one event, sorted by the function invocations that wrote them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kodiai.core.model.usage import Usage, cost_usd
from kodiai.core.settings import Price
from local.page.behind.amounts import duration, money

Line = Mapping[str, Any]
INGEST = "IngestFunction"

_FUNCTIONS = {INGEST: "Ingest", "ReviewFunction": "Review", "MentionFunction": "Answer"}
_FAILED = 400
_NO = (404, "ConditionalCheckFailedException")
"""Answers that say no: it is not there, the condition does not hold."""
_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_ENDED = {
    "queued": "put it in line",
    "nothing": "found nothing to do",
    "completed": "completed the review",
    "unchanged": "moved on to the new head without asking anybody",
    "superseded": "gave way",
    "continued": "ran out of time and goes on as a fresh message",
    "skipped": "did nothing",
    "waiting": "put it back for a while",
    "refused": "refused",
    "answered": "answered",
    "done": "did what was said",
    "read": "read it, and did nothing",
    "retry": "could not do it now, so that it is tried again",
    "crashed": "crashed",
    "broken": "gave up",
    "unavailable": "could not take it",
}
_SAYS_ITSELF = ("queued", "nothing", "completed", "unchanged", "answered", "done")
_BAD = ("retry", "crashed", "broken", "refused", "unavailable")


@dataclass(frozen=True)
class Call:
    """One request to the outside. `began` is in epoch seconds; `status` is None where no answer came.

    `cost` is in US dollars, None where it is no call of a model or its model has no price.
    """

    to: str
    what: str
    began: float
    seconds: float
    status: int | None = None
    error: str | None = None
    model: str | None = None
    usage: Usage | None = None
    cost: float | None = None
    stop_reason: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it did not do what it was to; "no" is an answer."""
        if self.status in _NO or self.error in _NO:
            return False
        return self.error is not None or self.status is None or self.status >= _FAILED

    @property
    def took(self) -> str:
        """How long it took, in words."""
        return duration(self.seconds)

    @property
    def ended(self) -> str:
        """How it ended, in words: "200", "400 ConditionalCheckFailedException", "no answer"."""
        parts = ["no answer" if self.status is None else str(self.status), self.error, self.stop_reason]
        return " ".join(part for part in parts if part)

    @property
    def tokens(self) -> str:
        """What a model read and wrote, in words; nothing of any other call."""
        used = self.usage
        if used is None:
            return ""
        read = used.input_tokens + used.cache_read_tokens + used.cache_write_tokens
        cached = f" ({used.cache_read_tokens:,} cached)" if used.cache_read_tokens else ""
        return f"{read:,} in{cached}, {used.output_tokens:,} out"

    @property
    def costs(self) -> str:
        """What a model's answer cost, in words; nothing of any other call."""
        return "" if self.usage is None else money(self.cost)

    @property
    def place(self) -> str:
        """The route or operation, without what is the same in each."""
        return self.what.replace("/repos/{owner}/{repo}", "…")


@dataclass(frozen=True)
class Try:
    """One invocation of a function: its calls in the order of their beginning, and its line, None where it has none.

    Without a line it is under way, or it died; `death` is what Lambda says of that.
    """

    function: str
    line: Line | None
    calls: Sequence[Call] = ()
    death: str = ""

    @property
    def name(self) -> str:
        """What it is for, with its number where it is not the first: "Review, try 2"."""
        name = _FUNCTIONS.get(self.function, self.function)
        attempt = (self.line or {}).get("attempt", 1)
        return name if attempt <= 1 else f"{name}, try {attempt}"

    @property
    def outcome(self) -> str:
        """The outcome's name, "" where there is none yet."""
        return str((self.line or {}).get("outcome", ""))

    @property
    def reason(self) -> str:
        """Why it ended so, "" where that is said elsewhere."""
        line = self.line or {}
        said = "" if self.outcome in _SAYS_ITSELF else str(line.get("reason", ""))
        buried = "it is among the dead letters now" if line.get("buried") else ""
        return "; ".join(part for part in (said, str(line.get("cause", "")), buried, self.death) if part)

    @property
    def ended(self) -> str:
        """What it did, in words."""
        if self.line is None:
            return "died" if self.death else "has not told how it ended"
        return _ENDED.get(self.outcome, self.outcome)

    @property
    def went_wrong(self) -> bool:
        """Whether it could not do what it was to."""
        return self.outcome in _BAD or bool(self.death)

    @property
    def began(self) -> float | None:
        """When it began, in epoch seconds; None where nothing tells."""
        if self.line is not None and "seconds" in self.line and "timestamp" in self.line:
            return _epoch(self.line["timestamp"]) - float(self.line["seconds"])
        return self.calls[0].began if self.calls else None

    @property
    def seconds(self) -> float | None:
        """How long it took; None where nothing tells, or it is not over."""
        return float(self.line["seconds"]) if self.line is not None and "seconds" in self.line else None

    @property
    def took(self) -> str:
        """How long it took, in words."""
        return "" if self.seconds is None else duration(self.seconds)


def tries_of(lines: Iterable[Line], prices: Mapping[str, Price]) -> list[Try]:
    """Sort the lines of one event, oldest first, by invocation, in the order in which these began to speak."""
    made: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        request = line.get("function_request_id") or line.get("requestId") or ""
        made.setdefault((str(line.get("function", "")), str(request)), []).append(line)
    return [_try(function, own, prices) for (function, _), own in made.items()]


def _try(function: str, lines: Sequence[Line], prices: Mapping[str, Price]) -> Try:
    calls = [_call(line, prices) for line in lines if line.get("message") == "call"]
    outcome = next((line for line in lines if line.get("message") == "outcome"), None)
    deaths = [f"{line['errorType']}: {line.get('errorMessage', '')}" for line in lines if "errorType" in line]
    return Try(function, outcome, sorted(calls, key=lambda call: call.began), "; ".join(deaths))


def _call(line: Line, prices: Mapping[str, Price]) -> Call:
    model = line.get("model")
    used = {name: int(line[name]) for name in _TOKENS if line.get(name) is not None}
    usage = Usage(calls=1, **used) if model is not None and used else None
    return Call(
        to=str(line["to"]),
        what=str(line["what"]),
        began=float(line["began"]),
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
