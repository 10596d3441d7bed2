"""The conversations in DynamoDB: turns and their limits, people's decisions, what is posted once.

A comment is answered and counted once: the item under its key says so.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict

from pydantic import ValidationError

from kodiai.core.conversation.decision import Counted, PersonDecision, ReachedLimit
from kodiai.core.findings.known import HistoryEntry, KnownFinding
from kodiai.core.gate.gate import PASSING
from kodiai.core.gate.standing import OpenedGate
from kodiai.core.json_object import JsonObject
from kodiai.core.review.run import UnreadableFindings
from kodiai.edges.gate_store import member
from kodiai.edges.ledger_items import Item, history, known_finding, packed
from kodiai.edges.ledger_table import Computed, Condition, LostRace, PullRequestItems, update, with_entry

_MINUTE_MS = 60_000
_UNSERVED = "attribute_not_exists(served)"
_OF_A_DECISION = ("settled_by", "evidence", "resolved_thread", "argued", "reason")
_OVER: tuple[ReachedLimit, ...] = ("turns", "pace")


class DynamoConversationStore(PullRequestItems):
    """The port `ConversationStore`, for one pull request."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        try:
            self._take(f"SAID#{key}", owner, until, "another try holds this comment", only=_UNSERVED)
        except LostRace:
            return False
        return True

    def release(self, key: str, owner: str) -> None:
        self._let_go(f"SAID#{key}", owner)

    def begin(self, key: str, thread: str, most: int, counted: Counted = "turns") -> ReachedLimit | None:
        """Count in one write, all or nothing.

        A thread has at most two of them a minute: the one before the last is more than a minute old.
        """
        if most < 1:
            return "turns"
        begun, place = ("begun", thread) if counted == "turns" else (counted, f"{counted}-{thread}")
        room = f"(attribute_not_exists({counted}) OR {counted} < :most)"
        writes = [
            update(self._key(f"SAID#{key}"), {begun: self._now()}, when=Condition(f"attribute_not_exists({begun})")),
            update(self._key("STATE"), {}, adds={counted: 1}, when=Condition(room, {"most": most})),
            self._paced(place),
        ]
        try:
            self._transact(writes)
        except LostRace as lost:
            # An earlier try has counted it where the first condition did not hold.
            return None if 0 in lost.lost else _OVER[min(lost.lost) - 1]
        return None

    def finish(self, key: str, facts: JsonObject) -> None:
        done = {"served": self._now(), "facts": packed(json.dumps(facts).encode())}
        held = ("lease_owner", "lease_until")
        with suppress(LostRace):
            self._write(update(self._key(f"SAID#{key}"), done, removes=held, when=Condition(_UNSERVED)))

    def is_first_to_post(self, what: str, key: str, most: int = 1) -> bool:
        """A comment that asks again gets the same answer. An older release noted the first one as `told`."""
        only = (
            "attribute_not_exists(told)"
            " AND (attribute_not_exists(posted) OR contains(posted, :key) OR size(posted) < :most)"
        )
        has_room = Condition(only, {"key": key, "most": most})
        try:
            self._write(update(self._key(f"TOLD#{what}"), {}, adds={"posted": {key}}, when=has_room))
        except LostRace:
            return False
        return True

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[HistoryEntry, ...]] | None:
        pointer = self._get(f"COMMENT#{comment_id}")
        item = self._get(f"FINDING#{pointer['finding']}") if pointer else {}
        if not item:
            return None
        try:
            return known_finding(item), history(item)
        except (ValidationError, KeyError) as error:
            raise UnreadableFindings("the finding cannot be read") from error

    def decide(self, finding_id: str, decision: PersonDecision) -> bool:
        sets: Item = {"argued": True} if decision.status is None else {"settled_by": decision.by}
        if decision.resolved_thread:
            sets["resolved_thread"] = True
        if decision.reason is not None:
            sets["reason"] = decision.reason
        only = "#status = :open AND (attribute_not_exists(decided) OR decided <> :decided)"
        lost = self._write_decision(finding_id, decision, sets, only)
        return lost is None or lost.get("decided") == decision.key or lost.get("status") == decision.status

    def reopen(self, finding_id: str, decision: PersonDecision) -> bool:
        only = "attribute_exists(pk) AND #status <> :open"
        lost = self._write_decision(finding_id, decision, {}, only, removes=_OF_A_DECISION)
        return lost is None or lost.get("decided") == decision.key

    def _write_decision(
        self, finding_id: str, decision: PersonDecision, sets: Item, only: str, *, removes: Sequence[str] = ()
    ) -> JsonObject | None:
        """Store a decision in a finding and its history; returns the item where the condition does not hold."""
        at, status = self._now(), decision.status or "open"
        seen = {"run": decision.key, "head": decision.head, "at": at, "status": status, "why": decision.why}
        sets |= {"status": status, "decided": decision.key, "decided_at": at}
        if decision.reply is not None:
            sets["heard"] = decision.reply
        sets |= {"history": with_entry(seen)}
        condition = Condition(only, {"open": "open"})
        try:
            self._write(update(self._key(f"FINDING#{finding_id}"), sets, removes=removes, when=condition))
        except LostRace as lost:
            return lost.item
        return None

    def is_under_review(self) -> bool:
        return "running" in self._get("STATE")

    def paused_by(self) -> str | None:
        by: str | None = self._get("STATE").get("paused_by")
        return by

    def pause(self, by: str | None) -> None:
        sets, removes = ({}, ["paused_by"]) if by is None else ({"paused_by": by}, [])
        self._write(update(self._key("STATE"), sets, removes=removes))

    def open_gate(self, opened: OpenedGate) -> bool:
        state = self._get("STATE")
        known, stored = member(state), asdict(opened)
        shown = known.standing_at(opened.head)
        blocks = known.is_under_review or (shown is not None and shown.conclusion not in PASSING)
        if blocks:
            self._write(update(self._key("STATE"), {"opened": stored}))
        return blocks or state.get("opened") == stored  # an earlier try of the same comment

    def _paced(self, thread: str) -> Item:
        now = int(self._clock.now() * 1000)
        return update(
            self._key(f"THREAD#{thread}"),
            {"last_at": now, "before_last": Computed("if_not_exists(last_at, :never)", {"never": 0})},
            when=Condition(
                "(attribute_not_exists(before_last) OR before_last <= :minute_ago)", {"minute_ago": now - _MINUTE_MS}
            ),
        )
