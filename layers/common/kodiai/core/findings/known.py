"""Known findings: those of earlier reviews, with their status and history."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kodiai.core.findings.finding import Finding

FindingStatus = Literal["open", "fixed", "wont_fix", "acknowledged", "conceded", "dismissed"]
"""The status of a finding.

`fixed`: the code shows it. `wont_fix`, `acknowledged`: a person said so. `conceded`: a person's argument was right.
`dismissed`: a person resolved its thread.
"""

DECIDED_BY_PEOPLE: frozenset[FindingStatus] = frozenset({"wont_fix", "acknowledged", "conceded", "dismissed"})
"""The statuses that people decided: such a finding is not reported again, not in other words either."""


def status_in_words(status: str) -> str:
    """A status as people write it."""
    return "won't fix" if status == "wont_fix" else status


@dataclass(frozen=True)
class Evidence:
    """Code of the head that shows that a finding is fixed; the quote is empty where its file is gone."""

    path: str
    quote: str


@dataclass(frozen=True)
class KnownFinding:
    """A finding of an earlier review. `comment_id` is None if it is only in a review's body.

    `hunk` is the key of the hunk that has its code, None if none has.
    `evidence` showed that it is fixed. `settled_by` is the login of the person who decided, `reason` what they gave as
    a reason for overriding a rule.
    `decided` is the comment that decided it at once, `decided_at` when (epoch seconds); None if a run read it from the
    thread.
    `stood_at` is the last reviewed head that had its code, None while the code is there.
    `resolved_thread` is whether we resolved its thread.
    `heard` is the id of the last reply in its thread that a run has read, `argued` whether we have answered one.
    """

    id: str
    finding: Finding
    status: FindingStatus
    comment_id: str | None
    hunk: str | None = None
    evidence: Evidence | None = None
    settled_by: str | None = None
    decided: str | None = None
    decided_at: int | None = None
    resolved_thread: bool = False
    heard: str | None = None
    argued: bool = False
    stood_at: str | None = None
    reason: str | None = None

    @property
    def dismissal(self) -> str:
        """The dismissal in words: by whom, and how."""
        return f"dismissed by {self.settled_by or 'somebody'} ({status_in_words(self.status)})"


def findings_of_rules(known: Iterable[KnownFinding]) -> dict[str, KnownFinding]:
    """The finding of each rule and criterion that failed, by its id; of several one that is not fixed."""
    found = [(each.finding.rule, each) for each in known]
    found.sort(key=lambda each: each[1].status != "fixed")
    return {rule: each for rule, each in found if rule is not None}


@dataclass(frozen=True)
class HistoryEntry:
    """One entry of a finding's history: when (epoch seconds), at which head, its status from then on, and why."""

    at: int
    head: str
    status: str
    why: str
