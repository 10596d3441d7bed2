"""Writes the figures of a deployment as a page: one HTML file that loads nothing and runs nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.html_report import REPORT, inlined
from cli.stats_figures import Figures
from cli.stats_output import facts, heading
from local.rendering.labels import counted, money
from local.rendering.templating import STATIC, environment

_HERE = Path(__file__).parent
_STYLES = (STATIC / "markdown.css", STATIC / "base.css", REPORT, _HERE / "static" / "stats.css")
_WIDTH = 1_000
"""The charts' width, in units of their own."""


@dataclass(frozen=True)
class ShownBar:
    """A part of a bar in a chart: from where, how long, and the words for it."""

    at: float
    size: float
    title: str
    kind: str = ""


def write_page(figures: Figures, subject: str, path: Path) -> None:
    """Write the figures of `subject` as one page to `path`. Raises OSError."""
    spans, suppressed = figures.spans, figures.suppressed
    most = max(sum(counts.values()) for counts in figures.findings.values())
    made = (
        environment(_HERE / "templates")
        .get_template("stats.html.j2")
        .render(
            figures=figures,
            heading=heading(figures, subject),
            facts=list(facts(figures)),
            charts={
                "Reviews": _columns([(span.day, span.reviews, counted(span.reviews, "review")) for span in spans]),
                "Cost": _columns([(span.day, span.usd, money(span.usd)) for span in spans]),
            },
            severities={severity: _stack(counts, most) for severity, counts in figures.findings.items()},
            suppressed={
                reason: _stack({reason: number}, max(suppressed.values())) for reason, number in suppressed.items()
            },
            width=_WIDTH,
            **inlined(_STYLES),
        )
    )
    path.write_text(made, encoding="utf-8")


def _columns(values: Sequence[tuple[str, float, str]]) -> list[ShownBar]:
    """A column for each day with its value, which is given in words too; its `size` is its height, of 100."""
    most = max(value for _, value, _ in values) or 1
    step = _WIDTH / len(values)
    return [ShownBar(at * step, 100 * value / most, f"{day}: {words}") for at, (day, value, words) in enumerate(values)]


def _stack(counts: Mapping[str, int], most: int) -> list[ShownBar]:
    """The parts of a bar one after the other; one of `most` has the whole width."""
    parts: list[ShownBar] = []
    at = 0.0
    for kind, number in counts.items():
        size = _WIDTH * number / (most or 1)
        parts.append(ShownBar(at, size, f"{number:,} {kind}", kind))
        at += size
    return parts
