"""The report as one HTML page, without scripts or other files."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evals.bootstrap import Estimate
from evals.charts import Bar, Point, bars, scatter
from evals.markdown import remarks_of, shown
from evals.metrics import METRICS, f1, precision, recall
from evals.summary import CaseRow, Comparison, Group, Summary

_HERE = Path(__file__).parent


def page(summary: Summary, comparison: Comparison | None = None) -> str:
    """Write the whole report."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    share = METRICS["precision"].show
    return environment.get_template("page.html.j2").render(
        css=Markup((_HERE / "page.css").read_text(encoding="utf-8")),  # noqa: S704 - a file of ours
        summary=summary,
        comparison=comparison,
        metrics=list(METRICS.values()),
        shown=shown,
        precision=lambda counts: share(precision(counts)),
        recall=lambda counts: share(recall(counts)),
        f1=lambda counts: share(f1(counts)),
        scatter=scatter(_points(summary, comparison)),
        languages=bars([_language(group) for group in summary.languages], "Precision and recall by language"),
        spent=bars(_spent(summary.cases), "Cost and time by case"),
        remarks={row.slug: [remark for one in row.scored for remark in remarks_of(one)] for row in summary.cases},
        suppressed={row.slug: _suppressed(row) for row in summary.cases},
        is_clear=_is_clear,
    )


def _suppressed(row: CaseRow) -> list[str]:
    pushes = [(at, push) for one in row.scored for at, push in enumerate(one.result.pushes, 1)]
    return list(dict.fromkeys(f"push {at}: {line}" for at, push in pushes for line in push.suppressed))


def _is_clear(difference: Estimate) -> bool:
    """Whether an interval excludes 0."""
    return difference.low is not None and difference.high is not None and (difference.low > 0 or difference.high < 0)


def _points(summary: Summary, comparison: Comparison | None) -> list[Point]:
    points = [Point(one.name, one.figures["precision"], one.figures["recall"], "part") for one in summary.languages]
    runs = [(summary, "run"), *([(comparison.other, "other")] if comparison else [])]
    points += [Point(one.run.reviewer, one.figures["precision"], one.figures["recall"], kind) for one, kind in runs]
    return points


def _language(group: Group) -> tuple[str, list[Bar]]:
    row = []
    for name in ("precision", "recall"):
        one = group.figures[name]
        words = f"{name} {METRICS[name].show(one.value)}"
        row.append(Bar(name, one.value or 0.0, words, one.low, one.high))
    return f"{group.name} ({group.counts.pull_requests})", row


def _spent(rows: Sequence[CaseRow]) -> list[tuple[str, list[Bar]]]:
    """The mean per pull request of a case: dollars, or tokens if nothing was paid, and seconds."""
    paid = any(row.counts.cost_usd for row in rows)
    costs = [_mean(row, row.counts.cost_usd if paid else row.counts.tokens) for row in rows]
    seconds = [_mean(row, row.counts.seconds) for row in rows]
    most_cost, most_seconds = max([*costs, 0.0]) or 1.0, max([*seconds, 0.0]) or 1.0
    return [
        (
            row.slug,
            [
                Bar("cost", cost / most_cost, f"${cost:.4f}" if paid else f"{cost:,.0f} tokens"),
                Bar("seconds", second / most_seconds, f"{second:.1f} s"),
            ],
        )
        for row, cost, second in zip(rows, costs, seconds, strict=True)
    ]


def _mean(row: CaseRow, amount: float) -> float:
    return amount / row.counts.pull_requests
