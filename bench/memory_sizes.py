"""What each function takes and costs with more or less memory: `python -m bench.memory_sizes`.

A function has CPU in proportion to its memory; from CPU seconds, the most memory and the time that is waited, which
bench.aws_cost counts, follow latency and price.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.aws_cost import MILLION, RARELY_COLD, THOUSAND, Mix, Size, Sizes, durations, template_sizes
from bench.aws_events import EventName, Usage, count
from bench.table import Table

SIZES = (256, 384, 512, 768, 1_024, 1_769, 2_560)
WORST_MB = {"the parser's limit": 384, "what is kept of files": 100, "an archive of 300,000 files": 54}
"""What hostile input can add in a function that reads repositories: docs/decisions/0043."""

_MARGIN = 1.25
_READS = frozenset({"review", "mention"})
_EVENTS: Mapping[str, EventName] = {
    "ingest": "ignored",
    "review": "full review",
    "mention": "answer",
    "proposals": "proposal",
}
_HARDLY_MORE = 15  # US dollars, half a percent of what AWS costs then


@dataclass(frozen=True)
class SizedFunction:
    """A function with so much memory; `needs_mb` is what it has to have.

    `cold_seconds` is how long a typical event takes that starts a process, `warm_seconds` one that finds a process,
    without the model's time. The dollars are those of all its events, with the model's time.
    """

    function: str
    memory_mb: int
    needs_mb: int
    cold_seconds: float
    warm_seconds: float
    thousand_pull_requests: float
    million_a_month: float
    is_: str


def needed(function: str, megabytes: float) -> int:
    """The megabytes that a function has to have, if so many were measured."""
    return round(_MARGIN * (megabytes + (sum(WORST_MB.values()) if function in _READS else 0)))


def sized(usage: Usage, mix: Mix, sizes: Sizes, memories: Sequence[int] = SIZES) -> list[SizedFunction]:
    """A row for each function and each size; what is recommended is marked, and what the template has."""
    found = []
    for function in _EVENTS:
        rows = [_row(function, usage, mix, sizes, memory) for memory in memories]
        best = recommended(rows)
        for row in rows:
            marks = {"recommended": row is best, "in the template": row.memory_mb == sizes[function].memory}
            found.append(replace(row, is_=", ".join(mark for mark, is_there in marks.items() if is_there)))
    return found


def _row(function: str, usage: Usage, mix: Mix, sizes: Sizes, memory: int) -> SizedFunction:
    size = Size(memory, sizes[function].storage)
    trial = {**sizes, function: size}

    def seconds(cold: float) -> float:
        return durations(_EVENTS[function], usage, replace(mix, waiting=0, cold=cold), trial)[function]

    def dollars(cold: float) -> float:
        colder = replace(mix, cold=cold)
        each = {event: durations(event, usage, colder, trial).get(function, 0.0) for event in usage.warm}
        return size.dollars(sum(mix.times(event) * taken for event, taken in each.items()))

    return SizedFunction(
        function=function,
        memory_mb=memory,
        needs_mb=needed(function, usage.megabytes[function]),
        cold_seconds=seconds(1),
        warm_seconds=seconds(0),
        thousand_pull_requests=THOUSAND * dollars(mix.cold),
        million_a_month=MILLION * dollars(RARELY_COLD),
        is_="",
    )


def recommended(rows: Sequence[SizedFunction]) -> SizedFunction:
    """Of a function's sizes that hold what it needs, the fastest of those that cost hardly more than the cheapest."""
    holding = [row for row in rows if row.memory_mb >= row.needs_mb] or rows[-1:]
    cheapest = min(row.million_a_month for row in holding)
    cheap = [row for row in holding if row.million_a_month <= cheapest + _HARDLY_MORE]
    return min(cheap, key=lambda row: (row.cold_seconds, row.memory_mb))


def table(rows: Sequence[SizedFunction]) -> Table:
    """The figures as a table."""
    hostile = sum(WORST_MB.values())
    notes = (
        "Seconds of an event that starts a process, and of one that finds it running, without the model's time.",
        "US dollars of the function's time for pull requests, with the model's time.",
        f"Needed: {_MARGIN - 1:.0%} above what was measured; where repositories are read, {hostile} MB for the worst.",
        f"Recommended: the fastest of those that cost at most ${_HARDLY_MORE} more than the cheapest, for a million.",
    )
    return Table.of("Memory sizes", rows, notes)


def main() -> None:
    """Count, calculate and print."""
    print("\n".join(table(sized(count(), Mix(), template_sizes())).lines))


if __name__ == "__main__":
    main()
