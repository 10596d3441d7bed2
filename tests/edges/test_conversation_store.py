"""The conversation's part of the ledger counts before anything is done, decides once, and lets nobody write over it."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.conversation.decision import PersonDecision, ReachedLimit
from kodiai.core.errors import Retry
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.run import UnreadableFindings
from kodiai.edges.conversation_store import DynamoConversationStore
from kodiai.edges.ledger import DynamoLedger
from tests.builders import WIDGETS
from tests.edges.conftest import TurnableClock
from tests.edges.ledger_scene import (
    HEAD,
    KNOWN,
    NEXT_HEAD,
    PULL,
    a_finding,
    a_run,
    completed,
    followed,
    history,
    staged,
    started,
)

TURNS = 10
WONT_FIX = PersonDecision(by="ann", key="thread-88", status="wont_fix", why="ann decided so", head=HEAD, reply="88")


@pytest.fixture
def store(table: Any, clock: TurnableClock) -> DynamoConversationStore:
    return DynamoConversationStore(table, WIDGETS, 7, clock)


def begun(store: DynamoConversationStore, clock: TurnableClock, number: int, turns: int = TURNS) -> ReachedLimit | None:
    """Begin a turn a minute after the last one."""
    clock.time += 61
    return store.begin(f"conversation-{number}", "conversation", turns)


def test_a_pull_request_has_so_many_answers_and_no_more(store: DynamoConversationStore, clock: TurnableClock) -> None:
    """A turn counts when it begins, whether or not it ever ends; one that is begun again counts once."""
    assert [begun(store, clock, number, 2) for number in (1, 1, 2, 1)] == [None] * 4
    assert [begun(store, clock, number, 2) for number in (3, 4)] == ["turns", "turns"]
    assert begun(store, clock, 5, 3) is None
    assert begun(store, clock, 6, 0) == "turns"


def test_turns_that_begin_at_once_do_not_pass_the_limit_together(store: DynamoConversationStore) -> None:
    """Each counts in one write; here each in a thread of its own."""
    with ThreadPoolExecutor(8) as pool:
        came = list(pool.map(lambda at: store.begin(f"thread-{at}", f"thread-{at}", 5), range(1, 13)))

    assert came.count(None) == 5
    assert came.count("turns") == 7


def test_a_thread_has_two_answers_in_any_minute(store: DynamoConversationStore, clock: TurnableClock) -> None:
    """Any sixty seconds, not each minute of the clock; another thread has its own; a try more counts no more."""
    told = {}
    for seconds, number in ((0, 1), (1, 2), (1, 2), (59, 3), (60, 4), (61, 5), (100, 6), (122, 7)):
        clock.time = 1_000 + seconds
        told[seconds] = store.begin(f"thread-{number}", "thread-1", TURNS)

    assert told == {0: None, 1: None, 59: "pace", 60: None, 61: None, 100: "pace", 122: None}
    assert store.begin("thread-9", "thread-2", TURNS) is None


def test_a_refused_turn_counts_nothing(store: DynamoConversationStore, clock: TurnableClock) -> None:
    """It is one write: a turn that comes too quickly is left for later."""
    store.begin("thread-1", "thread-1", 2)
    store.begin("thread-2", "thread-1", 5)

    assert store.begin("thread-3", "thread-1", 5) == "pace"
    assert begun(store, clock, 5, 3) is None
    assert begun(store, clock, 6, 3) == "turns"


def test_a_finished_comment_was_served_and_no_other(store: DynamoConversationStore) -> None:
    """A redelivery after days finds it; what was only begun goes on."""
    store.begin("thread-1", "thread-1", TURNS)

    before = store.claim("thread-1", "me", 1_060)
    store.finish("thread-1", {"understood": "question"})
    store.finish("review-2", {"understood": "pause"})

    assert before
    assert not store.claim("thread-1", "me", 1_060)
    assert not store.claim("review-2", "you", 1_060)
    assert store.claim("thread-2", "you", 1_060)


def test_a_comment_is_served_by_one_try_at_a_time(store: DynamoConversationStore, clock: TurnableClock) -> None:
    """The second learns how long the first may still hold it; one that ends lets go, one that dies runs out."""
    store.claim("thread-1", "me", until=1_060)
    again = store.claim("thread-1", "me", until=1_060)
    store.release("thread-1", "you")

    with pytest.raises(Retry) as refused:
        store.claim("thread-1", "you", until=1_100)
    store.release("thread-1", "me")
    after = store.claim("thread-1", "you", until=1_100)
    clock.time = 1_101

    assert (again, after) == (True, True)
    assert refused.value.after_seconds == 60
    assert store.claim("thread-1", "me", until=1_160)


def test_something_is_told_once_to_the_first_who_asks(store: DynamoConversationStore) -> None:
    """The first one gets the answer again if it does not know whether it had it."""
    assert [store.is_first_to_post("turns", key) for key in ("thread-1", "thread-2", "thread-1")] == [True, False, True]
    assert store.is_first_to_post("money", "thread-2")
    most = [store.is_first_to_post("lines", key, 2) for key in ("thread-1", "thread-2", "thread-3", "thread-2")]
    assert most == [True, True, False, True]


def test_readings_are_counted_apart_from_turns(store: DynamoConversationStore, clock: TurnableClock) -> None:
    """One comment may be both; each kind has a limit and a pace of its own."""
    came = [store.begin("thread-1", "thread-1", 2, counted) for counted in ("readings", "turns", "readings")]
    again = [store.begin(f"thread-{number}", "thread-1", 2, "readings") for number in (2, 3)]
    clock.time += 61

    assert (came, again) == ([None] * 3, [None, "turns"])
    assert store.begin("thread-4", "thread-1", 9, "readings") is None
    assert store.begin("thread-5", "thread-1", 2) is None


def test_the_finding_of_a_comment_is_known_with_its_history(
    ledger: DynamoLedger, store: DynamoConversationStore, table: Any
) -> None:
    """By the id of the comment that told it; of others nothing is known, and what is garbled says so."""
    completed(ledger, a_run(), a_finding())

    found = store.finding_at("77")

    assert found == (KNOWN, (HistoryEntry(1_000, HEAD, "open", "reported"),))
    assert store.finding_at("78") is None
    table.update_item(
        Key={**PULL, "sk": f"FINDING#{KNOWN.id}"},
        UpdateExpression="SET finding = :nonsense",
        ExpressionAttributeValues={":nonsense": "{}"},
    )
    with pytest.raises(UnreadableFindings):
        store.finding_at("77")


def test_a_person_decides_once_and_only_about_what_is_open(
    ledger: DynamoLedger, store: DynamoConversationStore, table: Any
) -> None:
    """With who and when; the same comment again changes nothing, another one comes too late."""
    completed(ledger, a_run(), a_finding())

    decided = [store.decide(KNOWN.id, WONT_FIX), store.decide(KNOWN.id, WONT_FIX)]
    late = store.decide(KNOWN.id, replace(WONT_FIX, by="bob", key="thread-90", status="acknowledged"))

    assert (decided, late) == ([True, True], False)
    [known] = ledger.findings()
    assert known == replace(
        KNOWN, status="wont_fix", settled_by="ann", decided="thread-88", decided_at=1_000, heard="88"
    )
    assert history(table) == [("run1", "open", "reported"), ("thread-88", "wont_fix", "ann decided so")]


def test_a_person_reopens_once_and_only_what_is_closed(
    ledger: DynamoLedger, store: DynamoConversationStore, table: Any
) -> None:
    """Nothing is left of what closed it; earlier decisions are in its history."""
    completed(ledger, a_run(), a_finding())
    reopen = PersonDecision(by="mia", key="thread-89", status=None, why="mia reopened it", head=HEAD, reply="89")

    early = store.reopen(KNOWN.id, reopen)
    store.decide(KNOWN.id, replace(WONT_FIX, resolved_thread=True))
    reopened = [store.reopen(KNOWN.id, reopen), store.reopen(KNOWN.id, reopen)]
    late = store.reopen(KNOWN.id, replace(reopen, by="bob", key="thread-90"))
    unknown = store.reopen("F-bbbbbbbbbbbb", reopen)

    assert (early, reopened, late, unknown) == (False, [True, True], False, False)
    [known] = ledger.findings()
    assert known == replace(KNOWN, decided="thread-89", decided_at=1_000, heard="89")
    assert history(table) == [
        ("run1", "open", "reported"),
        ("thread-88", "wont_fix", "ann decided so"),
        ("thread-89", "open", "mia reopened it"),
    ]
    assert store.decide(KNOWN.id, replace(WONT_FIX, key="thread-91"))


def test_an_argument_that_was_answered_leaves_it_open(ledger: DynamoLedger, store: DynamoConversationStore) -> None:
    """So that no review answers it again; a decision may still follow."""
    completed(ledger, a_run(), a_finding())

    store.decide(KNOWN.id, replace(WONT_FIX, status=None, why="an argument was answered"))
    argued = ledger.findings()
    store.decide(KNOWN.id, replace(WONT_FIX, key="thread-91", status="conceded", resolved_thread=True))

    assert argued == (replace(KNOWN, decided="thread-88", decided_at=1_000, heard="88", argued=True),)
    [known] = ledger.findings()
    assert (known.status, known.resolved_thread, known.argued) == ("conceded", True, True)


@pytest.mark.parametrize("status", ["open", "fixed"])
def test_a_review_does_not_write_over_what_a_person_decided_while_it_read(
    ledger: DynamoLedger, store: DynamoConversationStore, table: Any, status: str
) -> None:
    """It keeps what else it learned of the finding; the next review goes on from the decision."""
    completed(ledger, a_run(), a_finding())
    read: KnownFinding = replace(KNOWN, hunk="fedcba9876543210", status=status)  # type: ignore[arg-type]
    run = started(ledger, a_run("run2", head=NEXT_HEAD))
    store.decide(KNOWN.id, WONT_FIX)

    followed_it = staged(updates=(FindingUpdate(read, KNOWN, "stays", "it moved"),))
    ledger.complete("me", run, followed_it, None)
    [known] = ledger.findings()
    followed(ledger, a_run("run3"), FindingUpdate(replace(known, hunk=None), known, "stays", "it moved again"))

    assert (known.status, known.settled_by, known.hunk) == ("wont_fix", "ann", "fedcba9876543210")
    [known] = ledger.findings()
    assert (known.status, known.decided, known.hunk) == ("wont_fix", "thread-88", None)
    assert [run for run, _, _ in history(table)] == ["run1", "thread-88", "run2", "run3"]


def test_a_run_under_way_is_known(ledger: DynamoLedger, store: DynamoConversationStore) -> None:
    before = store.is_under_review()
    run = started(ledger, a_run())
    assert (before, store.is_under_review()) == (False, True)

    ledger.end("me", run.id, "superseded", "a newer push")
    assert not store.is_under_review()


def test_a_pause_is_seen_by_the_next_run_until_it_ends(ledger: DynamoLedger, store: DynamoConversationStore) -> None:
    """It is not in the way of the lease."""
    store.pause("ann")
    paused, by = ledger.claim("me", 2_000), store.paused_by()
    store.pause(None)

    assert paused.paused_by == by == "ann"
    assert ledger.claim("me", 2_000).paused_by is store.paused_by() is None
