"""The team's rules above the check runs: how the newest review ruled on each, and who overrode which."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.changes.team_ruling import TeamRuling
from kodiai.core.config.keys import RuleLevel, TeamRule
from kodiai.core.config.read import CONFIG_PATH, read_config
from kodiai.core.findings.finding import Severity
from kodiai.core.findings.known import DECIDED_BY_PEOPLE, KnownFinding, findings_of_rules
from kodiai.core.judge.team_rules import SEVERITIES_OF_LEVELS
from kodiai.core.review.run import Run, UnreadableFindings
from local.github.hosted_repository import HostedRepository
from local.github.repository import UnusableRepository
from local.page.activity.findings import github_id
from local.page.header import StateLabel
from local.page.page_request import Context, PageRequest

_STATES: Mapping[str, StateLabel] = {
    "fail": StateLabel("red", "✕", "Fails"),
    "cannot_tell": StateLabel("amber", "?", "Cannot tell"),
    "pass": StateLabel("green", "✓", "Passes"),
    "not_applicable": StateLabel("grey", "■", "Not applicable"),
}
_OVERRIDDEN = StateLabel("grey", "↷", "Overridden")
_NOT_YET = StateLabel("grey", "○", "Not ruled on yet")
_LEVELS: Mapping[Severity, RuleLevel] = {severity: level for level, severity in SEVERITIES_OF_LEVELS.items()}


class RuledLedger(Protocol):
    """The part of a ledger that has the rulings; ReadableLedger says what each returns."""

    def runs(self) -> tuple[Run, ...]: ...  # noqa: D102
    def snapshot(self, run_id: str) -> Snapshot | None: ...  # noqa: D102
    def findings(self) -> tuple[KnownFinding, ...]: ...  # noqa: D102


@dataclass(frozen=True)
class ShownRule:
    """A rule, or what a linked issue asks for, with its standing.

    `lines` are those of `path` that show it, as in an address, "" where the file has them no more. `comment` is
    GitHub's id of its comment. `by` is who overrode it, for the reason `reason`; None where nobody did.
    """

    id: str
    text: str
    level: str
    state: StateLabel
    why: str = ""
    path: str = ""
    lines: str = ""
    looked_at: Sequence[str] = ()
    comment: int | None = None
    by: str | None = None
    reason: str = ""


class RulesSection:
    """The section; `ledger` gives that of a pull request, by its number."""

    def __init__(self, ledger: Callable[[int], RuledLedger]) -> None:
        self._ledger = ledger

    def view(self, request: PageRequest) -> Context:
        """The values that the section shows: the rules of the base branch, then those that only the review knows."""
        ledger = self._ledger(request.pull.number)
        last = next((run for run in reversed(ledger.runs()) if run.status == "completed"), None)
        snapshot = ledger.snapshot(last.id) if last is not None else None
        rulings = {each.rule: each for each in snapshot.rulings} if snapshot is not None else {}
        rules = _rules(request.repository, request.pull.base_sha)
        found, head = _findings(ledger), last.head if last is not None else ""
        shown = [
            _shown(name, rules.get(name), rulings.get(name), found.get(name), request.repository, head)
            for name in dict.fromkeys((*rules, *rulings))
        ]
        return {"rules": shown, "ruled_head": head}


def _rules(repository: HostedRepository, base: str) -> Mapping[str, TeamRule]:
    """The rules in the settings of a base, by id."""
    content = _content(repository, base, CONFIG_PATH)
    return {rule.id: rule for rule in read_config(content).review.rules} if content is not None else {}


def _content(repository: HostedRepository, commit: str, path: str) -> bytes | None:
    """The content of a file at a commit, None if there is none."""
    try:
        return repository.copy.git("cat-file", "blob", f"{commit}:{path}")
    except UnusableRepository:
        return None


def _findings(ledger: RuledLedger) -> Mapping[str, KnownFinding]:
    """The finding of each rule, none if they cannot be read."""
    try:
        return findings_of_rules(ledger.findings())
    except UnreadableFindings:
        return {}


def _shown(
    name: str,
    rule: TeamRule | None,
    ruling: TeamRuling | None,
    known: KnownFinding | None,
    repository: HostedRepository,
    head: str,
) -> ShownRule:
    level = rule.level if rule is not None else _LEVELS.get(known.finding.severity, "") if known is not None else ""
    text = rule.text if rule is not None else ruling.criterion if ruling is not None else ""
    if ruling is None:
        return ShownRule(name, text, level, _NOT_YET)
    overridden = known is not None and known.status in DECIDED_BY_PEOPLE and ruling.result == "fail"
    return ShownRule(
        id=name,
        text=text,
        level=level,
        state=_OVERRIDDEN if overridden else _STATES[ruling.result],
        why=ruling.why,
        path=ruling.path,
        lines=_lines(_content(repository, head, ruling.path), ruling.quote) if ruling.path else "",
        looked_at=ruling.looked_at,
        comment=github_id(known.comment_id) if known is not None and known.status == "open" else None,
        by=(known.settled_by or "somebody") if known is not None and overridden else None,
        reason=(known.reason or "") if known is not None and overridden else "",
    )


def _lines(content: bytes | None, quote: str) -> str:
    """The lines of a quote in a file, such as "2" or "2-L4"."""
    before, found, _ = (content or b"").decode("utf-8", "replace").partition(quote)
    if not found:
        return ""
    first = before.count("\n") + 1
    last = first + quote.rstrip("\n").count("\n")
    return str(first) if first == last else f"{first}-L{last}"
