"""Remembered findings: what was posted, what it led to, and who accepted or dismissed it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.changes.team_ruling import is_criterion
from kodiai.core.findings.finding import Category, Severity
from kodiai.core.findings.known import DECIDED_BY_PEOPLE

FindingOutcome = Literal["open", "fixed", "wont_fix", "acknowledged", "disputed", "conceded", "dismissed"]
"""The outcome of a finding: its status in the ledger; `disputed` is an open one that people argued about."""

Vector = Sequence[float]
"""An embedding, normalized."""


@dataclass(frozen=True)
class RememberedFinding:
    """A finding as the memory has it.

    `repository_id` is GitHub's numeric id, which stays when the repository is renamed; `repository` is "owner/name".
    `is_merged` is whether the pull request was merged, and the finding was in this state then.
    `accepted_by` and `dismissed_by` are logins of people with write access: who said 👍, who dismissed it or said 👎.
    `reason` is what the one of them said in its thread who dismissed it. `rule` is the team's rule that failed.
    `at` is when it was last written, in seconds since the epoch.
    """

    repository_id: int
    repository: str
    number: int
    finding: str
    severity: Severity
    category: Category
    path: str
    title: str
    problem: str
    outcome: FindingOutcome
    is_merged: bool = False
    accepted_by: tuple[str, ...] = ()
    dismissed_by: tuple[str, ...] = ()
    reason: str = ""
    at: int = 0
    rule: str | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it was fixed, or somebody accepted or dismissed it."""
        return self.outcome == "fixed" or bool(self.accepted_by or self.dismissed_by)

    @property
    def key(self) -> str:
        """Its key in the index: the same however often it is written."""
        return f"{self.repository_id}/{self.name}"

    @property
    def name(self) -> str:
        """Its name for people, within the repository: "12/F-3fa1c2"."""
        return f"{self.number}/{self.finding}"


@dataclass(frozen=True)
class RuleOutcomes:
    """The number of failures of a rule, of those that people overrode, and of those that were fixed."""

    rule: str
    failed: int
    overridden: int
    followed: int

    @property
    def is_ignored(self) -> bool:
        """Whether it is overridden more often than followed."""
        return self.overridden > self.followed


def rule_outcomes(outcomes: Iterable[tuple[str, str]]) -> list[RuleOutcomes]:
    """The outcomes of the rules that failed, the most often overridden first.

    `outcomes` are failures as pairs of the rule's id and the finding's status. What linked issues ask for is no rule.
    """
    failed, overridden, followed = Counter[str](), Counter[str](), Counter[str]()
    for rule, status in outcomes:
        failed[rule] += 1
        overridden[rule] += status in DECIDED_BY_PEOPLE
        followed[rule] += status == "fixed"
    named = (
        RuleOutcomes(rule, times, overridden[rule], followed[rule])
        for rule, times in failed.items()
        if not is_criterion(rule)
    )
    return sorted(named, key=lambda each: (-each.overridden, -each.failed))


@dataclass(frozen=True)
class Neighbor:
    """A remembered finding near to something; `distance` is the cosine distance, from 0 (the same) to 2."""

    remembered: RememberedFinding
    distance: float


@dataclass(frozen=True)
class StoredMemory:
    """The ledger's record of a remembered finding.

    `index` is the index that has it in exactly this state, None while that is not certain.
    `is_forgotten` is whether a person had it forgotten: it is not written again.
    """

    remembered: RememberedFinding
    index: str | None = None
    is_forgotten: bool = False
