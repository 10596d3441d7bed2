"""The figures of a deployment, from what its table holds about some days."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property

from cli.stats_scan import StoredFinding, StoredHistory, StoredRun
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.json_object import JsonObject
from kodiai.core.memory.remembered import RuleOutcomes, rule_outcomes
from kodiai.core.model.messages import Usage

OUTCOMES = {
    "fixed": "addressed",
    "acknowledged": "acknowledged",
    "wont_fix": "dismissed",
    "dismissed": "dismissed",
    "conceded": "dismissed",
    "open": "open",
}
"""The outcome of a finding, by its status: a change of the code has fixed it, or people have closed it."""

REASONS = {
    "wrong": "refuted by code",
    "not-from-this-change": "not from this change",
    "not-worth-it": "not worth a comment",
    "same-as": "the same as another",
    "known": "reported before",
    "unwanted": "unwanted here",
}
"""Why findings were suppressed, by the fates that the judge gives."""

_MOST_DAYS = 31
_WEEK = 7


@dataclass
class Span:
    """A day, or a week that begins with it."""

    day: str
    reviews: int = 0
    usd: float = 0.0
    findings: int = 0


@dataclass
class RepositoryFigures:
    """The figures of one repository."""

    name: str
    reviews: int = 0
    usd: float = 0.0
    findings: int = 0
    addressed: int = 0


@dataclass(frozen=True)
class RuleFigures(RuleOutcomes):
    """The outcomes of a rule of the team in one repository."""

    repository: str


@dataclass(frozen=True)
class Figures:
    """The figures of some days, the first and the last one of which ("2026-11-26", UTC) are included.

    `reviews` are completed ones that read something. `not_completed` counts the other runs: "unchanged" had nothing new
    to read, "superseded", "failed", and "running". `median_usd` is the cost of the median review, `unpriced` the number
    of reviews and answers whose model has no price, `unreadable` that of stored items that cannot be read. `answers`
    are those that a model gave. `spent_usd` is everything that the models have cost in whole months ("2026-11"),
    whatever came of it.
    `findings` are those that were posted for the first time: by severity, and in it by what has become of them by now.
    `span` says whether `spans` are days or weeks.
    """

    first_day: str
    last_day: str
    reviews: int
    pull_requests: int
    not_completed: Mapping[str, int]
    seconds_p50: float | None
    seconds_p90: float | None
    answers: int
    input_tokens: int
    output_tokens: int
    thinking_tokens: int
    review_usd: float
    median_usd: float | None
    answer_usd: float
    unpriced: int
    unreadable: int
    spent_usd: Mapping[str, float]
    findings: Mapping[str, Mapping[str, int]]
    suppressed: Mapping[str, int]
    span: str
    spans: Sequence[Span] = field(default_factory=tuple)
    repositories: Sequence[RepositoryFigures] = field(default_factory=tuple)
    rules: Sequence[RuleFigures] = field(default_factory=tuple)

    @cached_property
    def days(self) -> int:
        """The number of days."""
        return (date.fromisoformat(self.last_day) - date.fromisoformat(self.first_day)).days + 1

    @cached_property
    def usd(self) -> float:
        """The cost of reviews and answers."""
        return self.review_usd + self.answer_usd

    @cached_property
    def posted(self) -> int:
        """The number of findings that were posted."""
        return sum(self.outcomes.values())

    @cached_property
    def outcomes(self) -> Mapping[str, int]:
        """The number of findings with each outcome, of all severities."""
        return {
            each: sum(counts[each] for counts in self.findings.values()) for each in dict.fromkeys(OUTCOMES.values())
        }

    @cached_property
    def address_rate(self) -> float | None:
        """The share of findings that a change of the code has fixed, None without findings."""
        return self.outcomes["addressed"] / self.posted if self.posted else None


def first_day(days: int, now: float) -> date:
    """The first of the `days` days that end today."""
    return datetime.fromtimestamp(now, UTC).date() - timedelta(days=days - 1)


def figures(history: StoredHistory, first: date, now: float) -> Figures:
    """Calculate the figures from `first` on."""
    last = datetime.fromtimestamp(now, UTC).date()
    reviews = [run for run in history.runs if _is_review(run)]
    others = Counter(_kind(run) for run in history.runs if not _is_review(run))
    used = [usage for facts in _all_facts(history, reviews) for usage in _usages(facts)]
    total = sum(used, Usage())
    costs = [run.facts.get("cost_usd") for run in reviews]
    answer_costs = [answer.facts.get("cost_usd") for answer in history.answers]
    paid = [cost for cost in costs if cost is not None]
    seconds = [run.ended - run.started for run in reviews if run.ended is not None]
    outcomes: dict[str, dict[str, int]] = {severity: dict.fromkeys(OUTCOMES.values(), 0) for severity in SEVERITIES}
    for finding in history.findings:
        outcomes[finding.severity][OUTCOMES[finding.status]] += 1
    dropped = sum((Counter(run.facts.get("dropped", {})) for run in reviews), Counter[str]())
    days = (last - first).days + 1
    step = 1 if days <= _MOST_DAYS else _WEEK
    return Figures(
        first_day=f"{first}",
        last_day=f"{last}",
        reviews=len(reviews),
        pull_requests=len({(run.repository_id, run.number) for run in reviews}),
        not_completed=dict(sorted(others.items(), key=lambda each: (-each[1], each[0]))),
        seconds_p50=percentile(seconds, 50),
        seconds_p90=percentile(seconds, 90),
        answers=sum(bool(_calls(answer.facts)) for answer in history.answers),
        input_tokens=total.prompt_tokens,
        output_tokens=total.output_tokens,
        thinking_tokens=total.thinking_tokens,
        review_usd=sum(paid),
        median_usd=statistics.median(paid) if paid else None,
        answer_usd=sum(cost for cost in answer_costs if cost is not None),
        unpriced=[*costs, *answer_costs].count(None),
        unreadable=len(history.unreadable),
        spent_usd={month: usd for month, usd in sorted(history.spent_usd.items()) if month >= f"{first:%Y-%m}"},
        findings=outcomes,
        suppressed={REASONS.get(fate, fate): number for fate, number in dropped.most_common()},
        span="day" if step == 1 else "week",
        spans=_spans(history, reviews, [first + timedelta(days=at) for at in range(0, days, step)], step),
        repositories=_repositories(history, reviews),
        rules=_rules(history),
    )


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The percentile of the values, None without any."""
    if len(values) < 2:  # noqa: PLR2004 - a quantile needs two
        return float(values[0]) if values else None
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _is_review(run: StoredRun) -> bool:
    return run.status == "completed" and run.facts.get("mode") != "unchanged"


def _kind(run: StoredRun) -> str:
    return "unchanged" if run.status == "completed" else run.status


def _all_facts(history: StoredHistory, reviews: Iterable[StoredRun]) -> Iterator[JsonObject]:
    yield from (run.facts for run in reviews)
    yield from (answer.facts for answer in history.answers)


def _usages(facts: JsonObject) -> Iterator[Usage]:
    """The usage of the models by a review, or by the three parts of an answer."""
    yield from (Usage(**facts[part]) for part in ("model", "drafting", "reading") if part in facts)


def _calls(facts: JsonObject) -> int:
    """The number of questions for an answer or a change, not only for the meaning of a reply."""
    return sum(facts[part]["calls"] for part in ("model", "drafting") if part in facts)


def _spans(history: StoredHistory, reviews: Iterable[StoredRun], days: Sequence[date], step: int) -> list[Span]:
    spans = [Span(f"{day}") for day in days]

    def span(at: int) -> Span:
        return spans[(datetime.fromtimestamp(at, UTC).date() - days[0]).days // step]

    for run in reviews:
        at = span(run.ended or run.started)
        at.reviews += 1
        at.usd += run.facts.get("cost_usd") or 0
    for answer in history.answers:
        span(answer.at).usd += answer.facts.get("cost_usd") or 0
    for finding in history.findings:
        span(finding.posted).findings += 1
    return spans


def _repositories(history: StoredHistory, reviews: Iterable[StoredRun]) -> list[RepositoryFigures]:
    """The figures of each repository, the most expensive one first."""
    found: defaultdict[int, RepositoryFigures] = defaultdict(lambda: RepositoryFigures(""))
    for run in reviews:
        found[run.repository_id].reviews += 1
        found[run.repository_id].usd += run.facts.get("cost_usd") or 0
    for answer in history.answers:
        found[answer.repository_id].usd += answer.facts.get("cost_usd") or 0
    for finding in history.findings:
        found[finding.repository_id].findings += 1
        found[finding.repository_id].addressed += _is_addressed(finding)
    for repository_id, each in found.items():
        each.name = _name(history, repository_id)
    return sorted(found.values(), key=lambda each: (-each.usd, -each.reviews, each.name))


def _rules(history: StoredHistory) -> list[RuleFigures]:
    """The outcomes of each rule that failed, the most often overridden one first."""
    failures: defaultdict[int, list[tuple[str, str]]] = defaultdict(list)
    for finding in history.findings:
        if finding.rule is not None:
            failures[finding.repository_id].append((finding.rule, finding.status))
    found = [
        RuleFigures(**asdict(each), repository=_name(history, repository_id))
        for repository_id, outcomes in failures.items()
        for each in rule_outcomes(outcomes)
    ]
    return sorted(found, key=lambda each: (-each.overridden, -each.failed, each.repository, each.rule))


def _name(history: StoredHistory, repository_id: int) -> str:
    return history.names.get(repository_id, f"repository {repository_id}")


def _is_addressed(finding: StoredFinding) -> bool:
    return OUTCOMES[finding.status] == "addressed"
