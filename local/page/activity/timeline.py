"""A timeline of the calls to other systems: where each bar of the picture is, with a lane for each system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, log10

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

    `tokens` are what a model read and wrote; `cost` is in US dollars, None where its price is unknown.
    """

    system: str
    operation: str
    started: float
    seconds: float
    status: int | None
    error: str | None
    model: str | None
    tokens: Mapping[str, int]
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
        """How it ended: "200", "400 ConditionalCheckFailedException", "no response"."""
        parts = ["no response" if self.status is None else str(self.status), self.error, self.stop_reason]
        return " ".join(part for part in parts if part)


@dataclass(frozen=True)
class Bar:
    """One call: across in percent of the width, so that the picture fits any screen; down in pixels."""

    call: Call
    x: str
    width: str
    y: int


@dataclass(frozen=True)
class Lane:
    """The calls to one system; simultaneous calls are below each other. `y` is where its title is."""

    name: str
    y: int
    bars: Sequence[Bar]

    @property
    def seconds(self) -> float:
        """How long the calls took together."""
        return sum(bar.call.seconds for bar in self.bars)

    @property
    def cost(self) -> float | None:
        """What they cost in US dollars, None where a price is unknown."""
        costs = [bar.call.cost for bar in self.bars if bar.call.tokens]
        return None if None in costs else sum(cost for cost in costs if cost is not None)


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: str
    text: str
    anchor: str


@dataclass(frozen=True)
class Timeline:
    """The picture of one invocation, and its calls. `axis` is in pixels from the top."""

    calls: Sequence[Call]
    lanes: Sequence[Lane]
    ticks: Sequence[Tick]
    axis: int
    height: int
    start: float
    seconds: float


def timeline(calls: Sequence[Call], start: float | None = None, seconds: float | None = None) -> Timeline | None:
    """Draw the calls of an invocation, which are in order, from its start on for its duration; None without calls."""
    if not calls:
        return None
    first = min(calls[0].started, calls[0].started if start is None else start)
    end = max(first + (seconds or 0), *(call.started + call.seconds for call in calls))
    whole = max(end - first, _SHORTEST_SECONDS)
    lanes, y = [], 0
    for system in dict.fromkeys((*SYSTEMS, *(call.system for call in calls))):
        bars, rows = _bars([call for call in calls if call.system == system], first, whole, y + _TITLE_PIXELS)
        lanes.append(Lane(SYSTEMS.get(system, system), y + _TITLE_PIXELS - 6, bars))
        y += _TITLE_PIXELS + rows * _ROW_PIXELS + _GAP_PIXELS
    return Timeline(calls, lanes, _ticks(whole), y, y + _AXIS_PIXELS, first, whole)


def _bars(calls: Sequence[Call], start: float, whole: float, top: int) -> tuple[list[Bar], int]:
    """Put each call into the first row that is free when it starts; give the bars, and how many rows they need."""
    free_at: list[float] = []
    bars = []
    for call in calls:
        row = next((at for at, free in enumerate(free_at) if free <= call.started), len(free_at))
        free_at[row : row + 1] = [call.started + call.seconds]
        x, width = (f"{share / whole:.3%}" for share in (call.started - start, call.seconds))
        bars.append(Bar(call, x, width, top + row * _ROW_PIXELS))
    return bars, len(free_at)


def _ticks(whole: float) -> list[Tick]:
    """Choose round numbers of seconds, few enough for their texts to stay apart on a phone."""
    magnitude: float = 10.0 ** floor(log10(whole))
    steps = (magnitude * factor for factor in (0.1, 0.2, 0.5, 1, 2, 5))
    step = next(step for step in steps if whole / step <= _MOST_TICKS)
    at = [number * step for number in range(floor(whole / step + 1e-9) + 1)]
    unit, of_one, step_shown = ("s", 1, step) if whole >= 1 else ("ms", 1000, step * 1000)
    digits = max(0, -floor(log10(step_shown) + 1e-9))
    # The last text ends at its mark, or it would be cut off.
    return [
        Tick(f"{second / whole:.3%}", f"{second * of_one:.{digits}f} {unit}", _anchor(second / whole)) for second in at
    ]


def _anchor(share: float) -> str:
    return "start" if share == 0 else "end" if share > 0.9 else "middle"  # noqa: PLR2004
