"""The results of the team's rules on pull requests, and their lines in the terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from cli.table import table_lines
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import RuleLevel, TeamRule
from kodiai.core.findings.finding import Finding
from kodiai.core.json_object import JsonObject
from kodiai.core.judge.team_rules import NO_FILE
from local.rendering.labels import counted, money, short_sha
from local.rendering.visible import visible_line

_RESULTS = {"fail": "fails", "cannot_tell": "cannot tell", "pass": "passes", "not_applicable": "not applicable"}
"""The results in the order in which they are listed, in words."""
_LEVELS: Sequence[RuleLevel] = ("error", "warning", "note")
_MANY = 2


@dataclass(frozen=True)
class RuleResult:
    """The result of a rule on a pull request, where, and why; `line` is None where something is missing.

    `has_files` is whether the rule is for a file of it.
    """

    rule: str
    level: RuleLevel
    result: str
    why: str
    has_files: bool
    path: str = ""
    line: int | None = None

    @classmethod
    def of(cls, ruling: TeamRuling, level: RuleLevel, finding: Finding | None) -> Self:
        """The result by a ruling, and by the finding of one that fails."""
        made = cls(ruling.rule, level, ruling.result, ruling.why, ruling.why != NO_FILE, ruling.path)
        if finding is None:
            return made
        return replace(made, path=finding.path, line=finding.start_line if finding.quote else None)

    @property
    def place(self) -> str:
        """The path with the line, as people write it."""
        return f"{self.path}:{self.line}" if self.line is not None else self.path


@dataclass(frozen=True)
class CheckedPullRequest:
    """A pull request with its results, those that fail first, by level; `problem` is why there are none.

    `commit` is None for the current work. `cost_usd` is what the model cost, None if it is unknown, `calls` how many
    questions it was asked.
    """

    commit: str | None
    title: str
    results: Sequence[RuleResult] = ()
    problem: str | None = None
    cost_usd: float | None = 0.0
    calls: int = 0

    def with_results(self, results: Iterable[RuleResult], facts: JsonObject) -> Self:
        """The same with its results."""
        order = (*_RESULTS,)
        ranked = sorted(results, key=lambda each: (order.index(each.result), _LEVELS.index(each.level)))
        return replace(self, results=ranked, cost_usd=facts["cost_usd"], calls=facts["model"]["calls"])

    def without_results(self, problem: str) -> Self:
        """The same with the reason why nobody ruled."""
        return replace(self, problem=problem)

    @property
    def is_refused(self) -> bool:
        """Whether a rule of the level `error` fails, or nobody knows."""
        return self.problem is not None or any(each.result == "fail" and each.level == "error" for each in self.results)


@dataclass(frozen=True)
class RuleTally:
    """The numbers of pull requests on which a rule has each result.

    `has_files` is whether it is for a file of any, as far as anybody knows.
    """

    rule: str
    level: RuleLevel
    fails: int
    passes: int
    not_applicable: int
    cannot_tell: int
    has_files: bool


def tallies(rules: Sequence[TeamRule], checked: Sequence[CheckedPullRequest]) -> list[RuleTally]:
    """The numbers of each rule, in the order of levels."""
    results = [each for pull in checked for each in pull.results]
    found = (_tally(rule, [each for each in results if each.rule == rule.id]) for rule in rules)
    return sorted(found, key=lambda each: _LEVELS.index(each.level))


def _tally(rule: TeamRule, results: Sequence[RuleResult]) -> RuleTally:
    said = [each.result for each in results]
    return RuleTally(
        rule=rule.id,
        level=rule.level,
        fails=said.count("fail"),
        passes=said.count("pass"),
        not_applicable=said.count("not_applicable"),
        cannot_tell=said.count("cannot_tell"),
        has_files=not results or any(each.has_files for each in results),
    )


def lines(subject: str, rules: Sequence[TeamRule], checked: Sequence[CheckedPullRequest], width: int) -> Iterator[str]:
    """Each pull request with its results, and for several ones a table; its last column is shortened to the width."""
    yield visible_line(subject)
    for pull in checked:
        yield ""
        yield visible_line(f"{short_sha(pull.commit)}  {pull.title}" if pull.commit else pull.title)
        yield from _results(pull)
    counts = tallies(rules, checked)
    if len(checked) > 1:
        yield ""
        columns = ("rule", "level", "fails", "passes", "not applicable", "cannot tell")
        yield from table_lines(columns, [[*map(str, _numbers(each))] for each in counts], width)
    yield ""
    if everywhere := [each.rule for each in counts if each.fails >= _MANY and not each.passes]:
        yield f"Never passes: {_named(everywhere)}. Look at that before a gate depends on it."
    if nowhere := [each.rule for each in counts if not each.has_files]:
        yield f"For no file of {'these pull requests' if len(checked) > 1 else 'this change'}: {_named(nowhere)}."
    costs = [each.cost_usd for each in checked]
    cost = None if None in costs else sum(filter(None, costs))
    but = ", without what was not checked" if any(each.problem for each in checked) else ""
    yield f"{counted(sum(each.calls for each in checked), 'question')} to the model, {money(cost)}{but}"


def _numbers(tally: RuleTally) -> Sequence[object]:
    return tally.rule, tally.level, tally.fails, tally.passes, tally.not_applicable, tally.cannot_tell


def _named(names: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def _results(pull: CheckedPullRequest) -> Iterator[str]:
    """A line for each rule that fails or of which nobody knows, and one for all others with a result."""
    if pull.problem is not None:
        yield visible_line(f"  not checked: {pull.problem}")
    groups: Mapping[str, list[RuleResult]] = {
        name: [each for each in pull.results if each.result == name] for name in _RESULTS
    }
    for each in groups["fail"]:
        yield visible_line(f"  fails ({each.level}): {each.rule}: {each.place}: {each.why}")
    for each in groups["cannot_tell"]:
        yield visible_line(f"  cannot tell ({each.level}): {each.rule}: {each.why}")
    for name in ("pass", "not_applicable"):
        if groups[name]:
            yield f"  {_RESULTS[name]}: {', '.join(each.rule for each in groups[name])}"
