"""The figures of a run: sums over pull requests, and what is made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass

from evals.scoring import Scored


@dataclass(frozen=True)
class Counts:
    """Sums over some pull requests.

    `priced` are those whose cost in US dollars is known, and `cost_usd` is theirs. A failed review of a clean pull
    request is no silence. `accepted` are findings that are right, and that nobody has to make.
    """

    pull_requests: int = 0
    failed: int = 0
    told: int = 0
    true: int = 0
    false: int = 0
    missed: int = 0
    forbidden: int = 0
    repeated: int = 0
    clean: int = 0
    silent: int = 0
    statuses: int = 0
    right_statuses: int = 0
    accepted: int = 0
    priced: int = 0
    cost_usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return total([self, other])


def counts_of(scored: Scored) -> Counts:
    """The counts of one pull request."""
    pushes = scored.result.pushes
    told = sum(len(push.told) for push in pushes)
    costs = [push.cost_usd for push in pushes]
    priced = bool(pushes) and None not in costs
    clean = scored.case.sheet.clean
    return Counts(
        pull_requests=1,
        failed=scored.result.failed is not None,
        told=told,
        true=len(scored.hits),
        false=len(scored.false),
        missed=len(scored.misses),
        forbidden=sum(one.kind == "forbidden" for one in scored.false),
        repeated=sum(one.kind in {"duplicate", "repeated"} for one in scored.false),
        clean=clean,
        silent=clean and not told and scored.result.failed is None,
        statuses=len(scored.statuses),
        right_statuses=sum(one.is_right for one in scored.statuses),
        accepted=len(scored.accepted),
        priced=priced,
        cost_usd=sum(cost or 0.0 for cost in costs) if priced else 0.0,
        tokens=sum(push.input_tokens + push.output_tokens for push in pushes),
        seconds=sum(push.seconds for push in pushes),
    )


def total(counts: Iterable[Counts]) -> Counts:
    """Add up."""
    return add_up([astuple(one) for one in counts])


def add_up(rows: Sequence[tuple[float, ...]]) -> Counts:
    """Add up counts that are given as plain tuples, which is quicker where it is done thousands of times."""
    return Counts(*map(sum, zip(*rows, strict=True)))


def by_case(scored: Iterable[Scored]) -> dict[str, Counts]:
    """The counts of each case, its repeats together."""
    sums: dict[str, Counts] = {}
    for one in scored:
        sums[one.case.slug] = sums.get(one.case.slug, Counts()) + counts_of(one)
    return sums


def precision(counts: Counts) -> float | None:
    """The share of findings that are right: that had to be told, or may be; None where nothing was told."""
    right = counts.true + counts.accepted
    return _share(right, right + counts.false)


def recall(counts: Counts) -> float | None:
    """The share of expected problems that were told; None where nothing was expected."""
    return _share(counts.true, counts.true + counts.missed)


def f1(counts: Counts) -> float | None:
    """The harmonic mean of both; None where there was nothing to tell and nothing was told."""
    if not counts.accepted:
        return _share(2 * counts.true, 2 * counts.true + counts.false + counts.missed)
    one, other = precision(counts) or 0.0, recall(counts)
    return None if other is None else _share(2 * one * other, one + other)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Metric:
    """A figure: what it is called, how it is made of counts, whether it is a share, and whether more of it is better.

    `better` is None for what is neither good nor bad by itself.
    """

    name: str
    words: str
    of: Callable[[Counts], float | None]
    is_share: bool
    better: bool | None

    def show(self, value: float | None) -> str:
        """Write a value as a person reads it."""
        if value is None:
            return "–"
        return f"{value * 100:.1f} %" if self.is_share else f"{value:.{4 if self.name == 'cost_usd' else 2}f}"


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("precision", "Precision", precision, is_share=True, better=True),
        Metric("recall", "Recall", recall, is_share=True, better=True),
        Metric("f1", "F1", f1, is_share=True, better=True),
        Metric("comments", "Comments per pull request", lambda c: _share(c.told, c.pull_requests), False, None),
        Metric("noise", "False positives per pull request", lambda c: _share(c.false, c.pull_requests), False, False),
        Metric("silence", "Clean pull requests left in silence", lambda c: _share(c.silent, c.clean), True, True),
        Metric(
            "statuses", "Right statuses in later pushes", lambda c: _share(c.right_statuses, c.statuses), True, True
        ),
        Metric("cost_usd", "US dollars per pull request", lambda c: _share(c.cost_usd, c.priced), False, False),
        Metric("seconds", "Seconds per pull request", lambda c: _share(c.seconds, c.pull_requests), False, False),
    )
}
