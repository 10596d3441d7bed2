"""Bootstrap: how much a figure could differ with other cases of the same kind."""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass

from evals.metrics import Counts, Metric, add_up

RESAMPLES = 2_000
_SEED = 20_260_302
_TAIL = 0.025


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval; all are None where it cannot be computed."""

    value: float | None
    low: float | None
    high: float | None


def estimates(cases: Mapping[str, Counts], metrics: Iterable[Metric]) -> dict[str, Estimate]:
    """Each figure over all cases, and its interval from cases drawn again, with replacement.

    Whole cases are drawn, their repeats together. The seed is fixed: the same cases give the same intervals.
    Source: Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13 (the percentile interval).
    """
    rows = [astuple(cases[name]) for name in sorted(cases)]
    drawn = [add_up([rows[place] for place in places]) for places in _places(len(rows))]
    return {one.name: Estimate(one.of(add_up(rows)), *_interval(map(one.of, drawn))) for one in metrics}


def differences(
    one: Mapping[str, Counts], other: Mapping[str, Counts], metrics: Iterable[Metric]
) -> dict[str, Estimate]:
    """The second run's figures minus the first's, over their common cases; each draw takes the same cases of both."""
    common = sorted(one.keys() & other.keys())
    before, after = ([astuple(run[name]) for name in common] for run in (one, other))

    def pair(places: Iterable[int]) -> tuple[Counts, Counts]:
        chosen = list(places)
        return add_up([before[place] for place in chosen]), add_up([after[place] for place in chosen])

    whole = pair(range(len(common)))
    drawn = [pair(places) for places in _places(len(common))]
    return {
        metric.name: Estimate(_more(metric.of, whole), *_interval(_more(metric.of, each) for each in drawn))
        for metric in metrics
    }


def _more(of: Callable[[Counts], float | None], pair: tuple[Counts, Counts]) -> float | None:
    before, after = of(pair[0]), of(pair[1])
    return None if before is None or after is None else after - before


def _places(number: int) -> Iterator[list[int]]:
    draw = random.Random(_SEED)
    if number:
        for _ in range(RESAMPLES):
            yield draw.choices(range(number), k=number)


def _interval(values: Iterable[float | None]) -> tuple[float | None, float | None]:
    """The middle 95 % of those draws in which the figure can be computed."""
    known = sorted(value for value in values if value is not None)
    if not known:
        return None, None
    low = known[math.floor(_TAIL * (len(known) - 1))]
    return low, known[math.ceil((1 - _TAIL) * (len(known) - 1))]
