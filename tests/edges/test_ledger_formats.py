"""Values in the ledger that take several items, that an older release wrote, or that cannot be read."""

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.changes.snapshot import SeenFile, Snapshot
from kodiai.core.judge.judgement import KeptFinding, SuppressedFinding
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.review.review import Review
from kodiai.core.review.run import PendingReview, UnreadableFindings
from kodiai.edges.adapter import adapter
from kodiai.edges.ledger import DynamoLedger
from tests.edges.ledger_scene import (
    FINDING,
    HEAD,
    KNOWN,
    PULL,
    SNAPSHOT,
    a_finding,
    a_run,
    completed,
    staged,
    started,
)

NEW_IN_A_FINDING = {"problem", "fix", "reported_title", "cause"}


NOISE = random.Random(7).randbytes(400_000).hex()
"""A text that is not compressed to less than half."""
MANY_FILES = Snapshot(
    tuple(SeenFile(NOISE[at : at + 260], None, "c" * 40, ("0123456789abcdef",)) for at in range(0, 780_000, 260)),
    "config",
)
LONG_REVIEW = replace(staged(), review=Review("COMMENT", NOISE, ()))


def keep_unposted(ledger: DynamoLedger, run_id: str, unposted: UnpostedReview) -> None:
    ledger.keep_unposted("me", run_id, unposted)


def stage(ledger: DynamoLedger, run_id: str, review: PendingReview) -> None:
    ledger.stage(run_id, review, SNAPSHOT)


def staged_in(ledger: DynamoLedger, run_id: str) -> PendingReview | None:
    run = ledger.run(run_id)
    return run.staged if run is not None else None


@pytest.mark.parametrize(
    ("kind", "write", "read", "large"),
    [
        ("SNAPSHOT", DynamoLedger.keep_snapshot, DynamoLedger.snapshot, MANY_FILES),
        ("STAGED", stage, staged_in, LONG_REVIEW),
        ("UNPOSTED", keep_unposted, DynamoLedger.unposted, UnpostedReview(HEAD, None, MANY_FILES)),
    ],
)
def test_a_value_larger_than_an_item_is_split_and_read_back(
    ledger: DynamoLedger, table: Any, kind: str, write: Callable[..., None], read: Callable[..., Any], large: Any
) -> None:
    """An item holds 400 KB. Half of a value is as good as none."""
    started(ledger, a_run())

    write(ledger, "run1", large)

    assert read(ledger, "run1") == large
    assert not read(ledger, "run2")
    table.delete_item(Key={**PULL, "sk": f"{kind}#run1#001"})
    assert not read(ledger, "run1")


@pytest.mark.parametrize(("body", "requests"), [("Body", 1), (NOISE + NOISE[::-1], 2)], ids=["small", "large"])
def test_a_review_is_stored_with_what_it_read_and_what_a_busy_table_leaves_out_is_sent_again(
    ledger: DynamoLedger, table: Any, body: str, requests: int
) -> None:
    """With one request, as far as a table takes it: some of a megabyte is left out, and is no error."""
    sent: list[str] = []
    table.meta.client.meta.events.register("before-send.dynamodb.BatchWriteItem", lambda **_: sent.append("sent"))
    started(ledger, a_run())
    review = replace(staged(), review=Review("COMMENT", body, ()))

    ledger.stage("run1", review, MANY_FILES)

    assert (staged_in(ledger, "run1"), ledger.snapshot("run1")) == (review, MANY_FILES)
    assert len(sent) == requests


def test_a_smaller_value_replaces_a_larger_one(ledger: DynamoLedger) -> None:
    """It takes fewer items, and those that are left are not read."""
    for snapshot in (MANY_FILES, SNAPSHOT):
        ledger.keep_snapshot("run1", snapshot)

    assert ledger.snapshot("run1") == SNAPSHOT


def test_items_of_an_older_release_are_still_read(ledger: DynamoLedger, table: Any) -> None:
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
    ledger.stage("run1", staged(), SNAPSHOT)
    put_part(table, "STAGED#run1", {"review": None, "findings": [], "facts": {}})

    run = ledger.run("run1")

    assert run is not None
    assert (run.head, run.status) == (HEAD, "running")


def test_an_outbox_without_the_judges_words_is_posted_as_it_stands(ledger: DynamoLedger, table: Any) -> None:
    """The release before the judge wrote findings without texts of their own, and what it dropped without a fate."""
    started(ledger, a_run())
    whole = replace(staged(a_finding()), suppressed=(SuppressedFinding(FINDING, "It is said twice."),))
    ledger.stage("run1", whole, SNAPSHOT)
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
