"""Everything in the table expires, is kept while there are runs, and is not there once it has expired."""

from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.conversation.decision import PersonDecision
from kodiai.core.errors import Retry
from kodiai.core.memory.rule import Rule
from kodiai.core.outcome import Outcome
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.edges.conversation_store import DynamoConversationStore
from kodiai.edges.ledger import DynamoLedger
from kodiai.edges.repository_data import DynamoRepositoryData
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from tests.builders import WIDGETS
from tests.edges.conftest import TurnableClock
from tests.edges.ledger_scene import HEAD, KNOWN, SNAPSHOT, a_finding, a_run, completed, staged

DAY = 86_400
START = 1_000.0
RULE = Rule("R-1", "We keep the API as it is.", by="ann", number=7, at=1)
DECISION = PersonDecision(by="ann", key="thread-88", status="wont_fix", why="ann decided so", head=HEAD, reply="88")


@pytest.fixture
def store(table: Any, clock: TurnableClock) -> DynamoConversationStore:
    return DynamoConversationStore(table, WIDGETS, 7, clock)


@pytest.fixture
def memory(table: Any, clock: TurnableClock) -> DynamoRepositoryMemory:
    return DynamoRepositoryMemory(table, WIDGETS, clock)


def expiry(table: Any) -> dict[str, int]:
    """After how many days each item expires that was written now, by its sort key."""
    return {item["sk"]: (int(item["expires_at"]) - int(START)) // DAY for item in table.scan()["Items"]}


def test_everything_expires(
    table: Any, ledger: DynamoLedger, store: DynamoConversationStore, memory: DynamoRepositoryMemory
) -> None:
    """Most of it after 400 days; what only serves one review or answer, sooner; the entry of the repository, last."""
    completed(ledger, a_run(), a_finding())
    ledger.keep_answer("question1", {"content": []}, 0.25)
    ledger.claim("us", START + 60)
    ledger.keep_unposted("us", "run2", UnpostedReview("d" * 40, "run1", Snapshot((), "")))
    ledger.note_preview("delivery", Outcome("skipped", "the pull request is a draft"))
    store.claim("conversation-1", "us", START + 60)
    store.begin("conversation-1", "conversation", 1)
    store.is_first_to_post("help", "conversation-1")
    memory.add_rule(RULE)
    memory.share(is_private=False, shares=True)

    days = {sort.partition("#")[0]: kept for sort, kept in expiry(table).items() if not sort.startswith("MONTH#")}

    assert days == {
        **dict.fromkeys(("STATE", "RUN", "FINDING", "COMMENT", "RULE", "RULES", "SHARES"), 400),
        **dict.fromkeys(("STAGED", "SNAPSHOT", "UNPOSTED", "SAID", "THREAD", "TOLD"), 90),
        **dict.fromkeys(("ANSWER", "PREVIEW"), 7),
        "DAY": 3,
        "REPO": 401,
    }


def test_a_review_that_is_only_kept_is_kept_as_long_as_its_run(table: Any, ledger: DynamoLedger) -> None:
    """It is nowhere else."""
    ledger.claim("us", START + 60)
    ledger.start("us", a_run())
    ledger.stage("run1", staged(a_finding()), SNAPSHOT, lasting=True)
    ledger.keep("us", a_run(), staged(a_finding()))

    assert {expiry(table)[sort] for sort in ("RUN#run1", "STAGED#run1#000")} == {400}


def test_a_deployment_says_how_long(table: Any, clock: TurnableClock) -> None:
    """The parameter is in days."""
    DynamoLedger(table, WIDGETS, 7, clock, retention_days=100).spend(1)

    assert expiry(table)["STATE"] == 100


def test_an_expired_item_is_not_read(
    table: Any, clock: TurnableClock, ledger: DynamoLedger, store: DynamoConversationStore
) -> None:
    """DynamoDB deletes days later."""
    completed(ledger, a_run(), a_finding())
    store.pause("ann")
    clock.time += 401 * DAY

    assert table.scan()["Count"] > 5
    assert (ledger.findings(), ledger.history(KNOWN.id), ledger.run("run1")) == ((), (), None)
    assert (store.paused_by(), store.finding_at("77"), store.is_under_review()) == (None, None, False)
    assert ledger.spending().pull_request_usd == 0


def test_a_state_that_has_expired_does_not_come_back(
    clock: TurnableClock, ledger: DynamoLedger, store: DynamoConversationStore
) -> None:
    """Neither its run nor its turns nor what was spent, nor somebody's pause, in a write or in a transaction."""
    completed(ledger, a_run(), a_finding())
    store.begin("conversation-1", "conversation", 1)
    store.pause("ann")
    clock.time += 401 * DAY

    assert store.begin("conversation-2", "conversation", 1) is None
    state = ledger.claim("us", clock.now() + 60)

    assert (state.completed_run, state.running, store.paused_by()) == (None, None, None)
    assert ledger.spending().pull_request_usd == 0


def test_a_lease_that_has_expired_holds_nobody(clock: TurnableClock, ledger: DynamoLedger) -> None:
    """Whatever it says until when it holds; one that has not still does."""
    ledger.claim("us", clock.now() + 1_000 * DAY)
    with pytest.raises(Retry):
        ledger.claim("them", clock.now() + 60)

    clock.time += 401 * DAY

    assert ledger.claim("them", clock.now() + 60).completed_run is None


def test_a_finding_that_has_expired_is_not_decided(
    table: Any, clock: TurnableClock, ledger: DynamoLedger, store: DynamoConversationStore
) -> None:
    """It is not reopened either, and it is gone for good."""
    completed(ledger, a_run(), a_finding())
    clock.time += 401 * DAY

    assert store.decide(KNOWN.id, DECISION) is False
    assert store.reopen(KNOWN.id, replace(DECISION, status=None)) is False
    assert [item for item in table.scan()["Items"] if item["sk"].startswith("FINDING#")] == []


def test_rules_that_have_expired_make_room(clock: TurnableClock, memory: DynamoRepositoryMemory) -> None:
    """They are not counted."""
    for number in range(50):
        assert memory.add_rule(replace(RULE, id=f"R-{number}"))
    assert not memory.add_rule(replace(RULE, id="R-50"))

    clock.time += 401 * DAY

    assert memory.add_rule(replace(RULE, id="R-50"))
    assert [rule.id for rule in memory.rules()] == ["R-50"]


def test_runs_keep_what_the_pull_request_and_its_repository_have(
    table: Any, clock: TurnableClock, ledger: DynamoLedger, memory: DynamoRepositoryMemory
) -> None:
    """A run renews it once a quarter of the time is over, and writes nothing of it before."""
    completed(ledger, a_run(), a_finding())
    memory.add_rule(RULE)
    written = expiry(table)

    for days in (99, 199, 299, 399):
        clock.time = START + days * DAY
        ledger.claim("us", clock.now() + 60)
        ledger.release("us")
        if days == 99:
            kept = expiry(table)
            assert {sort for sort in kept if kept[sort] != written[sort]} == {"STATE", "REPO#1"}
    clock.time = START + 600 * DAY

    assert [known.id for known in ledger.findings()] == [KNOWN.id]
    assert memory.rules() == (RULE,)
    assert ledger.run("run1") is not None


def test_a_repository_is_found_as_long_as_it_has_items(
    table: Any, clock: TurnableClock, ledger: DynamoLedger, memory: DynamoRepositoryMemory
) -> None:
    """Deletion finds it by its entry."""
    ledger.claim("us", clock.now() + 60)
    clock.time += DAY / 2
    memory.add_rule(RULE)
    clock.time = START + 400 * DAY + DAY / 4

    last = {item["sk"] for item in table.scan()["Items"] if item["expires_at"] > clock.now()}

    assert last == {"RULE#R-1", "RULES", "REPO#1"}
    assert DynamoRepositoryData(table).repositories_of(WIDGETS.owner_id) == {1}
