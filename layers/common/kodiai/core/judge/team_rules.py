"""The standing of the team's rules: one ruling on each, and what that means for the findings of those that fail."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kodiai.core.changes.team_ruling import PULL_REQUEST_TEXTS, TeamRuling
from kodiai.core.config.keys import RuleLevel
from kodiai.core.findings.finding import Finding, Severity
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.findings.locate import locate
from kodiai.core.findings.report import EarlierAnswer
from kodiai.core.findings.source import Source
from kodiai.core.findings.team_rulings import NOT_RULED
from kodiai.core.plan.plan import ReviewPlan
from kodiai.core.plan.team_rules import files_of, is_overridden
from kodiai.core.text.layout import short_title

SEVERITIES_OF_LEVELS: Mapping[RuleLevel, Severity] = {"error": "MAJOR", "warning": "MEDIUM", "note": "MINOR"}
_WORST_FIRST = ("fail", "cannot_tell", "pass", "not_applicable")
_CLOSING = frozenset({"pass", "not_applicable"})
_GONE = "it is not asked for any more"
_MOVED = "the code that broke it is gone, and nobody has ruled since"

NO_FILE = "no changed file is one that it is for"
"""The reason of a rule that is for no file of a pull request."""


@dataclass(frozen=True)
class TeamRulesStanding:
    """The last ruling on each rule and criterion, and what they mean for findings.

    `failing` are the new findings. Of the open findings of rules, `repeated` are those that still fail, `answers` what
    the ruling says of them, and `resolved` the code that shows that they fail no more, by their ids.
    """

    rulings: tuple[TeamRuling, ...] = ()
    failing: tuple[Finding, ...] = ()
    repeated: Mapping[str, Finding] = field(default_factory=dict)
    answers: Mapping[str, EarlierAnswer] = field(default_factory=dict)
    resolved: Mapping[str, Evidence] = field(default_factory=dict)


NO_TEAM_RULES = TeamRulesStanding()


def team_rules_standing(
    plan: ReviewPlan, rulings: Iterable[TeamRuling], unread: Collection[str], source: Source
) -> TeamRulesStanding:
    """Sum up what the readers ruled and what earlier reviews did; `unread` are the changed files that nobody has read.

    What was not read, or not ruled on, neither passes nor fails. A failure ends where what decides it has changed. A
    rule has one open finding at most. Without a model nothing changes.
    """
    if plan.offline:
        return TeamRulesStanding(tuple(plan.input.earlier_rulings.values()))
    found = {each.rule: _held(plan, each, source) for each in _final(plan, rulings, unread)}
    fails_now = ((name, _finding(plan, each, source)) for name, each in found.items() if each.result == "fail")
    failing = {name: each for name, each in fails_now if each is not None}
    repeated: dict[str, Finding] = {}
    answers: dict[str, EarlierAnswer] = {}
    resolved: dict[str, Evidence] = {}
    stand: set[str] = set()
    for known in plan.input.known:
        name = known.finding.rule
        if name is None or known.status != "open":
            continue
        ruling, fails = found.get(name), failing.get(name) if name not in stand else None
        if fails is not None and _is_same(plan.at_head(known), fails, source):
            stand.add(name)
            repeated[known.id] = fails
            answers[known.id] = _answer(known, "NOT_ADDRESSED", fails.path, fails.quote, fails.explanation)
        elif ruling is None or fails is not None or ruling.result in _CLOSING:
            path = (ruling.path if ruling else "") or known.finding.path
            quote = ruling.quote if ruling and ruling.result == "pass" else ""
            answers[known.id] = _answer(known, "ADDRESSED", path, quote, ruling.why if ruling else _GONE)
            resolved[known.id] = Evidence(path, quote)
    known_rules = {each.finding.rule for each in plan.input.known}
    for name, each in found.items():
        if each.result == "fail" and name not in failing and name not in known_rules:
            found[name] = TeamRuling(rule=name, result="cannot_tell", why=_MOVED, criterion=each.criterion)
    return TeamRulesStanding(
        rulings=tuple(found.values()),
        failing=tuple(
            each for name, each in failing.items() if name not in stand and not is_overridden(name, plan.input)
        ),
        repeated=repeated,
        answers=answers,
        resolved=resolved,
    )


def _final(plan: ReviewPlan, rulings: Iterable[TeamRuling], unread: Collection[str]) -> Iterator[TeamRuling]:
    """The ruling on each rule of the settings, then on each criterion of the linked issues."""
    given: dict[str, TeamRuling] = {}
    for each in sorted(rulings, key=lambda each: _WORST_FIRST.index(each.result)):
        given.setdefault(each.rule, each)
    review_input = plan.input
    is_full = review_input.mode_and_reason[0] == "full"
    before = {} if is_full else review_input.earlier_rulings
    for rule in review_input.config.review.rules:
        files = files_of(rule, review_input)
        left = [path for path in files if path in unread]
        ruling = given.get(rule.id) or before.get(rule.id)
        if not files:
            ruling = TeamRuling(rule=rule.id, result="not_applicable", why=NO_FILE)
        elif ruling is None:
            ruling = TeamRuling(rule=rule.id, result="cannot_tell", why=NOT_RULED)
        elif left and ruling.result in _CLOSING:
            ruling = TeamRuling(rule=rule.id, result="cannot_tell", why=f"{left[0]} was not read")
        yield ruling
    if review_input.on_github.may_close_issues and review_input.config.review.linked_issue != "off":
        last = {**review_input.earlier_rulings, **given}
        yield from (last[name] for name in sorted(last, key=lambda name: (len(name), name)) if last[name].is_criterion)


def _held(plan: ReviewPlan, ruling: TeamRuling, source: Source) -> TeamRuling:
    """The ruling, or the earlier one if that is a failure and nothing that decides it has changed since.

    A reader who thinks better of it fixes nothing; a review that somebody asks for in full is another matter.
    """
    review_input = plan.input
    before = review_input.earlier_rulings.get(ruling.rule)
    if before is None or before.result != "fail" or ruling.result not in _CLOSING:
        return ruling
    if review_input.mode_and_reason[0] == "full":
        return ruling
    since = review_input.since
    path = since.path_now(before.path)
    if before.quote and locate(before.quote, path, None, source) is None:
        return ruling
    changed = {*since.changed, *since.gone}
    decides = {path, ruling.path, *before.looked_at, *ruling.looked_at}
    may_differ = any(each in PULL_REQUEST_TEXTS or _holds(each, changed) for each in decides)
    return ruling if may_differ else before


def _holds(name: str, changed: Collection[str]) -> bool:
    """Whether a file is among the changed ones, or a folder, whose name ends with a slash, has one of them."""
    return name in changed or (name.endswith("/") and any(path.startswith(name) for path in changed))


def _finding(plan: ReviewPlan, ruling: TeamRuling, source: Source) -> Finding | None:
    """The finding of a ruling that fails; None if the code that it shows is not there any more."""
    config = plan.input.config.review
    rule = next((each for each in config.rules if each.id == ruling.rule), None)
    level = rule.level if rule is not None else config.linked_issue
    place = locate(ruling.quote, ruling.path, None, source) if ruling.quote else None
    if (ruling.quote and place is None) or level == "off":
        return None
    path = place.path if place else _path(plan, ruling)
    title = f"Rule {ruling.rule}: {ruling.why}" if rule is not None else f"Not done: {ruling.criterion}"
    return Finding(
        severity=SEVERITIES_OF_LEVELS[level],
        category="rule",
        kind="impact",
        path=path,
        start_line=place.start_line if place else 1,
        end_line=place.end_line if place else 1,
        title=short_title(title),
        explanation=ruling.why,
        problem=rule.text if rule is not None else ruling.why,
        quote=place.quote if place else "",
        rule=ruling.rule,
        looked_at=ruling.looked_at,
    )


def _path(plan: ReviewPlan, ruling: TeamRuling) -> str:
    """The changed file under which a missing thing is listed: one that was looked at, else one that the rule is for."""
    rules = [rule for rule in plan.input.config.review.rules if rule.id == ruling.rule]
    own = [path for rule in rules for path in files_of(rule, plan.input)]
    changed = plan.input.by_path
    return next(path for path in (*ruling.looked_at, *own, *changed) if path in changed)


def _is_same(known: KnownFinding, fails: Finding, source: Source) -> bool:
    """Whether a rule fails as it did: at the same code, or by something that is missing; else its code is gone."""
    own = known.finding
    if bool(own.quote) != bool(fails.quote):
        return False
    return not own.quote or own.path == fails.path or locate(own.quote, own.path, None, source) is not None


def _answer(known: KnownFinding, said: str, path: str, quote: str, why: str) -> EarlierAnswer:
    return EarlierAnswer.model_validate({"finding": known.id, "answer": said, "path": path, "quote": quote, "why": why})
