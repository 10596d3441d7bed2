"""Where a pull request stands, by the ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kodiai.core.changes.coverage import Coverage
from kodiai.core.findings.finding import rank
from kodiai.core.findings.known import SETTLED, KnownFinding, Past
from kodiai.core.findings.verdict import verdict
from kodiai.core.review.run import Run, Spending
from kodiai.core.words.verdict import OFFLINE
from local.page.behind.amounts import money
from local.page.behind.fates import STATUSES, Fate, decided, github_id
from local.page.behind.written import Written

_SHORT = 7


@dataclass(frozen=True)
class Kept:
    """A finding as the ledger keeps it, with its history, oldest first."""

    known: KnownFinding
    history: Sequence[Past]

    @property
    def fate(self) -> Fate:
        """How it stands, and by whom."""
        known = self.known
        how = decided(known.status, known) if known.status in SETTLED else STATUSES[known.status]
        return Fate(known.finding, how, "", github_id(known.comment_id))

    @property
    def steps(self) -> list[tuple[Past, str]]:
        """Its history, with each status in words."""
        return [(past, STATUSES.get(past.status, past.status)) for past in self.history]


@dataclass(frozen=True)
class Standing:
    """Where it stands: the findings by what became of them, the heads, what is paused, and the money.

    `unreadable` says why the findings are not there where they cannot be read.
    """

    findings: Sequence[Kept]
    runs: Sequence[Run]
    head: str
    paused_by: str | None
    spending: Spending
    unreadable: str

    @property
    def open(self) -> int:
        """How many findings are open."""
        return sum(kept.known.status == "open" for kept in self.findings)

    @property
    def blocking(self) -> int:
        """How many of these should be addressed before merging."""
        return sum(kept.known.status == "open" and kept.known.finding.blocks for kept in self.findings)

    @property
    def settled(self) -> int:
        """How many people decided about."""
        return sum(kept.known.status in SETTLED for kept in self.findings)

    @property
    def resolved(self) -> int:
        """How many the code shows to be resolved."""
        return sum(kept.known.status == "fixed" for kept in self.findings)

    @property
    def sentences(self) -> list[str]:
        """It in plain words."""
        completed = [run for run in self.runs if run.status == "completed"]
        under_way = [run for run in self.runs if run.status == "running"]
        told = []
        if completed:
            read = completed[-1].head
            now = "which is the head" if read == self.head else f"and the head is {self.head[:_SHORT]} by now"
            told.append(f"The last completed run read {read[:_SHORT]}, {now}.")
            told.append(
                f"{OFFLINE}." if completed[-1].facts.get("verdict") == "no-verdict" else self._verdict(completed[-1])
            )
        elif not under_way:
            told.append("No run has been completed yet.")
        if under_way:
            told.append(f"A run on {under_way[-1].head[:_SHORT]} is under way.")
        if self.paused_by is not None:
            told.append(f"{self.paused_by} has paused the reviews: only who asks for one by name gets one.")
        return told

    def _verdict(self, last: Run) -> str:
        if last.facts.get("verdict") == "no-verdict":
            return f"{OFFLINE}."
        findings = (each.known.finding for each in self.findings if each.known.status == "open")
        return _VERDICTS[verdict(findings, _coverage(last))]

    @property
    def spent_here(self) -> str:
        """What the pull request has cost."""
        return money(self.spending.pull_request_usd)

    @property
    def spent_this_month(self) -> str:
        """What all of the repository's pull requests have cost this month."""
        return money(self.spending.repository_month_usd)


def _coverage(run: Run) -> Coverage:
    """How much of the pull request was read when the run was over; whether anything was, its verdict says."""
    was_read = run.facts.get("verdict") != "nothing-to-read"
    return Coverage(read=int(was_read), unread=run.facts.get("unread", 0))


_VERDICTS = {
    "address-before-merging": "Something is to be addressed before merging.",
    "not-fully-reviewed": "It is not fully reviewed.",
    "nothing-to-read": "There was nothing to read.",
    "minor-items": "What is open does not stand in the way of merging.",
    "ready": "Nothing stands in the way of merging.",
}


def standing_of(written: Written, head: str) -> Standing:
    """Put it together; the gravest findings first, the open ones before the others. `head` is the present one."""
    kept = [Kept(known, written.histories.get(known.id, ())) for known in written.findings]
    kept.sort(key=lambda each: (each.known.status != "open", rank(each.known.finding)))
    state: Mapping[str, Any] = next((record for record in written.records if record.get("sk") == "STATE"), {})
    return Standing(kept, written.runs, head, state.get("paused_by"), written.spending, written.unreadable)
