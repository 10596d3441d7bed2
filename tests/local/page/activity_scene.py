"""A pull request with deliveries, log lines, and a ledger that a test fills, for the tests of the bot's activity."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.spending import Spending
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.model.prices import Price
from kodiai.core.review.check import Check
from kodiai.core.review.run import PendingReview, Run, UnreadableFindings
from local.github import LocalGitHub
from local.github.webhooks import Delivery, packed
from local.journal import Journal
from tests.builders import a_finding
from tests.local.page.reader import Element, Page, Reader

BEGAN = 1_795_336_150.0
MODEL = "claude-sonnet-5-5"
OLD_HEAD, HEAD = "a" * 40, "b" * 40
FACTS: Mapping[str, Any] = {
    "mode": "full",
    "reason": "no-prior-review",
    "tier": "lite",
    "files_total": 3,
    "files_read": 2,
    "skipped": [{"path": "poetry.lock", "reason": "lock file"}],
    "hunks_total": 5,
    "hunks_asked": 4,
    "changed_files": ["src/app.py", "src/orders.py"],
    "verdict": "address-before-merging",
    "model": {
        "calls": 2,
        "input_tokens": 1_000,
        "output_tokens": 300,
        "cache_read_tokens": 4_000,
        "cache_write_tokens": 0,
        "prompt_characters": 9,
    },
    "models": [MODEL],
    "cost_usd": 0.0123,
    "reviewers": ["generalist", "correctness"],
    "asked_back": 1,
    "memory": {"recalled": 2, "rules": 1, "offline": True, "written": 3, "unavailable": "no answer within 3 seconds"},
    "unread": 1,
    "judged": 4,
    "unjudged": 1,
    "dropped": {"wrong": 2, "not-worth-it": 1},
    "threads_resolved": [],
}


@dataclass
class FilledLedger:
    """A ledger that was filled by hand."""

    kept_runs: list[Run] = field(default_factory=list)
    kept_findings: list[KnownFinding] = field(default_factory=list)
    kept_histories: dict[str, tuple[HistoryEntry, ...]] = field(default_factory=dict)
    kept_records: list[Mapping[str, Any]] = field(default_factory=list)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    spent: Spending = field(default_factory=lambda: Spending(0.0, 0.0, 0.0, 0.0))
    reads: int = 0
    is_readable: bool = True

    def runs(self) -> tuple[Run, ...]:
        self.reads += 1
        return tuple(self.kept_runs)

    def findings(self) -> tuple[KnownFinding, ...]:
        if not self.is_readable:
            raise UnreadableFindings("the findings of earlier reviews cannot be read")
        return tuple(self.kept_findings)

    def snapshot(self, run_id: str) -> Snapshot | None:
        return self.snapshots.get(run_id)

    def histories(self) -> Mapping[str, tuple[HistoryEntry, ...]]:
        return self.kept_histories

    def records(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.kept_records)

    def spending(self) -> Spending:
        return self.spent


@dataclass
class Scene:
    """One pull request, and what was recorded about it."""

    github: LocalGitHub
    reader: Reader
    number: int
    deliveries: list[Delivery] = field(default_factory=list)
    journal: Journal = field(default_factory=lambda: Journal(None))
    ledger: FilledLedger = field(default_factory=FilledLedger)
    prices: dict[str, Price] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=count)

    def delivered(self, event: str = "pull_request", action: str = "opened", *, guid: str = "", **given: Any) -> str:
        """Have a webhook delivered, and return its GUID."""
        at = next(self._ids)
        outcome = given.pop("outcome", "queued")
        response = json.dumps({"outcome": outcome, "reason": given.pop("reason", "A review is queued.")})
        status = given.pop("status", 202 if outcome == "queued" else 200)
        about = {} if "check_run" in given else {"pull_request": {"number": self.number}}
        repository = {"full_name": "acme/widgets"}
        payload = {"sender": {"login": given.pop("by", "octocat")}, "repository": repository, **about, **given}
        guid = guid or f"guid-{at}"
        again = any(delivery.guid == guid for delivery in self.deliveries)
        self.deliveries.append(
            Delivery(at, guid, event, action, packed(json.dumps(payload).encode()), BEGAN + at, again, status, response)
        )
        return guid

    def logs_outcome(
        self, guid: str, outcome: str, *, function: str = "ReviewFunction", request: str = "r1", **more: Any
    ) -> None:
        """Have a function log the outcome of an invocation, which took two seconds."""
        line = {"message": "outcome", "outcome": outcome, "reason": "", "attempt": 1, "seconds": 2.0}
        own = {"function": function, "function_request_id": request, "delivery": guid}
        self.journal.add({"timestamp": "2026-11-22 08:29:12,000+0000", **line, **own, **more})

    def logs_call(self, guid: str, to: str, what: str, at: float, seconds: float, **more: Any) -> None:
        """Have a function log a call that started `at` seconds after the function."""
        own = {"function": "ReviewFunction", "function_request_id": "r1", "delivery": guid}
        line = {"message": "call", "to": to, "what": what, "began": BEGAN + at, "seconds": seconds, "status": 200}
        self.journal.add({**line, **own, **more})

    def records_run(self, guid: str, *, staged: Mapping[str, Any] | None = None, **given: Any) -> Run:
        """Have a run recorded as completed; `staged` is what differs from an empty pending review."""
        facts = {**FACTS, **given.pop("facts", {})}
        outbox = PendingReview(
            **{"review": None, "findings": (), "facts": facts, "check": Check("", ""), **(staged or {})}
        )
        at = len(self.ledger.kept_runs)
        made = {"id": f"run{at}", "head": HEAD, "base": OLD_HEAD, "status": "completed", "started": BEGAN + 10 * at}
        more = {"delivery": guid, "staged": outbox, "facts": facts, "ended": BEGAN + 10 * at + 5}
        self.ledger.kept_runs.append(Run(**{**made, **more, **given}))
        return self.ledger.kept_runs[-1]

    def records(self, *known: KnownFinding, at: float = BEGAN + 5) -> None:
        """Have findings recorded as reported at one moment, and with their status since then."""
        self.ledger.kept_findings += known
        for each in known:
            reported = (HistoryEntry(int(at), HEAD, "open", "reported"),)
            self.ledger.kept_histories[each.id] = (
                reported
                if each.status == "open"
                else (*reported, HistoryEntry(int(at) + 60, HEAD, each.status, "ann decided"))
            )

    def page(self, query: str = "") -> Page:
        """The tab."""
        page = self.reader.read(f"/acme/widgets/pull/{self.number}/activity{query}")
        assert page.status == 200
        return page


def event(page: Page, guid: str) -> Element:
    return page.by_id(f"event-{guid}")


def invocations(shown: Element) -> list[str]:
    """The invocations of the functions, each in its sentence."""
    return [each.all("p")[0].text for each in shown.one("ol", "invocations").all("li")]


def results(shown: Element) -> dict[str, list[str]]:
    """The findings of a run by the title of their group, each as text."""
    return {
        group.one("h5").text.rpartition(" ")[0]: [each.text for each in group.one("ul").all("li")]
        for group in shown.all("section", "group")
    }


def figures(shown: Element) -> dict[str, str]:
    """The figures of a run."""
    rows = shown.one("dl", "figures").all("div")
    return {row.one("dt").text: row.one("dd").text for row in rows}


def titled(title: str, **given: Any) -> Finding:
    return a_finding(title=title, quote=title, **given)
