"""A timeline of the calls to other systems, with a lane for each system: where each bar of the picture is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log10

from kodiai.core.model.messages import Usage

SYSTEMS = {"github": "GitHub", "model": "Model", "dynamodb": "DynamoDB", "sqs": "SQS", "ssm": "SSM"}

_TITLE_PIXELS, _ROW_PIXELS, _GAP_PIXELS, _AXIS_PIXELS = 18, 12, 10, 24
_MOST_TICKS = 4
_SHORTEST_SECONDS = 0.01
_FAILED = 400
_NEGATIVE = (404, "ConditionalCheckFailedException")
"""Answers that are no failures: it does not exist, the condition does not hold."""


@dataclass(frozen=True)
class Call:
    """One request to another system. `started` is in epoch seconds; `status` is None where no response came.

    `usage` is what a model read and wrote; `cost` is in US dollars, None where its price is unknown.
    """

    system: str
    operation: str
    started: float
    seconds: float
    status: int | None
    error: str | None
    model: str | None
    usage: Usage | None
    cost: float | None
    stop_reason: str | None

    @property
    def failed(self) -> bool:
        """Whether it failed; a negative answer is an answer."""
        if self.status in _NEGATIVE or self.error in _NEGATIVE:
            return False
        return self.error is not None or self.status is None or self.status >= _FAILED

    @property
    def result(self) -> str:
        """Its end: "200", "400 ConditionalCheckFailedException", "no response"."""
        parts = ["no response" if self.status is None else str(self.status), self.error, self.stop_reason]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Lane:
    """The calls to one system, each with the top of its bar: simultaneous ones are below each other. In pixels."""

    name: str
    title_y: int
    bars: Sequence[tuple[Call, int]]
    cost: float | None


@dataclass(frozen=True)
class Timeline:
    """The calls of one invocation, from `start` (epoch seconds) on; `axis` and `height` are in pixels.

    `ticks` are round numbers of seconds after the start.
    """

    calls: Sequence[Call]
    lanes: Sequence[Lane]
    ticks: Sequence[float]
    axis: int
    height: int
    start: float
    seconds: float

    def x(self, seconds: float) -> str:
        """A duration in percent of the width, so that the picture fits any screen."""
        return f"{seconds / self.seconds:.3%}"


def timeline(calls: Sequence[Call], start: float | None, seconds: float | None) -> Timeline | None:
    """Draw the calls of an invocation, which are in order, from its start on for its duration; None without calls."""
    if not calls:
        return None
    first = min(calls[0].started, calls[0].started if start is None else start)
    end = max(first + (seconds or 0), *(call.started + call.seconds for call in calls))
    whole = max(end - first, _SHORTEST_SECONDS)
    lanes, y = [], 0
    for system in dict.fromkeys((*SYSTEMS, *(call.system for call in calls))):
        own = [call for call in calls if call.system == system]
        bars = list(_bars(own, y + _TITLE_PIXELS))
        lanes.append(Lane(SYSTEMS.get(system, system), y + _TITLE_PIXELS - 6, bars, _cost(own)))
        y = max((top + _ROW_PIXELS for _, top in bars), default=y + _TITLE_PIXELS) + _GAP_PIXELS
    return Timeline(calls, lanes, _ticks(whole), y, y + _AXIS_PIXELS, first, whole)


def _cost(calls: Sequence[Call]) -> float | None:
    """The cost of the calls in US dollars, None if a price is unknown."""
    costs = [call.cost for call in calls if call.usage]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _bars(calls: Sequence[Call], top: int) -> Iterator[tuple[Call, int]]:
    """Put each call into the first row that is free when it starts."""
    free_at: list[float] = []
    for call in calls:
        row = next((at for at, free in enumerate(free_at) if free <= call.started), len(free_at))
        free_at[row : row + 1] = [call.started + call.seconds]
        yield call, top + row * _ROW_PIXELS


def _ticks(whole: float) -> list[float]:
    """Choose round numbers of seconds, few enough for their texts to stay apart on a phone."""
    magnitude: float = 10.0 ** ceil(log10(whole / _MOST_TICKS) - 1)
    step = next(step for factor in (1, 2, 5, 10) if whole / (step := magnitude * factor) <= _MOST_TICKS)
    return [number * step for number in range(int(whole / step + 1e-9) + 1)]
