"""The figures of a run: sums over pull requests, and the metrics computed from them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass

from evals.scoring import Scored


@dataclass(frozen=True)
class Counts:
    """Sums over some pull requests.

    `priced` are pull requests whose cost is known, and `cost_usd` is the sum of their costs in US dollars. A clean pull
    request whose review failed is not `silent`. `accepted` are findings that are right but not expected.
    `input_tokens` are those of all `requests` to the models, whether the cache served them or not.
    """

    pull_requests: int = 0
    failed: int = 0
    posted: int = 0
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
    requests: int = 0
    input_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        return total([self, other])


def counts_of(scored: Scored) -> Counts:
    """The counts of one pull request."""
    pushes = scored.result.pushes
    posted = sum(len(push.posted) for push in pushes)
    costs = [push.cost_usd for push in pushes]
    priced = bool(pushes) and None not in costs
    clean = scored.case.definition.clean
    return Counts(
        pull_requests=1,
        failed=scored.result.failed is not None,
        posted=posted,
        true=len(scored.hits),
        false=len(scored.false),
        missed=len(scored.misses),
        forbidden=sum(one.kind == "forbidden" for one in scored.false),
        repeated=sum(one.kind in {"duplicate", "repeated"} for one in scored.false),
        clean=clean,
        silent=clean and not posted and scored.result.failed is None,
        statuses=len(scored.statuses),
        right_statuses=sum(one.is_right for one in scored.statuses),
        accepted=len(scored.accepted),
        priced=priced,
        cost_usd=sum(cost or 0.0 for cost in costs) if priced else 0.0,
        requests=sum(push.calls for push in pushes),
        input_tokens=sum(push.input_tokens for push in pushes),
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
    """The share of findings that match an expected or accepted problem; None if nothing was posted."""
    right = counts.true + counts.accepted
    return _share(right, right + counts.false)


def recall(counts: Counts) -> float | None:
    """The share of expected problems that were found; None if none was expected."""
    return _share(counts.true, counts.true + counts.missed)


def f1(counts: Counts) -> float | None:
    """The harmonic mean of both; None if nothing was expected and nothing posted."""
    if not counts.accepted:
        return _share(2 * counts.true, 2 * counts.true + counts.false + counts.missed)
    one, other = precision(counts) or 0.0, recall(counts)
    return None if other is None else _share(2 * one * other, one + other)


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


@dataclass(frozen=True)
class Metric:
    """A figure: its name, how it is computed from counts, whether it is a share, and whether more is better.

    `better` is None if more is neither better nor worse.
    """

    name: str
    label: str
    of: Callable[[Counts], float | None]
    is_share: bool
    better: bool | None

    def show(self, value: float | None) -> str:
        """Write a value as a person reads it."""
        if value is None:
            return "–"
        return f"{value * 100:.1f} %" if self.is_share else f"{value:,.{_DIGITS.get(self.name, 2)}f}"


_DIGITS = {"cost_usd": 4, "input_tokens": 0}
METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("precision", "Precision", precision, is_share=True, better=True),
        Metric("recall", "Recall", recall, is_share=True, better=True),
        Metric("f1", "F1", f1, is_share=True, better=True),
        Metric("comments", "Comments per pull request", lambda c: _share(c.posted, c.pull_requests), False, None),
        Metric("noise", "False positives per pull request", lambda c: _share(c.false, c.pull_requests), False, False),
        Metric("silence", "Clean pull requests without findings", lambda c: _share(c.silent, c.clean), True, True),
        Metric(
            "statuses", "Right statuses in later pushes", lambda c: _share(c.right_statuses, c.statuses), True, True
        ),
        Metric("cost_usd", "US dollars per pull request", lambda c: _share(c.cost_usd, c.priced), False, False),
        Metric("requests", "Requests per pull request", lambda c: _share(c.requests, c.pull_requests), False, False),
        Metric(
            "input_tokens",
            "Input tokens per pull request",
            lambda c: _share(c.input_tokens, c.pull_requests),
            False,
            False,
        ),
        Metric("seconds", "Seconds per pull request", lambda c: _share(c.seconds, c.pull_requests), False, False),
    )
}
