"""The figures of a deployment in the terminal: a line for each, and a bar for each day."""

from collections.abc import Iterator, Mapping
from datetime import date

from rich.bar import Bar
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.stats_figures import Figures
from local.rendering.labels import counted, duration, money
from local.rendering.visible import visible_line

_MOST_REPOSITORIES = 10
_MOST_RULES = 20
NOTHING = "·"


def print_figures(figures: Figures, subject: str, console: Console) -> None:
    """Print the figures of `subject`, a stage or a repository on it."""
    console.print(Text(visible_line(heading(figures, subject)), "bold"))
    lines = Table.grid(padding=(0, 2))
    for name, text in facts(figures):
        lines.add_row(Text(name, "dim"), Text(text))
    console.print(lines)
    if any(span.reviews or span.usd or span.findings for span in figures.spans):
        console.print()
        console.print(_plot(figures))
    if len(figures.repositories) > 1:
        console.print()
        console.print(_repositories(figures))
    if figures.rules:
        console.print()
        console.print(_rules(figures))


def heading(figures: Figures, subject: str) -> str:
    """Return the title of the figures: "Kodiai prod, 30 days until 2026-11-26"."""
    return f"Kodiai {subject}, {counted(figures.days, 'day')} until {figures.last_day}"


def facts(figures: Figures) -> Iterator[tuple[str, str]]:
    """Each figure with its name, in words."""
    yield "Reviews", f"{counted(figures.reviews, 'review')} of {counted(figures.pull_requests, 'pull request')}"
    if figures.not_completed:
        yield "Other runs", _listed(figures.not_completed)
    if figures.seconds_p50 is not None and figures.seconds_p90 is not None:
        yield "Duration", f"p50 {duration(figures.seconds_p50)}, p90 {duration(figures.seconds_p90)}"
    median = f", {money(figures.median_usd)} for the median one" if figures.median_usd is not None else ""
    yield (
        "Cost",
        f"{money(figures.usd)}: reviews {money(figures.review_usd)}{median}, answers {money(figures.answer_usd)}",
    )
    if figures.unpriced:
        yield "", f"{counted(figures.unpriced, 'review or answer')} without a price not included"
    if figures.unreadable:
        yield "Not included", f"{counted(figures.unreadable, 'stored item')} that cannot be read"
    if figures.spent_usd:
        months = {month: money(usd) for month, usd in figures.spent_usd.items()}
        listed = ", ".join(f"{month} {usd}" for month, usd in months.items())
        yield "All spending", f"{listed}: whole months, with reviews that failed and of proposals"
    thinking = f", {figures.thinking_tokens:,} of them thinking" if figures.thinking_tokens else ""
    yield "Tokens", f"{figures.input_tokens:,} in, {figures.output_tokens:,} out{thinking}"
    yield "Answers", f"{figures.answers:,}"
    by_severity = {severity: sum(counts.values()) for severity, counts in figures.findings.items()}
    yield "New findings", f"{figures.posted:,}{_in_detail(by_severity)}"
    if figures.address_rate is not None:
        yield "Address rate", f"{figures.address_rate:.0%}: {_listed(figures.outcomes)}"
    yield "Suppressed", f"{sum(figures.suppressed.values()):,}{_in_detail(figures.suppressed)}"
    if ignored := [f"{each.rule} ({each.repository})" for each in figures.rules if each.is_ignored]:
        yield "Rules", f"overridden more often than followed: {visible_line(', '.join(ignored))}"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)


def _in_detail(counts: Mapping[str, int]) -> str:
    listed = _listed(counts)
    return f": {listed}" if listed else ""


def _plot(figures: Figures) -> Table:
    """A bar of reviews for each day or week, with what was found and what it cost."""
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column(figures.span, no_wrap=True)
    table.add_column("reviews", justify="right", no_wrap=True)
    table.add_column("", ratio=1)
    for name in ("findings", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    most = max(1, *(span.reviews for span in figures.spans))
    for span in figures.spans:
        bar = Bar(most, 0, span.reviews, color="cyan")
        table.add_row(
            f"{date.fromisoformat(span.day):%b %d}", *_cells(span.reviews), bar, *_cells(span.findings, span.usd)
        )
    return table


def _repositories(figures: Figures) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("repository", overflow="fold")
    for name in ("reviews", "findings", "addressed", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in figures.repositories[:_MOST_REPOSITORIES]:
        rate = f"{each.addressed / each.findings:.0%}" if each.findings else NOTHING
        table.add_row(visible_line(each.name), *_cells(each.reviews, each.findings), rate, *_cells(each.usd))
    if rest := figures.repositories[_MOST_REPOSITORIES:]:
        sums = (sum(each.reviews for each in rest), sum(each.findings for each in rest))
        rate = f"{sum(each.addressed for each in rest) / sums[1]:.0%}" if sums[1] else NOTHING
        table.add_row(f"{len(rest):,} more", *_cells(*sums), rate, *_cells(sum(each.usd for each in rest)))
    return table


def _rules(figures: Figures) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("repository", "rule"):
        table.add_column(name, overflow="fold")
    for name in ("failed", "overridden", "followed"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in figures.rules[:_MOST_RULES]:
        counts = _cells(each.failed, each.overridden, each.followed)
        table.add_row(visible_line(each.repository), visible_line(each.rule), *counts)
    if rest := len(figures.rules[_MOST_RULES:]):
        table.add_row(f"{rest:,} more")
    return table


def _cells(*values: float) -> Iterator[str]:
    """Counts, and amounts in US dollars, as the cells of a table."""
    for value in values:
        yield (f"{value:,}" if isinstance(value, int) else f"${value:,.2f}") if value else NOTHING
