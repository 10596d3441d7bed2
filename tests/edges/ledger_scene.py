"""Runs of one pull request in the ledger, and what they have read and found."""

from dataclasses import replace
from typing import Any

from kodiai.core.changes.snapshot import SeenFile, Snapshot
from kodiai.core.findings.finding import Cause
from kodiai.core.findings.known import Evidence, KnownFinding
from kodiai.core.judge.judgement import KeptFinding
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.check import Check
from kodiai.core.review.review import PostedReview, Review, ReviewComment
from kodiai.core.review.run import PendingReview, Run
from kodiai.edges.ledger import DynamoLedger
from tests.builders import a_finding as a_finding_of_the_model
from tests.builders import an_anchor

HEAD, BASE = "a" * 40, "b" * 40
PULL = {"pk": "PR#1#7"}

SNAPSHOT = Snapshot(
    (SeenFile("src/a.py", "src/old.py", "c" * 40, ("0123456789abcdef",), "change", ("fedcba9876543210",)),), "config"
)
NEXT_HEAD = "e" * 40
FINDING = a_finding_of_the_model(path="src/a.py", start_line=3)
KNOWN = KnownFinding("F-0123456789ab", FINDING, "open", "77", "0123456789abcdef")
SETTLED = replace(
    KNOWN,
    finding=FINDING.model_copy(
        update={
            "severity": "CRITICAL",
            "replacement": "def add(item, items=None):",
            "problem": "Every call adds to one list.",
            "fix": "Make it in the function.",
            "reported_title": "Shared default",
            "cause": Cause(path="src/b.py", quote="add(1)"),
        }
    ),
    status="fixed",
    evidence=Evidence("src/a.py", ""),
    settled_by="ann",
    resolved_thread=True,
    heard="88",
    argued=True,
    stood_at="d" * 40,
)


def a_run(run_id: str = "run1", head: str = HEAD) -> Run:
    return Run(run_id, head, BASE, "running", 1_000.0, delivery=f"delivery-of-{run_id}")


def a_finding() -> KeptFinding:
    return KeptFinding(KNOWN.id, FINDING, an_anchor(FINDING), hunk=KNOWN.hunk)


def staged(*findings: KeptFinding, updates: tuple[FindingUpdate, ...] = ()) -> PendingReview:
    review = Review("COMMENT", "Body", (ReviewComment("src/a.py", 3, None, "Comment"),))
    facts = {"mode": "full", "cost_usd": 0.25}
    return PendingReview(review, findings, facts, Check("Done", "All said.", "neutral"), updates)


def started(ledger: DynamoLedger, run: Run) -> Run:
    ledger.claim("me", 2_000)
    ledger.start("me", run)
    return run


def completed(ledger: DynamoLedger, run: Run, *findings: KeptFinding, comment: str = "77") -> None:
    started(ledger, run)
    ledger.stage(run.id, staged(*findings), SNAPSHOT)
    ledger.complete("me", run, staged(*findings), PostedReview("55", {kept.id: comment for kept in findings}))


def followed(ledger: DynamoLedger, run: Run, *each: FindingUpdate) -> None:
    ledger.complete("me", started(ledger, run), staged(updates=each), None)


def history(table: Any) -> list[Any]:
    """The stored history of the finding, run by run: the run, its status, and why."""
    item = table.get_item(Key={**PULL, "sk": f"FINDING#{KNOWN.id}"})["Item"]
    return [(seen["run"], seen["status"], seen["why"]) for seen in item["history"]]
