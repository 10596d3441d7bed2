"""What paying for the model's time costs, and what would cost less: `python -m bench.waiting`.

Each way is calculated from what bench.aws_cost counts, for 1,000 and for a million pull requests a month.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bench.aws_cost import (
    MILLION,
    RARELY_COLD,
    THOUSAND,
    Mix,
    Size,
    Sizes,
    durations,
    month_costs,
    pull_request_costs,
    template_sizes,
)
from bench.aws_events import EventName, Usage, count
from bench.aws_prices import (
    DURABLE_GB_WRITTEN,
    DURABLE_OPERATION,
    FARGATE_GB_HOUR,
    FARGATE_VCPU_HOUR,
    MONTH_SECONDS,
    STATE_TRANSITION,
)
from bench.table import Table

MODEL: Mapping[EventName, float] = {"full review": 0.06, "re-review": 0.04, "answer": 0.08}
"""US dollars of the model for an event, at most; see docs/cost.md."""

_GB = 1024**3
_RELAY = Size(128)
_PEAK = 3.0  # how much busier the busiest hours are
_BUSY = 0.6  # of a core, so that reviews do not wait for each other
_LEAST_TASKS = 2
_TASK_GB = 2
_BATCHED = 0.5  # https://docs.claude.com/en/docs/build-with-claude/batch-processing


@dataclass(frozen=True)
class Way:
    """A way to wait for the model: US dollars a month, and the share of everything, the model too, that it saves."""

    way: str
    thousand_a_month: float
    million_a_month: float
    saves_of_all: str
    but: str


def ways(usage: Usage, mix: Mix, sizes: Sizes) -> list[Way]:
    """A row for each way; the first is what is done."""
    scales = ((THOUSAND, mix), (MILLION, replace(mix, cold=RARELY_COLD)))
    now = [_month(pulls, usage, each, sizes) for pulls, each in scales]
    free = [_month(pulls, usage, replace(each, waiting=0), sizes) for pulls, each in scales]
    model = MILLION * sum(mix.times(event) * dollars for event, dollars in MODEL.items())

    def way(name: str, dollars: list[float], but: str, of_model: float = 0.0) -> Way:
        saved = now[1] - dollars[1] + of_model * model
        return Way(name, dollars[0], dollars[1], f"{saved / (now[1] + model):.1%}", but)

    asks = [event for event in MODEL if event in usage.warm]
    smaller = {name: replace(size, memory=512) if size.memory > 512 else size for name, size in sizes.items()}
    questions = sum(mix.times(event) * usage.warm[event].questions for event in asks)
    sent = sum(mix.times(event) * usage.warm[event].model_bytes for event in asks) / _GB
    waited = sum(mix.times(event) * mix.waits(event) for event in asks)
    durable = 2 * questions * DURABLE_OPERATION.dollars + sent * DURABLE_GB_WRITTEN.dollars
    relayed = durable + _RELAY.dollars(waited) * 2  # parallel questions wait side by side, each in a function
    tasks = 2 * questions * STATE_TRANSITION.dollars
    return [
        way("one invocation waits", now, ""),
        way("… in 512 MB", [_month(pulls, usage, each, smaller) for pulls, each in scales], "the parser may take 384"),
        way("durable function, a relay waits", _more(free, relayed), "one more function, and it replays"),
        way("Step Functions' HTTP tasks", _more(free, tasks), "60 s and 256 KB for each question"),
        way("message batches", free, "an answer within 24 hours", _BATCHED),
        way("Fargate, always on", [_fargate(pulls, usage, each, sizes) for pulls, each in scales], "no scale to zero"),
    ]


def _month(pulls: int, usage: Usage, mix: Mix, sizes: Sizes) -> float:
    return pulls * sum(pull_request_costs(usage, mix, sizes).values()) + sum(month_costs(mix).values())


def _more(months: list[float], each: float) -> list[float]:
    return [month + pulls * each for pulls, month in zip((THOUSAND, MILLION), months, strict=True)]


def _fargate(pulls: int, usage: Usage, mix: Mix, sizes: Sizes) -> float:
    """Tasks of one core and 2 GB for the busiest hours instead of the functions' time; one process for each review."""
    rest = pull_request_costs(usage, mix, sizes)
    del rest["Lambda time"], rest["Lambda requests"]
    warm = replace(mix, cold=0)
    per_second = pulls * _PEAK / MONTH_SECONDS
    cpu = per_second * sum(mix.times(event) * sum(usage.warm[event].cpu.values()) for event in usage.warm)
    gigabytes = per_second * sum(
        mix.times(event) * seconds * usage.megabytes[name] / 1024
        for event in usage.warm
        for name, seconds in durations(event, usage, warm, sizes).items()
    )
    tasks = max(_LEAST_TASKS, math.ceil(cpu / _BUSY), math.ceil(gigabytes / _TASK_GB))
    hourly = FARGATE_VCPU_HOUR.dollars + _TASK_GB * FARGATE_GB_HOUR.dollars
    return pulls * sum(rest.values()) + sum(month_costs(mix).values()) + tasks * hourly * MONTH_SECONDS / 3600


def table(rows: list[Way], mix: Mix) -> Table:
    """The figures as a table."""
    notes = (
        f"US dollars a month for pull requests, with {mix.waiting:g} s of the model in a full review.",
        "Saved: of AWS and the model together, at a million. What would have to be added to these ways is not counted.",
        f"The model costs at most ${sum(mix.times(event) * each for event, each in MODEL.items()):.2f} for each.",
    )
    return Table.of("Ways to wait for the model", rows, notes)


def main() -> None:
    """Count, calculate and print."""
    print("\n".join(table(ways(count(), Mix(), template_sizes()), Mix()).lines))


if __name__ == "__main__":
    main()
