"""A time line of outside calls: where each bar of the picture stands, a lane for each system."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from kodiai.core.words.finding import counted
from local.page.behind.amounts import duration, money
from local.page.behind.tries import Call

SYSTEMS = {"github": "GitHub", "model": "Model", "dynamodb": "DynamoDB", "sqs": "SQS", "ssm": "SSM"}

_TITLE_PIXELS, _ROW_PIXELS, _GAP_PIXELS, _AXIS_PIXELS = 18, 12, 10, 24
_MOST_TICKS = 4
_SHORTEST_SECONDS = 0.01


@dataclass(frozen=True)
class Bar:
    """One call: across in hundredths of the width, so that the picture fits any screen; down in pixels."""

    call: Call
    x: str
    width: str
    y: int

    @property
    def title(self) -> str:
        """What a pointer that rests on it is told."""
        return f"{self.call.place}: {self.call.ended}, {self.call.took}"


@dataclass(frozen=True)
class Lane:
    """The calls to one system; calls at the same time stand below each other. `y` is where its title stands."""

    name: str
    y: int
    bars: Sequence[Bar]

    @property
    def sum(self) -> str:
        """How many calls, how long they took together, what they cost, and how many failed."""
        if not self.bars:
            return "none"
        calls = [bar.call for bar in self.bars]
        parts = [counted(len(calls), "call"), duration(sum(call.seconds for call in calls))]
        costs = [call.cost for call in calls if call.usage is not None]
        known = [cost for cost in costs if cost is not None]
        if costs:
            parts.append(f"cost {money(sum(known))}" if len(known) == len(costs) else "price unknown")
        failed = sum(call.failed for call in calls)
        return ", ".join([*parts, *([f"{failed} failed"] if failed else [])])


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: str
    text: str
    anchor: str


@dataclass(frozen=True)
class Row:
    """A call in the table, with when it began after the first moment shown."""

    call: Call
    system: str
    offset: str


@dataclass(frozen=True)
class Timeline:
    """The picture of one try, and its table. `height` is in pixels."""

    lanes: Sequence[Lane]
    ticks: Sequence[Tick]
    rows: Sequence[Row]
    height: int
    seconds: float

    @property
    def axis(self) -> int:
        """Where the axis stands, in pixels from the top."""
        return self.height - _AXIS_PIXELS

    @property
    def sum(self) -> str:
        """All of it in one line."""
        failed = sum(row.call.failed for row in self.rows)
        told = f"{counted(len(self.rows), 'outside call')} in {duration(self.seconds)}"
        return f"{told}, {failed} failed" if failed else told


def timeline(calls: Sequence[Call], began: float | None = None, seconds: float | None = None) -> Timeline | None:
    """Draw the calls of a try, which are in order, from when it began for as long as it took; None without calls."""
    if not calls:
        return None
    start = min(calls[0].began, calls[0].began if began is None else began)
    end = max(start + (seconds or 0), *(call.began + call.seconds for call in calls))
    whole = max(end - start, _SHORTEST_SECONDS)
    lanes, y = [], 0
    for to in dict.fromkeys((*SYSTEMS, *(call.to for call in calls))):
        bars, rows = _bars([call for call in calls if call.to == to], start, whole, y + _TITLE_PIXELS)
        lanes.append(Lane(SYSTEMS.get(to, to), y + _TITLE_PIXELS - 6, bars))
        y += _TITLE_PIXELS + rows * _ROW_PIXELS + _GAP_PIXELS
    table = [Row(call, SYSTEMS.get(call.to, call.to), f"+{call.began - start:.3f} s") for call in calls]
    return Timeline(lanes, _ticks(whole), table, y + _AXIS_PIXELS, whole)


def _bars(calls: Sequence[Call], start: float, whole: float, top: int) -> tuple[list[Bar], int]:
    """Put each call into the first row that is free when it begins; the bars, and how many rows they need."""
    free_at: list[float] = []
    bars = []
    for call in calls:
        row = next((at for at, free in enumerate(free_at) if free <= call.began), len(free_at))
        free_at[row : row + 1] = [call.began + call.seconds]
        x, width = (f"{share / whole:.3%}" for share in (call.began - start, call.seconds))
        bars.append(Bar(call, x, width, top + row * _ROW_PIXELS))
    return bars, len(free_at)


def _ticks(whole: float) -> list[Tick]:
    """Choose round numbers of seconds, at most so many that their texts stay apart on a phone."""
    magnitude: float = 10.0 ** floor(log10(whole))
    steps = (magnitude * factor for factor in (0.1, 0.2, 0.5, 1, 2, 5))
    step = next(step for step in steps if whole / step <= _MOST_TICKS)
    at = [number * step for number in range(floor(whole / step + 1e-9) + 1)]
    unit, of_one, step_shown = ("s", 1, step) if whole >= 1 else ("ms", 1000, step * 1000)
    digits = max(0, -floor(log10(step_shown) + 1e-9))
    # The last text ends where its mark is, or it would be cut off.
    return [
        Tick(f"{second / whole:.3%}", f"{second * of_one:.{digits}f} {unit}", _anchor(second / whole)) for second in at
    ]


def _anchor(share: float) -> str:
    return "start" if share == 0 else "end" if share > 0.9 else "middle"  # noqa: PLR2004
