"""The report as Markdown: tables, and bars made of characters."""

from collections.abc import Iterable, Iterator, Sequence

from evals.bootstrap import Estimate
from evals.filtering import FateRow
from evals.metrics import METRICS, Counts, Metric, f1, precision, recall
from evals.scoring import Scored
from evals.summary import Comparison, ProblemCount, Summary
from kodiai.core.text.markdown import line

_BAR = 20
_NOTE = """\
Precision is the share of posted findings that are right: those that match an expected or an accepted problem. Recall is
the share of expected problems that a posted finding matches. A finding matches a problem if it is in the same file, at
most ten lines away, and the judge says that both mean the same; each finding matches at most one problem, and each
problem one finding. A second finding of the same problem is a false positive. Brackets show 95 % intervals, from cases
drawn again with replacement."""


def markdown(summary: Summary, comparison: Comparison | None = None) -> str:
    """Write the whole report."""
    parts = [
        "# Evaluation",
        _head(summary),
        "## Figures",
        _figures(summary, comparison),
        _NOTE,
        _unfiltered(summary),
        "## Languages",
        _languages(summary),
        "## Problems",
        _problems("Severity", summary.severities),
        _problems("Category", summary.categories),
        "## Cases",
        _cases(summary),
        _remarks(summary),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(summary: Summary) -> str:
    counts = summary.counts
    rows = [
        f"- Reviewer: {line(summary.run.reviewer)}",
        f"- Judge: {line(summary.judge)}",
        f"- {len(summary.cases)} cases, {counts.pull_requests} pull requests, {counts.clean} of them clean",
        f"- Started {summary.run.began}, took {summary.run.seconds:.0f} s",
    ]
    if counts.failed:
        rows.append(f"- **{counts.failed} reviews failed**; the problems that they should have found count as missed")
    rows += [f"- Violation: {line(violation)}" for violation in summary.run.violations]
    rows += [f"- Missing answer: {line(missing)}" for missing in summary.run.missing]
    return "\n".join(rows)


def _figures(summary: Summary, comparison: Comparison | None) -> str:
    if comparison is None:
        rows = [[metric.label, shown(metric, summary.figures[metric.name])] for metric in METRICS.values()]
        return table(["Figure", "Value"], rows)
    heads = ["Figure", line(summary.run.reviewer), line(comparison.other.run.reviewer), "Difference"]
    rows = [
        [
            metric.label,
            shown(metric, summary.figures[metric.name]),
            shown(metric, comparison.other.figures[metric.name]),
            difference(metric, comparison.differences[metric.name]),
        ]
        for metric in METRICS.values()
    ]
    note = f"The difference is over the {comparison.common} cases that both runs have; an interval without 0 is bold."
    return f"{table(heads, rows)}\n\n{note}"


def shown(metric: Metric, estimate: Estimate) -> str:
    """Write a figure with its interval."""
    if estimate.value is None or estimate.low is None:
        return metric.show(estimate.value)
    return f"{metric.show(estimate.value)} [{metric.show(estimate.low)}, {metric.show(estimate.high)}]"


def difference(metric: Metric, estimate: Estimate) -> str:
    """Write a difference with its sign, bold if its interval excludes 0."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "–"
    sign = "+" if estimate.value > 0 else ""
    words = f"{sign}{metric.show(estimate.value)} [{metric.show(estimate.low)}, {metric.show(estimate.high)}]"
    return f"**{words}**" if estimate.low > 0 or estimate.high < 0 else words


def _unfiltered(summary: Summary) -> str:
    """Compare reported and posted findings, for cases with recorded reports."""
    if summary.unfiltered is None:
        return ""
    heads = ["", "Findings", "Precision", "Recall", "F1", "Clean without findings"]
    rows = [_row_of("As reported", summary.unfiltered), _row_of("As posted", summary.filtered)]
    return "\n\n".join(["## Reported and posted", table(heads, rows), _fates(summary.fates)])


def _row_of(name: str, counts: Counts) -> list[str]:
    share = METRICS["precision"].show
    silence = METRICS["silence"].of(counts)
    return [
        name,
        f"{counts.posted:.0f}",
        share(precision(counts)),
        share(recall(counts)),
        share(f1(counts)),
        share(silence),
    ]


def _fates(rows: Sequence[FateRow]) -> str:
    heads = ["Meant to be", "Reported", "Posted"]
    return table(heads, [[row.fate, str(row.reported), str(row.posted)] for row in rows])


def _languages(summary: Summary) -> str:
    rows = [
        [
            group.name,
            str(group.counts.pull_requests),
            *(shown(METRICS[name], group.figures[name]) for name in ("precision", "recall")),
            bar(group.figures["recall"].value),
        ]
        for group in summary.languages
    ]
    return table(["Language", "Pull requests", "Precision", "Recall", ""], rows)


def _problems(head: str, found: Sequence[ProblemCount]) -> str:
    rows = [[one.name, f"{one.found} of {one.expected}", bar(one.found / one.expected)] for one in found]
    return table([head, "Found", ""], rows) if rows else ""


def _cases(summary: Summary) -> str:
    heads = ["Case", "Posted", "Right", "Accepted", "False", "Missed", "Statuses", "Requests", "Input tokens"]
    rows = [_case(f"{row.slug}{' (clean)' if row.clean else ''}", row.counts) for row in summary.cases]
    return table([*heads, "US dollars", "Seconds"], [*rows, _case("All", summary.counts)])


def _case(name: str, counts: Counts) -> list[str]:
    return [
        name,
        *(str(number) for number in (counts.posted, counts.true, counts.accepted, counts.false, counts.missed)),
        f"{counts.right_statuses} of {counts.statuses}" if counts.statuses else "",
        f"{counts.requests:,}",
        f"{counts.input_tokens:,}",
        f"{counts.cost_usd:.4f}" if counts.priced else "",
        f"{counts.seconds:.1f}",
    ]


def _remarks(summary: Summary) -> str:
    """Every miss, every false positive, every wrong status, by case."""
    parts = []
    for row in summary.cases:
        remarks = [remark for one in row.scored for remark in remarks_of(one)]
        if remarks:
            parts.append("\n".join([f"### {row.slug}", "", *(f"- {line(remark)}" for remark in remarks)]))
    return "\n\n".join(["## What went wrong", *parts]) if parts else ""


def remarks_of(one: Scored) -> Iterator[str]:
    """List what is wrong with one pull request's reviews, a line each."""
    of = f" (pull request {one.result.repeat})" if one.result.repeat > 1 else ""
    if one.result.failed is not None:
        yield f"failed{of}: {one.result.failed}"
    for miss in one.misses:
        problem = miss.expected
        yield f"missed{of}, push {miss.push + 1}: {problem.severity} {problem.id}: {problem.mechanism}"
    for false in one.false:
        finding = false.finding
        fate = next((each.fate for each in one.result.pushes[false.push].reported if each.title == finding.title), None)
        meant = f" (meant to be {fate})" if fate is not None else ""
        place = f"{finding.path}:{finding.start_line}"
        yield f"{false.kind}{meant}{of}, push {false.push + 1}: {finding.severity} {place}: {finding.title}"
    for check in one.statuses:
        if not check.is_right:
            yield f"status{of}, push {check.push + 1}: {check.id} is {check.got}, not {check.wanted}"


def bar(share: float | None) -> str:
    """A share as a bar of characters."""
    full = round((share or 0.0) * _BAR)
    return f"`{'█' * full}{'·' * (_BAR - full)}`"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table; pipes in cells are escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in lines)
