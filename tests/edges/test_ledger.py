"""The ledger keeps what a run did, and lets nobody write over what changed meanwhile."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import boto3
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.spending import Spending
from kodiai.core.conversation.stance import Stance
from kodiai.core.errors import Retry
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.names import RepositoryRef
from kodiai.core.outcome import Outcome
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.review import PostedReview, ThreadAction
from kodiai.core.review.run import PullRequestState, ReviewState
from kodiai.edges.ledger import DynamoLedger
from kodiai.edges.preview_ledger import PreviewLedger
from kodiai.edges.repository_data import DynamoRepositoryData
from local.server import Server
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
    history,
    staged,
    started,
)

COMPLETED = PullRequestState(
    running=None,
    completed_run="run1",
    completed_head=HEAD,
    completed_delivery="delivery-of-run1",
    completed_at=1_000.0,
)


def test_a_pull_request_is_claimed_by_one_at_a_time(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """The other one waits for the end of the lease, which its owner alone renews and gives back."""
    ledger.claim("me", until=1_050)
    ledger.claim("me", until=1_060)
    ledger.release("you")

    with pytest.raises(Retry) as refused:
        ledger.claim("you", until=1_100)
    ledger.release("me")
    given_back = ledger.claim("you", until=1_100)
    clock.time = 1_101
    run_out = ledger.claim("me", until=1_160)

    assert refused.value.after_seconds == 60
    assert given_back == run_out == PullRequestState(None, None, None)


def test_a_run_that_is_started_is_the_one_under_way(ledger: DynamoLedger) -> None:
    """The next claim finds it, with what was written down of it."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run())
    ledger.note_check("run1", "99")

    state = ledger.claim("me", 2_000)

    assert state.running == "run1"
    assert ledger.run("run1") == replace(a_run(), check_id="99")


SAID = Stance(settles="wont_fix", meaning="wont_fix", by="ann", reply="88", heard="88")


def test_a_run_begins_with_the_lease_and_where_none_is_under_way(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """A run that slept through its lease does not replace its successor, and none is forgotten for a new one."""
    ledger.claim("me", until=1_060)
    ledger.start("me", a_run("old"))
    clock.time = 1_061

    state = ledger.claim("you", until=1_120)
    for owner in ("me", "you"):
        with pytest.raises(Retry):
            ledger.start(owner, a_run("new", head="d" * 40))

    assert state.running == "old"
    assert ledger.run("new") is None


def test_a_staged_review_is_read_back_as_it_was(ledger: DynamoLedger) -> None:
    """The outbox survives the run that wrote it."""
    started(ledger, a_run())
    whole = replace(
        staged(
            a_finding(), updates=(FindingUpdate(SETTLED, KNOWN, "resolved", "It is.", "You are right.", True, SAID),)
        ),
        check=Check("Done", "All said.", "failure", (Annotation("a.py", 1, 2, "warning", "Title", "Text"),)),
        thread_actions=(
            ThreadAction("PRRT_1", KNOWN.id, say=None, resolve=True, otherwise="Fixed."),
            ThreadAction("PRRT_2", KNOWN.id, say="Reopened.", unresolve=True, once="reply-88"),
        ),
        dismisses_own_reviews=True,
    )

    ledger.stage("run1", whole, SNAPSHOT)

    run = ledger.run("run1")
    assert run is not None
    assert run.staged == whole
    assert run.delivery == "delivery-of-run1"


def test_nothing_is_staged_for_a_run_that_has_ended(ledger: DynamoLedger) -> None:
    """A run that was superseded meanwhile does not post."""
    ledger.claim("me", 2_000)
    ledger.start("me", a_run())
    ledger.end("me", "run1", "superseded", "the head moved on")

    with pytest.raises(Retry):
        ledger.stage("run1", staged(), SNAPSHOT)


def test_a_completed_run_is_the_one_that_counts_and_frees_the_lease(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """Its head, its delivery, its snapshot and its findings are there for the next run, which may claim at once.

    When it was done is known to the millisecond, as queues have it.
    """
    clock.time = 1_000.125
    completed(ledger, a_run(), a_finding())

    state = ledger.claim("you", 2_000)

    assert state == replace(COMPLETED, completed_at=1_000.125)
    assert ledger.snapshot("run1") == SNAPSHOT
    assert ledger.findings() == (KNOWN,)


def test_a_claimed_run_does_not_hide_the_completed_one(ledger: DynamoLedger) -> None:
    """The last completed run stays what counts while the next one is under way, and when that one fails."""
    completed(ledger, a_run(), a_finding())
    ledger.claim("me", 2_000)
    ledger.start("me", a_run("run2", head=NEXT_HEAD))

    assert ledger.claim("me", 2_000) == replace(COMPLETED, running="run2")

    ledger.end("me", "run2", "failed", "the model read nothing")
    assert ledger.claim("me", 2_000) == replace(COMPLETED, ended_run="run2")


def test_the_state_of_the_reviews_is_read_without_the_lease(ledger: DynamoLedger, clock: TurnableClock) -> None:
    """The last completed run with its verdict and what it did not read, and the one under way."""
    nothing = ledger.review_state()
    run = started(ledger, a_run())
    skipped = [{"path": "a.lock", "excused": True}, {"path": "b.bin", "excused": False}]
    facts = {"verdict": "not-fully-reviewed", "skipped": skipped}
    clock.time = 1_020
    ledger.complete("me", run, replace(staged(), facts=facts), PostedReview("55", {}))
    ledger.claim("me", 2_000)
    ledger.start("me", a_run("run2", head=NEXT_HEAD))

    assert nothing == ReviewState()
    assert ledger.review_state() == ReviewState(
        head=HEAD, at=1_020.0, verdict="not-fully-reviewed", unread=("b.bin",), running=NEXT_HEAD, since=1_000.0
    )


def test_completing_twice_writes_once(ledger: DynamoLedger, table: Any) -> None:
    """A run that fails at its last write starts over: the finding's history has the run once."""
    completed(ledger, a_run(), a_finding())
    resolved = staged(updates=(FindingUpdate(SETTLED, KNOWN, "resolved", "The list is made for each call."),))
    run = started(ledger, a_run("run2", head=NEXT_HEAD))

    with pytest.raises(Retry):
        ledger.complete("somebody without the lease", run, resolved, None)
    ledger.complete("me", run, resolved, None)
    ledger.claim("me", 2_000)
    with pytest.raises(Retry):
        ledger.complete("me", run, resolved, None)

    assert ledger.findings() == (SETTLED,)
    assert history(table) == [("run1", "open", "reported"), ("run2", "fixed", "The list is made for each call.")]


def test_many_findings_are_stored_with_few_requests_each_by_its_own_condition(ledger: DynamoLedger, table: Any) -> None:
    """A decision that a person made meanwhile about one of them is kept, and hinders none of the others."""
    kept = [replace(a_finding(), id=f"F-{at:012}") for at in range(120)]
    requests: list[str] = []
    table.meta.client.meta.events.register("before-send.dynamodb", lambda **_: requests.append("sent"))
    run, posted = started(ledger, a_run()), PostedReview("55", {each.id: f"{at}" for at, each in enumerate(kept)})
    before = len(requests)
    ledger.complete("me", run, staged(*kept), posted)
    sent = len(requests) - before
    known = ledger.findings()
    table.update_item(
        Key={**PULL, "sk": f"FINDING#{known[70].id}"},
        UpdateExpression="SET #status = :status, decided = :decided",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":status": "dismissed", ":decided": "comment-9"},
    )

    followed(ledger, a_run("run2"), *(FindingUpdate(replace(each, status="fixed"), each, "resolved") for each in known))

    assert sent == 6
    assert [each.comment_id for each in known] == [f"{at}" for at in range(120)]
    fixed = [replace(each, status="fixed") for each in known]
    fixed[70] = replace(known[70], status="dismissed", decided="comment-9")
    assert list(ledger.findings()) == fixed


def test_everything_that_is_known_of_a_finding_is_read_back(ledger: DynamoLedger, table: Any) -> None:
    """And taken away again where a later run knows it no more; its history says what each run made of it."""
    completed(ledger, a_run(), a_finding())
    bare = KnownFinding(KNOWN.id, FINDING, "open", None)

    followed(ledger, a_run("run2"), FindingUpdate(SETTLED, KNOWN, "resolved", "The list is made for each call."))
    with_everything = ledger.findings()
    followed(ledger, a_run("run3"), FindingUpdate(bare, SETTLED, "reopened"))

    assert with_everything == (SETTLED,)
    assert ledger.findings() == (bare,)
    assert history(table) == [
        ("run1", "open", "reported"),
        ("run2", "fixed", "The list is made for each call."),
        ("run3", "open", "reopened"),
    ]
    stored = table.get_item(Key={**PULL, "sk": f"FINDING#{KNOWN.id}"})["Item"]
    assert set(stored) == {"pk", "sk", "expires_at", "finding", "status", "seen_by", "history"}


def test_a_finding_that_is_reported_again_is_open_with_its_new_comment(ledger: DynamoLedger, table: Any) -> None:
    """Under its own id, and with nothing of how it was closed; both comments lead to it. In a body it has none."""
    completed(ledger, a_run(), a_finding())
    followed(ledger, a_run("run2"), FindingUpdate(SETTLED, KNOWN, "resolved", "The list is made for each call."))

    completed(ledger, a_run("run3"), a_finding(), comment="99")
    again = ledger.findings()
    ledger.complete("me", started(ledger, a_run("run4")), staged(a_finding()), PostedReview("56", {}))

    assert again == (replace(KNOWN, comment_id="99"),)
    assert ledger.findings() == (replace(KNOWN, comment_id=None),)
    for comment in ("77", "99"):
        assert table.get_item(Key={**PULL, "sk": f"COMMENT#{comment}"})["Item"]["finding"] == KNOWN.id


def test_a_finding_that_was_lost_is_written_down_whole_by_the_run_that_restored_it(
    ledger: DynamoLedger, table: Any
) -> None:
    """Nothing of it was there; its comment leads to it again."""
    followed(ledger, a_run(), FindingUpdate(KNOWN, KNOWN, "stays", "restored from GitHub"))

    assert ledger.findings() == (KNOWN,)
    assert history(table) == [("run1", "open", "restored from GitHub")]
    assert table.get_item(Key={**PULL, "sk": "COMMENT#77"})["Item"]["finding"] == KNOWN.id


def test_a_kept_answer_serves_the_same_question_of_this_pull_request(
    table: Any, clock: TurnableClock, ledger: DynamoLedger
) -> None:
    """For a week, though DynamoDB deletes later; what a person meant is known as long as the pull request."""
    ledger.keep_answer("question1", {"content": ["Half a \ud800 pair."]}, 0.25)

    assert ledger.kept_answer("question1") == {"content": ["Half a \ud800 pair."]}
    assert ledger.before_question("question1") == ({"content": ["Half a \ud800 pair."]}, ledger.spending())
    assert ledger.kept_answer("question2") is None
    assert DynamoLedger(table, WIDGETS, 8, clock).kept_answer("question1") is None
    ledger.keep_answer("reply-88", {"content": []}, 0.25, lasting=True)
    clock.time += 30 * 86_400
    assert ledger.kept_answer("question1") is None
    assert ledger.kept_answer("reply-88") == {"content": []}


def test_an_unposted_review_is_for_the_next_run_until_another_one_is_posted(ledger: DynamoLedger, table: Any) -> None:
    """Half of one is as good as none."""
    decision = JudgeDecision(Candidate(1, "security", FINDING), "kept", "keep", FINDING)
    unposted = UnpostedReview(HEAD, None, Snapshot((), "key"), (decision,), reviewers=("security",))
    ledger.claim("me", 2_000)
    ledger.start("me", a_run())

    ledger.keep_unposted("me", "run1", unposted)
    ledger.end("me", "run1", "superseded", "the head moved on")

    assert ledger.claim("me", 2_000).unposted_run == "run1"
    assert ledger.unposted("run1") == unposted
    ledger.release("me")
    completed(ledger, a_run("run2"))
    assert ledger.claim("me", 2_000).unposted_run is None
    table.delete_item(Key={**PULL, "sk": "UNPOSTED#run1#000"})
    assert ledger.unposted("run1") is None


def test_a_review_that_is_only_kept_completes_its_run_and_counts_as_nothing(ledger: DynamoLedger) -> None:
    """The lease is free, no finding is stored, and what was read is for the next run."""
    unposted = UnpostedReview(HEAD, None, Snapshot((), "key"))
    started(ledger, a_run())
    ledger.keep_unposted("me", "run1", unposted)
    ledger.stage("run1", staged(a_finding()), SNAPSHOT, lasting=True)

    ledger.keep("me", a_run(), staged(a_finding()))

    run, state = ledger.run("run1"), ledger.claim("them", 2_000)
    assert run is not None
    assert (run.status, run.kept, run.staged, run.review_id) == ("completed", "dry-run", staged(a_finding()), None)
    assert (state.running, state.completed_run, state.unposted_run) == (None, None, "run1")
    assert ledger.findings() == ()


def test_a_preview_sees_no_review_and_leaves_no_trace_in_the_state(
    table: Any, clock: TurnableClock, ledger: DynamoLedger
) -> None:
    """Its lease and its run are its own, next to a run that is under way; answers and what was spent are shared."""
    completed(ledger, a_run(), a_finding())
    before = ledger.claim("me", 2_000)
    ledger.keep_answer("question", {"content": []}, 0.25)
    previews = PreviewLedger(table, WIDGETS, 7, clock)

    state = previews.claim("us", 2_000)
    assert (state.completed_run, previews.findings(), previews.under_way()) == (None, (), None)
    assert previews.kept_answer("question") == {"content": []}
    assert previews.spending().pull_request_usd == 0.25
    run = replace(a_run("run2"), delivery="asked")
    previews.start("us", run)
    assert previews.under_way() == run
    previews.keep_unposted("us", "run2", UnpostedReview(HEAD, None, Snapshot((), "key")))
    previews.stage("run2", staged(), SNAPSHOT, lasting=True)
    previews.note_preview("asked", Outcome("retry", "GitHub is busy"))
    assert previews.preview_outcome("asked") == Outcome("retry", "GitHub is busy")
    previews.keep("us", run, staged())

    previews.note_preview("asked", Outcome("retry", "nobody heard that it is kept"))
    assert previews.preview_outcome("asked") == Outcome("completed", "the review is kept", {"run": "run2"})
    assert previews.preview_outcome("another") is None
    assert ledger.claim("me", 2_000) == before
    assert [known.id for known in ledger.findings()] == [KNOWN.id]


def test_pull_requests_do_not_see_each_other(table: Any, clock: TurnableClock, ledger: DynamoLedger) -> None:
    """Number 7 and number 70 of one repository are two."""
    completed(ledger, a_run(), a_finding())

    other = DynamoLedger(table, WIDGETS, 70, clock)

    assert other.claim("you", 2_000) == PullRequestState(None, None, None)
    assert other.findings() == ()


def test_a_cost_is_added_up_in_every_counter(table: Any, clock: TurnableClock, ledger: DynamoLedger) -> None:
    """Whatever came of it, and kept or not; a day and a month end at midnight (UTC)."""
    ledger.keep_answer("question1", {"content": []}, 0.25)
    ledger.spend(0.25)
    other = DynamoLedger(table, WIDGETS, 8, clock)
    other.keep_answer("question1", {"content": []}, 0.25)
    DynamoLedger(table, WIDGETS.model_copy(update={"id": 2}), 1, clock).spend(1)
    DynamoLedger(table, RepositoryRef(name="another/widgets", id=3, owner_id=200), 1, clock).spend(1)

    assert ledger.spending() == Spending(0.5, 0.75, 0.75, 1.75)
    assert ledger.before_question("question2") == (None, ledger.spending())
    assert other.spending() == Spending(0.25, 0.75, 0.75, 1.75)

    clock.time += 86_400
    assert ledger.spending() == Spending(0.5, 0.0, 0.75, 1.75)
    clock.time += 31 * 86_400
    assert ledger.spending() == Spending(0.5, 0.0, 0.0, 0.0)


def test_the_spending_of_an_owner_is_not_lost_with_a_repository(table: Any, ledger: DynamoLedger) -> None:
    """An App that is removed and installed again goes on counting; the counters expire by themselves."""
    ledger.spend(0.25)

    data = DynamoRepositoryData(table)
    data.delete(data.look(None).items)

    assert ledger.spending() == Spending(0.0, 0.25, 0.0, 0.25)
    assert {item["sk"]: int(item["expires_at"]) for item in table.scan()["Items"]} == {
        f"DAY#1970-01-01#{WIDGETS.id}": 1_000 + 3 * 86_400,
        "MONTH#1970-01": 1_000 + 90 * 86_400,
    }


def test_two_pull_requests_that_count_into_one_month_at_the_same_moment_wait_for_each_other() -> None:
    """DynamoDB refuses one of two transactions on an item; a paid answer is not thrown away for that."""
    with a_table_that_refuses(times=3) as (table, asked):
        DynamoLedger(table, WIDGETS, 7, TurnableClock()).keep_answer("question1", {"content": []}, 0.25)

    assert len(asked) == 4
    assert len(set(asked)) == 1


def test_a_conflict_that_does_not_end_is_tried_again_by_the_queue() -> None:
    """Not for ever inside of an invocation."""
    with a_table_that_refuses(times=99) as (table, asked), pytest.raises(Retry, match="TransactionConflict"):
        DynamoLedger(table, WIDGETS, 7, TurnableClock()).spend(0.25)

    assert len(asked) == 6


@contextmanager
def a_table_that_refuses(times: int) -> Iterator[tuple[Any, list[bytes]]]:
    """A table whose first transactions meet another one on the same item, and what it was asked."""
    asked: list[bytes] = []

    async def answer(request: Request) -> Response:
        asked.append(json.dumps((await request.json())["TransactItems"], sort_keys=True).encode())
        if len(asked) > times:
            return JSONResponse({})
        refusal = {
            "__type": "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
            "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons",
            "CancellationReasons": [{"Code": "None"}, {"Code": "TransactionConflict"}],
        }
        return JSONResponse(refusal, 400)

    server = Server(Starlette(routes=[Route("/", answer, methods=["POST"])]))
    server.start()
    try:
        yield _session().resource("dynamodb", endpoint_url=server.url).Table("ledger"), asked
    finally:
        server.stop()


@cache
def _session() -> boto3.Session:
    """One for all: to read what it knows of DynamoDB takes a while."""
    return boto3.Session(aws_access_key_id="local", aws_secret_access_key="local", region_name="us-east-1")
