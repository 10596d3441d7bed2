"""The contents of a report: figures of a run, of its languages and cases, and the comparison with another run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evals.bootstrap import Estimate, differences, estimates
from evals.filtering import FateRow, fates, unfiltered
from evals.metrics import METRICS, Counts, by_case, counts_of, total
from evals.result import RunResult
from evals.scoring import Scored
from kodiai.core.findings.finding import SEVERITIES

_OF_A_GROUP = ("precision", "recall")


@dataclass(frozen=True)
class Group:
    """The pull requests of one language, with precision and recall."""

    name: str
    counts: Counts
    figures: Mapping[str, Estimate]


@dataclass(frozen=True)
class ProblemCount:
    """The numbers of expected and of found problems of a severity or category."""

    name: str
    found: int
    expected: int


@dataclass(frozen=True)
class CaseRow:
    """One case: its counts, its repeats together, and each of its pull requests."""

    slug: str
    language: str
    clean: bool
    counts: Counts
    scored: Sequence[Scored]


@dataclass(frozen=True)
class Summary:
    """A scored run.

    `unfiltered` are the counts of cases with recordings if every reported finding had been posted, None without such
    cases; `filtered` are their real counts.
    """

    run: RunResult
    judge: str
    counts: Counts
    figures: Mapping[str, Estimate]
    languages: Sequence[Group]
    severities: Sequence[ProblemCount]
    categories: Sequence[ProblemCount]
    cases: Sequence[CaseRow]
    fates: Sequence[FateRow]
    unfiltered: Counts | None
    filtered: Counts

    @property
    def repeats(self) -> int:
        """The greatest number of pull requests of a case."""
        return max((len(row.scored) for row in self.cases), default=0)


@dataclass(frozen=True)
class Comparison:
    """Two runs compared: `differences` are this run's figures minus the other's, over the `common` cases of both."""

    other: Summary
    common: int
    differences: Mapping[str, Estimate]


def summarize(run: RunResult, scored: Sequence[Scored], judge: str) -> Summary:
    """Put together the contents of a report."""
    cases: dict[str, list[Scored]] = {}
    for one in scored:
        cases.setdefault(one.case.slug, []).append(one)
    by_hand = [one for one in scored if one.result.by_hand]
    return Summary(
        run=run,
        judge=judge,
        counts=total(map(counts_of, scored)),
        figures=estimates(by_case(scored), METRICS.values()),
        languages=[*_languages(scored)],
        severities=_found(scored, "severity", SEVERITIES),
        categories=_found(scored, "category"),
        cases=[_row(slug, cases[slug]) for slug in sorted(cases)],
        fates=fates(scored),
        unfiltered=unfiltered(by_hand) if by_hand else None,
        filtered=total(map(counts_of, by_hand)),
    )


def compare(summary: Summary, other: Summary) -> Comparison:
    """Compare it with another run."""
    mine, others = ({row.slug: row.counts for row in one.cases} for one in (summary, other))
    common = len(mine.keys() & others.keys())
    return Comparison(other, common, differences(others, mine, METRICS.values()))


def _languages(scored: Sequence[Scored]) -> Iterable[Group]:
    for language in sorted({one.case.definition.language for one in scored}):
        cases = by_case(one for one in scored if one.case.definition.language == language)
        yield Group(language, total(cases.values()), estimates(cases, [METRICS[name] for name in _OF_A_GROUP]))


def _found(scored: Sequence[Scored], field: str, order: Sequence[str] = ()) -> list[ProblemCount]:
    """Count problems by a field; in that order, else the most frequent first."""
    found = Counter(getattr(hit.expected, field) for one in scored for hit in one.hits)
    missed = Counter(getattr(miss.expected, field) for one in scored for miss in one.misses)
    names = [name for name, _ in (found + missed).most_common()]
    return [
        ProblemCount(name, found[name], found[name] + missed[name])
        for name in sorted(names, key=lambda name: order.index(name) if name in order else len(order))
    ]


def _row(slug: str, scored: Sequence[Scored]) -> CaseRow:
    sheet = scored[0].case.definition
    return CaseRow(slug, sheet.language, sheet.clean, total(map(counts_of, scored)), scored)


def as_json(summary: Summary, comparison: Comparison | None = None) -> dict[str, Any]:
    """All contents as JSON."""
    contents: dict[str, Any] = {
        "reviewer": summary.run.reviewer,
        "judge": summary.judge,
        "began": summary.run.began,
        "seconds": summary.run.seconds,
        "cases": len(summary.cases),
        "repeats": summary.repeats,
        "violations": list(summary.run.violations),
        "missing": list(summary.run.missing),
        "counts": asdict(summary.counts),
        "figures": _figures(summary.figures),
        "languages": {
            one.name: {"counts": asdict(one.counts), "figures": _figures(one.figures)} for one in summary.languages
        },
        "severities": [asdict(one) for one in summary.severities],
        "categories": [asdict(one) for one in summary.categories],
        "fates": [asdict(one) for one in summary.fates],
        "unfiltered": asdict(summary.unfiltered) if summary.unfiltered else None,
        "pull_requests": [_pull_request(one) for row in summary.cases for one in row.scored],
    }
    if comparison is not None:
        contents["against"] = as_json(comparison.other)
        contents["differences"] = {"cases": comparison.common, "figures": _figures(comparison.differences)}
    return contents


def _figures(figures: Mapping[str, Estimate]) -> dict[str, Any]:
    return {name: asdict(one) for name, one in figures.items()}


def _pull_request(one: Scored) -> dict[str, Any]:
    pushes = one.result.pushes
    return {
        "case": one.case.slug,
        "repeat": one.result.repeat,
        "clean": one.case.definition.clean,
        "failed": one.result.failed,
        "counts": asdict(counts_of(one)),
        "hits": [
            {"problem": hit.expected.id, "finding": hit.finding.model_dump(), "push": hit.push + 1, "late": hit.late}
            for hit in one.hits
        ],
        "accepted": [{"problem": hit.expected.id, "push": hit.push + 1} for hit in one.accepted],
        "missed": [{"problem": miss.expected.id, "push": miss.push + 1} for miss in one.misses],
        "false": [
            {"kind": false.kind, "finding": false.finding.model_dump(), "push": false.push + 1} for false in one.false
        ],
        "suppressed": [{"push": at, "line": line} for at, push in enumerate(pushes, 1) for line in push.suppressed],
        "statuses": [{**asdict(check), "push": check.push + 1} for check in one.statuses],
    }
