"""The ledger keeps what a run did, and lets nobody write over what changed meanwhile."""

import random
from dataclasses import dataclass, replace
from typing import Any

import pytest

from kodiai.core.changes.snapshot import SeenFile, Snapshot
from kodiai.core.errors import Retry
from kodiai.core.findings.finding import Finding
from kodiai.core.findings.judge import Kept
from kodiai.edges.ledger import DynamoLedger
from kodiai.ports import Posted, PullRequestState, Review, ReviewComment, Run, Spending, Staged

HEAD, BASE = "a" * 40, "b" * 40


@dataclass
class TurnableClock:
    time: float = 1_000.0

    def now(self) -> float:
        return self.time


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def ledger(table: Any, clock: TurnableClock) -> DynamoLedger:
    return DynamoLedger(table, "acme/widgets", 7, clock)


def a_run(run_id: str = "run1", head: str = HEAD) -> Run:
    return Run(run_id, head, BASE, "running", 1_000.0)


def a_finding(title: str = "The list is shared between calls") -> Kept:
    finding = Finding(
        severity="MAJOR",
        category="correctness",
        kind="impact",
        path="src/a.py",
        start_line=3,
        end_line=3,
        title=title,
        explanation="A default is made once, so every call appends to the same list.",
        quote="def add(item, items=[]):",
    )
    return Kept("F-0123456789ab", finding, inline=True)


def staged(*findings: Kept) -> Staged:
    review = Review("COMMENT", "Body", (ReviewComment("src/a.py", 3, None, "Comment"),))
    snapshot = Snapshot((SeenFile("src/a.py", None, "c" * 40, ("0123456789abcdef",)),), "config")
    return Staged(review, findings, snapshot, {"mode": "full", "cost_usd": 0.25})


def completed(ledger: DynamoLedger, run: Run, *findings: Kept) -> None:
    ledger.claim("me", 2_000)
    ledger.start("me", run, None)
    ledger.stage(run.id, staged(*findings))
    ledger.complete("me", run, staged(*findings), Posted("55", {kept.id: "77" for kept in findings}))


def test_a_pull_request_is_claimed_by_one_at_a_time(ledger: DynamoLedger) -> None:
    """The second is told how long the first one's lease still runs."""
    ledger.claim("me", until=1_060)

    with pytest.raises(Retry) as refused:
        ledger.claim("you", until=1_100)

    assert refused.value.after_seconds == 60


def test_the_same_owner_may_claim_again(ledger: DynamoLedger) -> None:
    """A claim whose answer was lost is made again."""
    ledger.claim("me", until=1_060)

    assert ledger.claim("me", until=1_090) == PullRequestState(None, None, None)


def test_a_lease_that_has_run_out_is_free(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """A run that died frees its pull request when its lease ends."""
    ledger.claim("me", until=1_060)
    clock.time = 1_061

    assert ledger.claim("you", until=1_120) == PullRequestState(None, None, None)


def test_a_lease_that_is_given_back_is_free_and_only_its_owner_gives_it_back(ledger: DynamoLedger) -> None:
    """A late release of an older owner does not free the newer one's lease."""
    ledger.claim("me", until=1_060)

    ledger.release("you")
    with pytest.raises(Retry):
        ledger.claim("you", until=1_100)
    ledger.release("me")

    assert ledger.claim("you", until=1_100).running is None


def test_a_run_that_is_started_is_the_one_under_way(ledger: DynamoLedger) -> None:
    """The next claim finds it, with what was written down of it."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run(), None)
    ledger.note_check("run1", "99")

    state = ledger.claim("me", 2_000)

    assert state.running == "run1"
    assert ledger.run("run1") == replace(a_run(), check_id="99")


def test_who_has_lost_the_lease_starts_nothing(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """A run that slept through its lease cannot put itself in the place of its successor."""
    ledger.claim("me", until=1_060)
    clock.time = 1_061
    ledger.claim("you", until=1_120)

    with pytest.raises(Retry):
        ledger.start("me", a_run(), None)

    assert ledger.run("run1") is None


def test_a_newer_run_supersedes_the_one_under_way(ledger: DynamoLedger) -> None:
    """Both are written in one go."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run("old"), None)

    ledger.start("me", a_run("new", head="d" * 40), instead_of="old")

    old = ledger.run("old")
    assert old is not None
    assert old.status == "superseded"
    assert ledger.claim("me", 2_000).running == "new"


def test_what_is_staged_is_read_back_as_it_was(ledger: DynamoLedger) -> None:
    """The outbox survives the run that wrote it."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run(), None)

    ledger.stage("run1", staged(a_finding()))

    run = ledger.run("run1")
    assert run is not None
    assert run.staged == staged(a_finding())


def test_nothing_is_staged_for_a_run_that_has_ended(ledger: DynamoLedger) -> None:
    """A run that was superseded meanwhile does not post."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run(), None)
    ledger.end("me", "run1", "superseded", "the head moved on")

    with pytest.raises(Retry):
        ledger.stage("run1", staged())


def test_a_completed_run_is_the_one_that_counts_and_frees_the_lease(ledger: DynamoLedger) -> None:
    """Its head, its snapshot and its findings are there for the next run, which may claim at once."""
    completed(ledger, a_run(), a_finding())

    state = ledger.claim("you", 2_000)

    assert state == PullRequestState(running=None, completed_run="run1", completed_head=HEAD)
    assert ledger.snapshot("run1") == staged().snapshot
    assert [(known.id, known.status, known.comment_id) for known in ledger.findings()] == [
        ("F-0123456789ab", "open", "77")
    ]


def test_a_claimed_run_does_not_hide_the_completed_one(ledger: DynamoLedger) -> None:
    """The last completed run stays what counts while the next one is under way, and when that one fails."""
    completed(ledger, a_run(), a_finding())
    ledger.claim("me", 2_000)
    ledger.start("me", a_run("run2", head="e" * 40), None)

    assert ledger.claim("me", 2_000) == PullRequestState("run2", "run1", HEAD)

    ledger.end("me", "run2", "failed", "the model read nothing")
    assert ledger.claim("me", 2_000) == PullRequestState(None, "run1", HEAD)


def test_completing_twice_writes_once(ledger: DynamoLedger, table: Any) -> None:
    """A run that dies before its last write starts that over: the finding's history has the run once."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run(), None)
    posted = Posted("55", {"F-0123456789ab": "77"})
    ledger.complete("me", a_run(), staged(a_finding()), posted)
    ledger.claim("me", 2_000)

    with pytest.raises(Retry):
        ledger.complete("me", a_run(), staged(a_finding()), posted)

    item = table.get_item(Key={"pk": "PR#acme/widgets#7", "sk": "FINDING#F-0123456789ab"})["Item"]
    assert [seen["run"] for seen in item["history"]] == ["run1"]


def test_a_finding_seen_again_keeps_its_comment(ledger: DynamoLedger) -> None:
    """A later run that posts no second comment for it does not forget the first one."""
    completed(ledger, a_run(), a_finding())
    ledger.claim("me", 2_000)
    ledger.start("me", a_run("run2", head="e" * 40), None)

    ledger.complete("me", a_run("run2", head="e" * 40), staged(a_finding()), Posted("56", {}))

    assert [known.comment_id for known in ledger.findings()] == ["77"]


def test_a_kept_answer_is_read_by_its_batch_and_of_its_run_only(ledger: DynamoLedger) -> None:
    """What was paid for is there for the next try."""
    ledger.keep_answer("run1", "batch1", {"report": {"findings": []}})
    ledger.keep_answer("run12", "batch1", {"report": None})

    assert ledger.kept_answers("run1") == {"batch1": {"report": {"findings": []}}}


def test_what_has_expired_is_not_read_though_it_still_stands(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """DynamoDB deletes expired items up to days late."""
    ledger.keep_answer("run1", "batch1", {"report": None})
    clock.time += 91 * 86_400

    assert ledger.kept_answers("run1") == {}


def test_a_snapshot_of_three_thousand_files_is_split_and_read_back(ledger: DynamoLedger) -> None:
    """An item holds 400 KB; hashes do not compress, so a large pull request takes several."""
    noise = random.Random(7)
    files = tuple(
        SeenFile(
            path=f"src/package_{number}/module_{noise.getrandbits(64):x}.py",
            previous_path=None,
            blob=f"{noise.getrandbits(160):040x}",
            hunks=tuple(f"{noise.getrandbits(64):016x}" for _ in range(20)),
        )
        for number in range(3_000)
    )
    large = replace(staged(), snapshot=Snapshot(files, "config"))
    ledger.claim("me", 2_000)
    ledger.start("me", a_run(), None)

    ledger.complete("me", a_run(), large, None)

    assert ledger.snapshot("run1") == large.snapshot


def test_a_snapshot_that_lacks_a_part_is_missing(ledger: DynamoLedger, table: Any) -> None:
    """Half a snapshot would make everything look new."""
    completed(ledger, a_run())
    table.put_item(Item={"pk": "PR#acme/widgets#7", "sk": "SNAPSHOT#run1#000", "parts": 2, "data": b"x"})

    assert ledger.snapshot("run1") is None


def test_pull_requests_do_not_see_each_other(table: Any, clock: TurnableClock, ledger: DynamoLedger) -> None:
    """Number 7 and number 70 of one repository are two."""
    completed(ledger, a_run(), a_finding())

    other = DynamoLedger(table, "acme/widgets", 70, clock)

    assert other.claim("you", 2_000) == PullRequestState(None, None, None)
    assert other.findings() == ()


def test_what_completed_runs_cost_is_added_up_for_the_pull_request_and_the_month(
    table: Any, clock: TurnableClock, ledger: DynamoLedger
) -> None:
    """Another pull request of the repository adds to the month only."""
    completed(ledger, a_run())
    completed(ledger, a_run("run2", head="e" * 40))
    other = DynamoLedger(table, "acme/widgets", 8, clock)
    completed(other, a_run("run3"))

    assert ledger.spending() == Spending(pull_request_usd=0.5, repository_month_usd=0.75)
    assert other.spending() == Spending(pull_request_usd=0.25, repository_month_usd=0.75)

    clock.time += 32 * 86_400
    assert ledger.spending() == Spending(pull_request_usd=0.5, repository_month_usd=0.0)
