"""The ledger keeps what a run did, and lets nobody write over what changed meanwhile."""

import json
import random
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import boto3
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kodiai.core.changes.snapshot import SeenFile, Snapshot
from kodiai.core.config.spending import Spending
from kodiai.core.conversation.stance import Stance
from kodiai.core.errors import Retry
from kodiai.core.findings.finding import Cause, Finding
from kodiai.core.findings.known import Evidence, HistoryEntry, KnownFinding
from kodiai.core.github.names import RepositoryRef
from kodiai.core.judge.judgement import KeptFinding, SuppressedFinding
from kodiai.core.outcome import Outcome
from kodiai.core.plan.candidate import Candidate, JudgeDecision
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.repository.kept_surroundings import CodeAround
from kodiai.core.review.check import Annotation, Check
from kodiai.core.review.review import PostedReview, Review, ReviewComment, ThreadAction
from kodiai.core.review.run import PendingReview, PullRequestState, Run, UnreadableFindings
from kodiai.edges.adapter import adapter
from kodiai.edges.ledger import DynamoLedger
from kodiai.edges.preview_ledger import PreviewLedger
from kodiai.edges.repository_data import DynamoRepositoryData
from local.readable_ledger import ReadableLedger
from local.server import Server
from tests.builders import WIDGETS, an_anchor
from tests.edges.conftest import TurnableClock

HEAD, BASE = "a" * 40, "b" * 40
PULL = {"pk": "PR#1#7"}


SNAPSHOT = Snapshot(
    (SeenFile("src/a.py", "src/old.py", "c" * 40, ("0123456789abcdef",), "change", ("fedcba9876543210",)),), "config"
)
COMPLETED = PullRequestState(
    running=None,
    completed_run="run1",
    completed_head=HEAD,
    completed_delivery="delivery-of-run1",
    completed_at=1_000.0,
)


NEXT_HEAD = "e" * 40
FINDING = Finding(
    severity="MAJOR",
    category="correctness",
    kind="impact",
    path="src/a.py",
    start_line=3,
    end_line=3,
    title="The list is shared between calls",
    explanation="A default is made once, so every call appends to the same list.",
    quote="def add(item, items=[]):",
)
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
NEW_IN_A_FINDING = {"problem", "fix", "reported_title", "cause"}


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
    ledger.keep_snapshot(run.id, SNAPSHOT)
    ledger.stage(run.id, staged(*findings))
    ledger.complete("me", run, staged(*findings), PostedReview("55", {kept.id: comment for kept in findings}))


def followed(ledger: DynamoLedger, run: Run, *each: FindingUpdate) -> None:
    ledger.complete("me", started(ledger, run), staged(updates=each), None)


def history(table: Any) -> list[Any]:
    """What is written down of the finding, run by run: the run, how it stood, and why."""
    item = table.get_item(Key={**PULL, "sk": f"FINDING#{KNOWN.id}"})["Item"]
    return [(seen["run"], seen["status"], seen["why"]) for seen in item["history"]]


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


def test_what_is_staged_is_read_back_as_it_was(ledger: DynamoLedger) -> None:
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

    ledger.stage("run1", whole)

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
        ledger.stage("run1", staged())


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
    assert history(table) == [("run1", "open", "told"), ("run2", "fixed", "The list is made for each call.")]


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

    assert sent == 7
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
        ("run1", "open", "told"),
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


def test_what_an_older_release_wrote_down_is_still_read(ledger: DynamoLedger, table: Any) -> None:
    """Without what is new since: deliveries, digests of changes, a finding's texts, and how it was closed."""
    completed(ledger, a_run(), a_finding())
    started(ledger, a_run("run2"))
    knew = {
        "STATE": "running completed_run completed_head lease_owner lease_until",
        f"FINDING#{KNOWN.id}": "finding status comment_id seen_by history",
        "RUN#run2": "head base status started",
    }
    for sort, names in knew.items():
        item = table.get_item(Key={**PULL, "sk": sort})["Item"]
        if "finding" in item:
            item["finding"] = FINDING.model_dump_json(exclude=NEW_IN_A_FINDING)
        table.put_item(Item={name: item[name] for name in ("pk", "sk", *names.split())})
    file = {"path": "src/a.py", "previous_path": None, "blob": "c" * 40, "hunks": ["0123456789abcdef"]}
    put_part(table, "SNAPSHOT#run1", {"files": [file], "config": "config"})

    state, run = ledger.claim("me", 2_000), ledger.run("run2")

    assert (state.completed_delivery, state.completed_at, state.completed_head) == (None, 0.0, HEAD)
    assert run == replace(a_run("run2"), delivery="")
    assert ledger.findings() == (replace(KNOWN, hunk=None),)
    assert ledger.snapshot("run1") == Snapshot((SeenFile("src/a.py", None, "c" * 40, ("0123456789abcdef",)),), "config")


def test_an_outbox_of_an_older_release_does_not_stop_the_run(ledger: DynamoLedger, table: Any) -> None:
    """It says nothing of the check run; the run is there all the same, and may go through its steps again."""
    started(ledger, a_run())
    ledger.stage("run1", staged())
    put_part(table, "STAGED#run1", {"review": None, "findings": [], "facts": {}})

    run = ledger.run("run1")

    assert run is not None
    assert (run.head, run.status) == (HEAD, "running")


def test_an_outbox_without_the_judges_words_is_posted_as_it_stands(ledger: DynamoLedger, table: Any) -> None:
    """The release before the judge wrote findings without texts of their own, and what it dropped without a fate."""
    started(ledger, a_run())
    whole = replace(staged(a_finding()), suppressed=(SuppressedFinding(FINDING, "It is said twice."),))
    ledger.stage("run1", whole)
    written = json.loads(adapter(PendingReview).dump_json(whole, by_alias=True))
    assert {"followed", "acts", "lifts", "dropped"} < set(written)
    for entry in (*written["findings"], *written["dropped"]):
        entry["finding"] = {name: value for name, value in entry["finding"].items() if name not in NEW_IN_A_FINDING}
        entry.pop("fate", None)
    put_part(table, "STAGED#run1", written)

    run = ledger.run("run1")

    assert run is not None
    assert run.staged == whole


def put_part(table: Any, name: str, content: Any) -> None:
    """Write the only part of something that is kept in parts."""
    packed = zlib.compress(json.dumps(content).encode())
    table.put_item(Item={**PULL, "sk": f"{name}#000", "parts": 1, "data": packed})


def test_findings_that_cannot_be_read_are_told_apart_from_none(ledger: DynamoLedger, table: Any) -> None:
    """One is enough: without it a review would tell it once more, or forget that it is open."""
    completed(ledger, a_run(), a_finding(), KeptFinding("F-ba9876543210", FINDING, None))
    whole = table.get_item(Key={**PULL, "sk": f"FINDING#{KNOWN.id}"})["Item"]
    lacking = {name: value for name, value in whole.items() if name != "finding"}
    damaged = [
        lacking,
        *({**whole, "finding": finding} for finding in ("{", '{"severity": "MAJOR"}', 3)),
        *({**whole, "evidence": evidence} for evidence in ("src/a.py", {"path": "src/a.py"})),
        {**whole, "status": "unheard of"},
        {**whole, "resolved_thread": "perhaps"},
        {**whole, "comment_id": ["77"]},
    ]

    for item in damaged:
        table.put_item(Item=item)
        with pytest.raises(UnreadableFindings):
            ledger.findings()


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


def test_a_snapshot_of_three_thousand_files_is_split_and_read_back(ledger: DynamoLedger) -> None:
    """An item holds 400 KB, so it takes several; a smaller one that replaces it, fewer."""
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
    large = Snapshot(files, "config")

    ledger.keep_snapshot("run1", large)

    assert ledger.snapshot("run1") == large
    ledger.keep_snapshot("run1", SNAPSHOT)
    assert ledger.snapshot("run1") == SNAPSHOT


def test_a_review_larger_than_an_item_is_staged_and_read_back(ledger: DynamoLedger, table: Any) -> None:
    """A hundred long explanations are more than one item holds; half of it is as good as none."""
    noise = random.Random(7)
    words = [f"{noise.getrandbits(64):x}" for _ in range(60_000)]
    large = replace(staged(), review=Review("COMMENT", " ".join(words), ()))
    ledger.claim("me", 2_000)
    ledger.start("me", a_run())

    ledger.stage("run1", large)

    run = ledger.run("run1")
    assert run is not None
    assert run.staged == large
    table.delete_item(Key={**PULL, "sk": "STAGED#run1#001"})
    broken = ledger.run("run1")
    assert broken is not None
    assert broken.staged is None


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
    ledger.stage("run1", staged(a_finding()), lasting=True)

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
    previews.stage("run2", staged(), lasting=True)
    previews.note_preview("asked", Outcome("retry", "GitHub is busy"))
    assert previews.preview_outcome("asked") == Outcome("retry", "GitHub is busy")
    previews.keep("us", run, staged())

    previews.note_preview("asked", Outcome("retry", "nobody heard that it is kept"))
    assert previews.preview_outcome("asked") == Outcome("completed", "the review is kept", {"run": "run2"})
    assert previews.preview_outcome("another") is None
    assert ledger.claim("me", 2_000) == before
    assert [known.id for known in ledger.findings()] == [KNOWN.id]


def test_what_a_message_has_prepared_is_for_the_same_run_however_large_it_is(ledger: DynamoLedger, table: Any) -> None:
    """It is cut into items that DynamoDB takes. Half of it is as good as nothing: it is prepared again."""
    prepared = {f"{at}": CodeAround(secrets.token_hex(20_000), {"lists of uses": at}) for at in range(40)}

    ledger.keep_surroundings("run1", prepared)

    assert ledger.surroundings("run1") == prepared
    assert ledger.surroundings("run2") == {}
    table.delete_item(Key={**PULL, "sk": "AROUND#run1#001"})
    assert ledger.surroundings("run1") == {}


def test_a_snapshot_that_cannot_be_read_whole_is_missing(ledger: DynamoLedger, table: Any) -> None:
    """Half a snapshot would make everything look new."""
    completed(ledger, a_run())
    whole = table.get_item(Key={**PULL, "sk": "SNAPSHOT#run1#000"})["Item"]
    contents = (b"{", b'{"files": 3}', b"\xff")
    damaged = [
        {**whole, "parts": 2},
        {**whole, "data": b"x"},
        *({**whole, "data": zlib.compress(content)} for content in contents),
    ]

    assert ledger.snapshot("run2") is None
    for item in damaged:
        table.put_item(Item=item)
        assert ledger.snapshot("run1") is None


def test_pull_requests_do_not_see_each_other(table: Any, clock: TurnableClock, ledger: DynamoLedger) -> None:
    """Number 7 and number 70 of one repository are two."""
    completed(ledger, a_run(), a_finding())

    other = DynamoLedger(table, WIDGETS, 70, clock)

    assert other.claim("you", 2_000) == PullRequestState(None, None, None)
    assert other.findings() == ()


def test_all_runs_are_shown_by_when_they_began(ledger: ReadableLedger, clock: TurnableClock) -> None:
    """With what was staged, and with when and why each ended; one that is under way has not."""
    completed(ledger, a_run("zz"), a_finding())
    clock.time = 1_100
    ledger.end("me", started(ledger, replace(a_run("yy"), started=1_050.0)).id, "failed", "the model read nothing")
    under_way = started(ledger, replace(a_run("xx"), started=1_050.0))
    ledger.stage("xx", staged())

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

    told = HistoryEntry(1_000, HEAD, "open", "told")
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


def test_what_was_spent_is_added_up_in_every_counter(table: Any, clock: TurnableClock, ledger: DynamoLedger) -> None:
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


def test_what_an_owner_spent_is_not_lost_with_a_repository(table: Any, ledger: DynamoLedger) -> None:
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
