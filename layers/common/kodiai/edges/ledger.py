"""The ledger in DynamoDB: one table, every pull request under a key of its own.

Errors and conditions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import json
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, TypeVar, cast

import boto3
from botocore.config import Config
from pydantic import ValidationError

from kodiai.core.changes.snapshot import Snapshot
from kodiai.core.config.spending import Spending
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.json_object import JsonObject
from kodiai.core.outcome import Outcome
from kodiai.core.plan.unposted import UnpostedReview
from kodiai.core.plan.update import FindingUpdate
from kodiai.core.review.review import PostedReview
from kodiai.core.review.run import PendingReview, PullRequestState, ReviewState, Run, RunStatus, UnreadableFindings
from kodiai.edges.adapter import adapter
from kodiai.edges.aws import session
from kodiai.edges.calls import log_calls
from kodiai.edges.gate_store import mirrors_of
from kodiai.edges.ledger_items import (
    Item,
    history,
    in_parts,
    joined,
    known_finding,
    packed,
    read_run,
    stored,
    unpacked,
)
from kodiai.edges.ledger_table import (
    LEASE,
    MICRO,
    NEW,
    REPLACING,
    SHORT_SECONDS,
    Computed,
    Condition,
    LostRace,
    PullRequestItems,
    held_by,
    update,
    with_entry,
)

T = TypeVar("T")

_HELD = ("running", *LEASE)
_UNDER_WAY = Condition("#status = :under_way", {"under_way": "running"})
_FIRST = "(attribute_not_exists(seen_by) OR seen_by <> :seen_by)"
# The attributes of a finding that a person's decision changes.
_DECIDED = ("status", "settled_by", "decided", "decided_at", "heard", "argued", "resolved_thread")
_CONFIG = Config(connect_timeout=2, read_timeout=5, retries={"mode": "standard", "total_max_attempts": 3})


def open_table(name: str) -> Any:
    """Open the table; short time-outs, because a Lambda waits for it."""
    table = boto3.Session(botocore_session=session()).resource("dynamodb", config=_CONFIG).Table(name)
    log_calls(table.meta.client)
    return table


class DynamoLedger(PullRequestItems):
    """The ports `Ledger` and `FindingReader`, for one pull request."""

    _STATE = "STATE"
    _KEPT_AS = "dry-run"

    def claim(self, owner: str, until: float) -> PullRequestState:
        renewed = {"renewed": Computed("if_not_exists(renewed, :now)", {})}
        state = self._take(self._STATE, owner, until, "another run holds this pull request", more=renewed)
        self._renew(self._pk, ("FINDING#", "COMMENT#", "RUN#"), state)
        known = {"running": None, "completed_run": None, "completed_head": None, **state}
        more = {"completed_at": float(state.get("completed_ms", 0)) / 1000, "mirrors": mirrors_of(state)}
        return adapter(PullRequestState).validate_python({**known, **more})

    def awaits_ci(self) -> bool:
        return "awaits_ci" in self._get(self._STATE)

    def release(self, owner: str) -> None:
        self._let_go(self._STATE, owner)

    def start(self, owner: str, run: Run) -> None:
        begun = {
            "head": run.head,
            "base": run.base,
            "status": "running",
            "started": int(run.started),
            "delivery": run.delivery,
            **({"check_id": run.check_id} if run.check_id else {}),
            **({"left_unread": run.left_unread} if run.left_unread else {}),
        }
        self._transact(
            [
                update(self._key(f"RUN#{run.id}"), begun, when=NEW),
                self._state(owner, {"running": run.id}, only="attribute_not_exists(running)"),
            ]
        )

    def run(self, run_id: str) -> Run | None:
        item = self._get(f"RUN#{run_id}")
        if not item:
            return None
        return read_run(item, self._items(f"STAGED#{run_id}#") if "staged" in item else ())

    def note_check(self, run_id: str, check_id: str) -> None:
        self._write(self._running(run_id, {"check_id": check_id}))

    def kept_answer(self, question: str) -> JsonObject | None:
        return _answer(self._get(f"ANSWER#{question}"))

    def before_question(self, question: str) -> tuple[JsonObject | None, Spending]:
        item, *spent = self._read_all([self._key(f"ANSWER#{question}"), *self._spending_keys()])
        return _answer(item), _read_spending(spent)

    def keep_answer(self, question: str, answer: JsonObject, cost_usd: float, *, lasting: bool = False) -> None:
        """Keep a `lasting` one for 90 days."""
        expiry = {"expires_at": self._now() + SHORT_SECONDS} if lasting else {}
        kept = {"answer": packed(json.dumps(answer).encode()), **expiry}
        self._transact([update(self._key(f"ANSWER#{question}"), kept), *self._spending(cost_usd)])

    def spend(self, cost_usd: float) -> None:
        self._transact(self._spending(cost_usd))

    def stage(self, run_id: str, staged: PendingReview, snapshot: Snapshot, *, lasting: bool = False) -> None:
        """Store the parts, and then that they are all there. A `lasting` one is kept as long as its run."""
        seconds = self._retention_seconds if lasting else None
        review = self._parts("STAGED", run_id, adapter(PendingReview).dump_json(staged, by_alias=True), seconds)
        self._put(*self._snapshot_parts(run_id, snapshot), *review)
        self._write(self._running(run_id, {"staged": self._now()}))

    def complete(self, owner: str, run: Run, staged: PendingReview, posted: PostedReview | None) -> None:
        ids = posted.comment_ids if posted else {}
        told = [KnownFinding(each.id, each.finding, "open", ids.get(each.id), each.hunk) for each in staged.findings]
        known = [*told, *(each.known for each in staged.updates)]
        about = {each.comment_id: each for each in known if each.comment_id is not None}
        comments = [self._comment(each) for each in about.values()]
        new = [self._seen(run, each, "reported", Condition(_FIRST)) for each in told]
        updated = [self._updated(run, each) for each in staged.updates]
        before = self._write_each([*comments, *new, *updated])[len(comments) + len(new) :]
        self._keep_decided(run, staged.updates, before)
        done = {
            "status": "completed",
            "facts": packed(json.dumps(staged.facts).encode()),
            "review_id": posted.review_id if posted else None,
            "ended": self._now(),
        }
        last = {
            "completed_run": run.id,
            "completed_head": run.head,
            "completed_delivery": run.delivery,
            "completed_ms": int(self._clock.now() * 1000),
            **({"awaits_ci": staged.awaits_ci} if staged.awaits_ci else {}),
        }
        gone = ["unposted_run", *([] if staged.awaits_ci else ["awaits_ci"])]
        self._transact(
            [
                self._running(run.id, done),
                self._state(owner, last, removes=(*_HELD, *gone)),
                update(self._month_key(), {}, adds={"reviews": 1}),
            ]
        )

    def keep(self, owner: str, run: Run, staged: PendingReview) -> None:
        self._transact(self._keeping(owner, run, staged))

    def _keeping(self, owner: str, run: Run, staged: PendingReview) -> list[Item]:
        facts = packed(json.dumps(staged.facts).encode())
        done = {"status": "completed", "kept": self._KEPT_AS, "facts": facts, "ended": self._now()}
        return [self._running(run.id, done), self._state(owner, {}, removes=_HELD)]

    def note_preview(self, delivery: str, outcome: Outcome) -> None:
        with suppress(LostRace):
            self._write(self._preview(delivery, outcome))

    def _preview(self, delivery: str, outcome: Outcome) -> Item:
        not_done = "(attribute_not_exists(#status) OR #status <> :done)"
        unless_done = Condition(not_done, {"done": "completed"}, also_expired=True)
        return update(self._key(f"PREVIEW#{delivery}"), asdict(outcome), when=unless_done)

    def preview_outcome(self, delivery: str) -> Outcome | None:
        item = self._get(f"PREVIEW#{delivery}")
        return adapter(Outcome).validate_python(item) if item else None

    def end(self, owner: str, run_id: str, status: RunStatus, reason: str) -> None:
        ended = {"status": status, "ended_why": reason, "ended": self._now()}
        self._transact([self._running(run_id, ended), self._state(owner, {"ended_run": run_id}, removes=_HELD)])

    def keep_snapshot(self, run_id: str, snapshot: Snapshot) -> None:
        self._put(*self._snapshot_parts(run_id, snapshot))

    def snapshot(self, run_id: str) -> Snapshot | None:
        return self._read_parts("SNAPSHOT", run_id, Snapshot)

    def keep_unposted(self, owner: str, run_id: str, unposted: UnpostedReview) -> None:
        """Store the parts, and then that they are all there."""
        self._put(*self._parts("UNPOSTED", run_id, adapter(UnpostedReview).dump_json(unposted)))
        self._transact([self._state(owner, {"unposted_run": run_id})])

    def unposted(self, run_id: str) -> UnpostedReview | None:
        return self._read_parts("UNPOSTED", run_id, UnpostedReview)

    def findings(self) -> tuple[KnownFinding, ...]:
        try:
            return tuple(known_finding(item) for item in self._items("FINDING#"))
        except (ValidationError, KeyError) as error:
            raise UnreadableFindings("the findings of earlier reviews cannot be read") from error

    def history(self, finding_id: str) -> tuple[HistoryEntry, ...]:
        try:
            return history(self._get(f"FINDING#{finding_id}"))
        except ValidationError as error:
            raise UnreadableFindings("the history of the finding cannot be read") from error

    def review_state(self) -> ReviewState:
        state = self._get(self._STATE)
        completed, running = (self._run_of(state.get(name)) for name in ("completed_run", "running"))
        found: ReviewState = ReviewState.of(completed, running)
        return found

    def _run_of(self, run_id: str | None) -> Run | None:
        """A run without its review."""
        item = self._get(f"RUN#{run_id}") if run_id else {}
        return read_run(item, ()) if item else None

    def spending(self) -> Spending:
        return _read_spending(self._read_all(self._spending_keys()))

    def _snapshot_parts(self, run_id: str, snapshot: Snapshot) -> list[Item]:
        return self._parts("SNAPSHOT", run_id, adapter(Snapshot).dump_json(snapshot))

    def _parts(self, kind: str, run_id: str, data: bytes, seconds: int | None = None) -> list[Item]:
        """Data that may be too large for one item: compressed, in parts, to be kept as usual or for `seconds`."""
        expiry = {} if seconds is None else {"expires_at": self._now() + seconds}
        parts = enumerate(in_parts(data))
        return [{**self._key(f"{kind}#{run_id}#{number:03}"), **part, **expiry} for number, part in parts]

    def _read_parts(self, kind: str, run_id: str, of: type[T]) -> T | None:
        """Read what is stored in parts, None where one of them is missing or cannot be read."""
        try:
            data = joined(self._items(f"{kind}#{run_id}#"))
            return adapter(of).validate_json(data) if data is not None else None
        except (ValidationError, zlib.error):
            return None

    def _comment(self, known: KnownFinding) -> Item:
        """The update that says which finding a comment is about; one that is back has a new comment."""
        return update(self._key(f"COMMENT#{known.comment_id}"), {"finding": known.id}, when=REPLACING)

    def _keep_decided(self, run: Run, updates: Sequence[FindingUpdate], before: Sequence[Item | None]) -> None:
        """Store the new states of earlier findings about which a person decided since they were read.

        `before` are the items as they were where that kept an update from being stored. The decision is kept.
        """
        decided = []
        for each, item in zip(updates, before, strict=True):
            if item is not None and item.get("seen_by") != run.id:
                theirs = known_finding(item)
                known = replace(each.known, **{name: getattr(theirs, name) for name in _DECIDED if name in item})
                decided.append(self._seen(run, known, "decided meanwhile", Condition("seen_by <> :seen_by")))
        self._write_each(decided)

    def _updated(self, run: Run, update: FindingUpdate) -> Item:
        before = update.before.decided
        as_read = "attribute_not_exists(decided)" if before is None else "decided = :as_read"
        given = {} if before is None else {"as_read": before}
        condition = Condition(f"{_FIRST} AND {as_read}", given)
        return self._seen(run, update.known, update.why or update.transition, condition)

    def _seen(self, run: Run, known: KnownFinding, why: str, condition: Condition) -> Item:
        """The update that stores the state of a finding after a run; the condition lets each run do so once."""
        seen = {"run": run.id, "head": run.head, "at": self._now(), "status": known.status, "why": why}
        attributes = stored(known)
        return update(
            self._key(f"FINDING#{known.id}"),
            {
                "seen_by": run.id,
                **{name: value for name, value in attributes.items() if value is not None},
                "history": with_entry(seen),
            },
            removes=[name for name, value in attributes.items() if value is None],
            when=condition,
        )

    def _running(self, run_id: str, sets: Item) -> Item:
        """The update of a run that is under way, by which it may end."""
        return update(self._key(f"RUN#{run_id}"), {"status": "running", **sets}, when=_UNDER_WAY)

    def _state(self, owner: str, sets: Item, *, removes: Sequence[str] = (), only: str = "") -> Item:
        """The update of the state by who has the lease."""
        ours = held_by(owner)
        condition = ours._replace(text=f"{ours.text} AND {only}") if only else ours
        return update(self._key(self._STATE), sets, removes=removes, when=condition)


def _answer(item: Item) -> JsonObject | None:
    return cast(JsonObject, json.loads(unpacked(item["answer"]))) if item else None


def _read_spending(items: Iterable[Item]) -> Spending:
    """The spending, from the items in the order of `Spending`; one that is not there is empty."""
    return Spending(*(float(item.get("spent", 0)) / MICRO for item in items))
