"""The items that a deployment leaves in its table, written by the functions' own stores, and weeks of them to read."""

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from cli.stats_scan import StoredAnswer, StoredFinding, StoredHistory, StoredRun
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.findings.finding import SEVERITIES
from kodiai.core.findings.known import FindingStatus
from kodiai.core.github.names import RepositoryRef
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.model.messages import Usage
from kodiai.core.review.review import NO_CHECK
from kodiai.core.review.run import PendingReview, Run, RunStatus
from kodiai.edges.conversation_store import DynamoConversationStore
from kodiai.edges.ledger import DynamoLedger
from tests.builders import a_finding
from tests.edges.conftest import TurnableClock

HEAD, BASE = "a" * 40, "b" * 40
HOUR, DAY = 3_600, 86_400
NOON = int(datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp())
"""The last day of a history, at noon."""
SHOP = RepositoryRef(name="acme/shop", id=1, owner_id=100)
SITE = RepositoryRef(name="acme/site", id=2, owner_id=100)
LED_TO: dict[FindingStatus, float] = {"open": 30, "fixed": 50, "wont_fix": 12, "acknowledged": 8}
Led = tuple[str, FindingStatus] | tuple[str, FindingStatus, str]
FATES = ("not-worth-it", "wrong", "same-as", "known", "unwanted", "not-from-this-change")


@dataclass
class DeploymentHistory:
    """Writes what reviews and answers leave in a table, at the times that they are given."""

    table: Any
    clock: TurnableClock = field(default_factory=TurnableClock)
    number: int = 0

    def review(
        self,
        repository: RepositoryRef,
        pull_request: int,
        at: int,
        *,
        seconds: int = 60,
        cost_usd: float | None = 0.05,
        findings: Sequence[Led] = (),
        **facts: Any,
    ) -> None:
        """A completed review that began `at`; its findings have these severities, and are given these statuses.

        One with a third value is the failure of that rule.
        """
        ledger, run = self._begin(repository, pull_request, at)
        ledger.spend(cost_usd or 0)
        self.clock.time = at + seconds
        names = [f"F-{self.number}-{index}" for index in range(len(findings))]
        new = tuple(
            KeptFinding(name, a_finding(severity=severity, rule=rule[0] if rule else None), None)
            for name, (severity, _, *rule) in zip(names, findings, strict=True)
        )
        usage = Usage(calls=4, input_tokens=20_000, cache_read_tokens=10_000, output_tokens=1_500)
        given = {"mode": "full", "model": asdict(usage), "cost_usd": cost_usd, "dropped": {}, **facts}
        ledger.complete("us", run, PendingReview(None, new, given, check=NO_CHECK), None)
        conversation = DynamoConversationStore(self.table, repository, pull_request, self.clock)
        for name, (_, status, *_) in zip(names, findings, strict=True):
            if status != "open":
                conversation.decide(name, PersonDecision("ann", f"thread-{name}", status, "ann decided so", HEAD))

    def end(self, repository: RepositoryRef, pull_request: int, at: int, status: RunStatus) -> None:
        """A run that ended without a review, after it had spent a dollar."""
        ledger, run = self._begin(repository, pull_request, at)
        ledger.spend(1.0)
        ledger.end("us", run.id, status, "so it ended")

    def answer(self, repository: RepositoryRef, pull_request: int, at: int, *, cost_usd: float = 0.02) -> None:
        """An answer to a question."""
        self.clock.time = at
        self.number += 1
        asked, nothing = Usage(calls=1, input_tokens=4_000, output_tokens=300), asdict(Usage())
        facts = {"model": asdict(asked), "drafting": nothing, "reading": nothing, "cost_usd": cost_usd}
        DynamoLedger(self.table, repository, pull_request, self.clock).spend(cost_usd)
        store = DynamoConversationStore(self.table, repository, pull_request, self.clock)
        store.claim(f"conversation-{self.number}", "us", at + 60)
        store.finish(f"conversation-{self.number}", facts)

    def _begin(self, repository: RepositoryRef, pull_request: int, at: int) -> tuple[DynamoLedger, Run]:
        self.clock.time = at
        self.number += 1
        ledger = DynamoLedger(self.table, repository, pull_request, self.clock)
        ledger.claim("us", at + 600)
        run = Run(f"run-{self.number}", HEAD, BASE, "running", at)
        ledger.start("us", run)
        return ledger, run


def read_weeks(*repositories: RepositoryRef, days: int = 30, seed: int = 7) -> StoredHistory:
    """The items of these days until noon, with more on weekdays, always the same; no table is written for it."""
    draw, asked = random.Random(seed), asdict(Usage(calls=4, input_tokens=20_000, output_tokens=1_500))
    found = StoredHistory(names={each.id: each.name for each in repositories})
    for day in range(days - 1, -1, -1):
        midnight = NOON - 12 * HOUR - day * DAY
        date = datetime.fromtimestamp(midnight, UTC)
        for _ in range(draw.randint(0, 1) if date.weekday() >= 5 else draw.randint(2, 9)):
            [repository] = draw.choices(repositories, range(len(repositories), 0, -1))
            at, seconds = midnight + draw.randint(7 * HOUR, 11 * HOUR), int(draw.lognormvariate(4, 0.6))
            cost, month = round(draw.lognormvariate(-2.7, 0.7), 4), f"{date:%Y-%m}"
            dropped = {fate: 1 for fate in FATES if draw.random() < 0.25}
            facts = {"mode": "full", "model": asked, "cost_usd": cost, "dropped": dropped}
            found.runs.append(StoredRun(repository.id, draw.randint(1, 40), "completed", at, at + seconds, facts))
            found.spent_usd[month] = found.spent_usd.get(month, 0.0) + cost
            for _ in range(draw.randint(0, 4)):
                [severity], [status] = (
                    draw.choices(SEVERITIES, (1, 5, 9, 6)),
                    draw.choices(list(LED_TO), list(LED_TO.values())),
                )
                found.findings.append(StoredFinding(repository.id, at, severity, status))
            if draw.random() < 0.2:
                found.answers.append(StoredAnswer(repository.id, at + HOUR // 2, {"model": asked, "cost_usd": 0.03}))
    return found
