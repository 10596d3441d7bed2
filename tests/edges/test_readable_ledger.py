"""The whole ledger of a pull request, as the page shows it."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from kodiai.core.findings.known import HistoryEntry
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.run import UnreadableFindings
from kodiai.edges.ledger import DynamoLedger
from local.readable_ledger import ReadableLedger
from tests.builders import WIDGETS
from tests.edges.conftest import TurnableClock
from tests.edges.ledger_scene import (
    FINDING,
    HEAD,
    KNOWN,
    NEXT_HEAD,
    PULL,
    SETTLED,
    SNAPSHOT,
    a_finding,
    a_run,
    completed,
    followed,
    staged,
    started,
)


def test_all_runs_are_shown_by_when_they_began(ledger: ReadableLedger, clock: TurnableClock) -> None:
    """With what was staged, and with when and why each ended; one that is under way has not."""
    completed(ledger, a_run("zz"), a_finding())
    clock.time = 1_100
    ledger.end("me", started(ledger, replace(a_run("yy"), started=1_050.0)).id, "failed", "the model read nothing")
    under_way = started(ledger, replace(a_run("xx"), started=1_050.0))
    ledger.stage("xx", staged(), SNAPSHOT)

    facts = {"mode": "full", "cost_usd": 0.25}
    done = replace(
        a_run("zz"), status="completed", review_id="55", staged=staged(a_finding()), facts=facts, ended=1_000
    )
    failed = replace(a_run("yy"), status="failed", started=1_050.0, ended=1_100.0, ended_why="the model read nothing")
    assert ledger.runs() == (done, replace(under_way, staged=staged()), failed)
    assert ledger.runs() == tuple(ledger.run(run_id) for run_id in ("zz", "xx", "yy"))


def test_the_history_of_each_finding_is_shown(ledger: ReadableLedger, table: Any, clock: TurnableClock) -> None:
    """When, at which head, how it stood, and why."""
    completed(ledger, a_run(), a_finding(), KeptFinding("F-ba9876543210", FINDING, None))
    clock.time = 1_100
    followed(
        ledger, a_run("run2", NEXT_HEAD), FindingUpdate(SETTLED, KNOWN, "resolved", "The list is made for each call.")
    )

    told = HistoryEntry(1_000, HEAD, "open", "reported")
    assert ledger.histories() == {
        KNOWN.id: (told, HistoryEntry(1_100, NEXT_HEAD, "fixed", "The list is made for each call.")),
        "F-ba9876543210": (told,),
    }
    assert ledger.history(KNOWN.id) == ledger.histories()[KNOWN.id]
    assert ledger.history("F-0") == ()
    table.put_item(Item={**PULL, "sk": "FINDING#F-1", "history": [{"at": 1}]})
    with pytest.raises(UnreadableFindings):
        ledger.histories()
    with pytest.raises(UnreadableFindings):
        ledger.history("F-1")


def test_everything_that_is_kept_can_be_shown_as_json(ledger: ReadableLedger, table: Any, clock: TurnableClock) -> None:
    """By key, the month last; bytes by their number, what has expired not at all, and of others nothing."""
    completed(ledger, a_run(), a_finding())
    ledger.keep_answer("q", {"text": "Yes."}, 0.25)
    DynamoLedger(table, WIDGETS, 8, clock).spend(0.5)
    table.put_item(Item={**PULL, "sk": "OTHER", "data": b"x" * 1234, "half": Decimal("0.5"), "expires_at": 1_001})

    records = {record["sk"]: record for record in ledger.records()}

    assert json.loads(json.dumps(records)) == records
    assert list(records) == [
        "ANSWER#q",
        "COMMENT#77",
        f"FINDING#{KNOWN.id}",
        "OTHER",
        "RUN#run1",
        "SNAPSHOT#run1#000",
        "STAGED#run1#000",
        "STATE",
        "MONTH#1970-01",
    ]
    assert records["OTHER"] == {**PULL, "sk": "OTHER", "data": "1,234 bytes", "half": 0.5, "expires_at": 1_001}
    assert records[f"FINDING#{KNOWN.id}"]["history"][0]["at"] == 1_000
    assert records["MONTH#1970-01"] == {
        "pk": "REPO#1",
        "sk": "MONTH#1970-01",
        "spent": 750_000,
        "reviews": 1,
        "expires_at": 1_000 + 400 * 86_400,
    }
    clock.time = 1_001
    assert "OTHER" not in {record["sk"] for record in ledger.records()}
    assert ReadableLedger(table, WIDGETS.model_copy(update={"id": 2}), 1, clock).records() == ()
