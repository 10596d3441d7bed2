"""The conversation's part of the ledger: turns and their limits, what people decided, what was told once.

What is done about a comment is done once: a record under its key says so, and counts it.
"""

import json
from collections.abc import Sequence

from boto3.dynamodb.conditions import Attr
from pydantic import ValidationError

from kodiai.core.conversation.decision import PersonDecision, ReachedLimit, TurnLimits
from kodiai.core.findings.known import KnownFinding, Past
from kodiai.core.json_object import JsonObject
from kodiai.core.review.run import UnreadableFindings
from kodiai.edges.dynamodb import LostRace, translated
from kodiai.edges.ledger_finding import history, known_finding
from kodiai.edges.ledger_table import MICRO, Item, PullRequestItems, packed

_MINUTE_MS = 60_000
_ROOM = "(attribute_not_exists(spent) OR spent <= :room)"
_HISTORY = "history = list_append(if_not_exists(history, :none), :seen)"
_OVER: tuple[ReachedLimit, ...] = ("turns", "month's budget", "pace")


class DynamoConversationStore(PullRequestItems):
    """The conversation of one pull request."""

    def claim(self, key: str, owner: str, until: float) -> bool:
        """Take what was said for one try until then; False where everything that follows from it was done before.

        Raises Retry while another try holds it, with the seconds that it still may.
        """
        try:
            unserved = Attr("served").not_exists()
            self._take(f"SAID#{key}", owner, until, "another try is at it", only=unserved, **self._expiry())
        except LostRace:
            return False
        return True

    def release(self, key: str, owner: str) -> None:
        """Let go of what was said, if it is still held by this try."""
        self._let_go(f"SAID#{key}", owner)

    def begin(self, key: str, thread: str, limits: TurnLimits) -> ReachedLimit | None:
        """Count a turn, and set aside what it may cost, in one write: all or nothing.

        Of two answers in a thread a minute, the one before the last is more than a minute old.
        """
        reserve = round(limits.reserve_usd * MICRO)
        if limits.turns < 1:
            return "turns"
        if _left(limits.pull_request_usd, reserve) < 0:
            return "pull request's budget"
        if _left(limits.month_usd, reserve) < 0:
            return "month's budget"
        month = self._month_key()
        begun: Item = {
            "Key": self._key(f"SAID#{key}"),
            "UpdateExpression": "SET begun = :at, reserved = :reserve, of_month = :of_month, expires_at = :expiry",
            "ConditionExpression": "attribute_not_exists(begun)",
            "ExpressionAttributeValues": {
                ":at": self._now(),
                ":reserve": reserve,
                ":of_month": month["sk"],
                ":expiry": self._expiry()["expires_at"],
            },
        }
        writes = [
            {"Update": begun},
            self._counted(limits, reserve),
            self._spent(month, limits.month_usd, reserve),
            self._paced(thread),
        ]
        try:
            self._transact(writes)
        except LostRace as lost:
            if 0 in lost.lost:
                return None  # an earlier try has counted it
            over = _OVER[min(lost.lost) - 1]
            return "pull request's budget" if over == "turns" and self._turns() < limits.turns else over
        return None

    def finish(self, key: str, facts: JsonObject) -> None:
        """Write down that it is done; what was set aside is freed in the same write, once."""
        said = self._get(f"SAID#{key}")
        if said.get("served"):
            return
        record = {
            "UpdateExpression": "SET served = :at, facts = :facts, expires_at = :until"
            " REMOVE reserved, lease_owner, lease_until",
            "ConditionExpression": "attribute_not_exists(served)",
            "ExpressionAttributeValues": {
                ":at": self._now(),
                ":facts": packed(json.dumps(facts).encode()),
                ":until": self._expiry()["expires_at"],
            },
        }
        writes: list[Item] = [{"Update": {"Key": self._key(f"SAID#{key}"), **record}}]
        reserved = int(said.get("reserved", 0))
        if reserved:
            month = {**self._month_key(), "sk": said["of_month"]}
            writes += [self._add_write(place, "spent", -reserved) for place in (self._key("STATE"), month)]
        try:
            self._transact(writes)
        except LostRace:
            return

    def tells(self, what: str, key: str) -> bool:
        """Whether it is this comment that gets to be told: the first one that asks, whenever it asks again."""
        try:
            with translated():
                self._table.update_item(
                    Key=self._key(f"TOLD#{what}"),
                    UpdateExpression="SET told = :key, expires_at = :until",
                    ConditionExpression="attribute_not_exists(told) OR told = :key",
                    ExpressionAttributeValues={":key": key, ":until": self._expiry()["expires_at"]},
                )
        except LostRace:
            return False
        return True

    def finding_at(self, comment_id: str) -> tuple[KnownFinding, tuple[Past, ...]] | None:
        """The finding that a comment of ours is about, with its history. Raises UnreadableFindings."""
        pointer = self._get(f"COMMENT#{comment_id}")
        item = self._get(f"FINDING#{pointer['finding']}") if pointer else {}
        if not item:
            return None
        try:
            return known_finding(item), history(item)
        except (ValidationError, KeyError) as error:
            raise UnreadableFindings("the finding cannot be read") from error

    def decide(self, finding_id: str, decision: PersonDecision) -> bool:
        """Change an open finding, once for each comment; one that stands like that already is as it was decided."""
        if decision.status is None:
            sets, values = ["argued = :yes"], Item({":yes": True})
        else:
            sets = ["#status = :status", "settled_by = :by"]
            values = {":status": decision.status, ":by": decision.by}
        if decision.resolved_thread:
            sets.append("resolved_thread = :resolved")
            values[":resolved"] = True
        condition = "#status = :open AND (attribute_not_exists(decided) OR decided <> :key)"
        lost = self._write_decision(finding_id, decision, sets, values, condition=condition)
        return lost is None or lost.get("decided") == decision.key or lost.get("status") == decision.status

    def reopen(self, finding_id: str, decision: PersonDecision) -> bool:
        """Open a closed finding again, once for each comment; one that this comment has opened already is."""
        lost = self._write_decision(
            finding_id,
            decision,
            ["#status = :open"],
            {},
            removes=" REMOVE settled_by, evidence, resolved_thread, argued",
            condition="attribute_exists(pk) AND #status <> :open",
        )
        return lost is None or lost.get("decided") == decision.key

    def _write_decision(
        self,
        finding_id: str,
        decision: PersonDecision,
        sets: Sequence[str],
        values: Item,
        *,
        condition: str,
        removes: str = "",
    ) -> JsonObject | None:
        """Write a decision into a finding and its history; the finding as it is where the condition does not hold."""
        at, status = self._now(), decision.status or "open"
        seen = {"run": decision.key, "head": decision.head, "at": at, "status": status, "why": decision.why}
        sets = [*sets, "decided = :key", "decided_at = :at", _HISTORY]
        values = {**values, ":key": decision.key, ":at": at, ":none": [], ":seen": [seen], ":open": "open"}
        if decision.reply is not None:
            sets.append("heard = :reply")
            values[":reply"] = decision.reply
        try:
            with translated():
                self._table.update_item(
                    Key=self._key(f"FINDING#{finding_id}"),
                    UpdateExpression=f"SET {', '.join(sets)}{removes}",
                    ConditionExpression=condition,
                    ExpressionAttributeNames={"#status": "status"},
                    ExpressionAttributeValues=values,
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                )
        except LostRace as lost:
            return lost.item
        return None

    def paused_by(self) -> str | None:
        """Read who paused the reviews, None where nobody did."""
        by: str | None = self._get("STATE").get("paused_by")
        return by

    def pause(self, by: str | None) -> None:
        """Note who paused the reviews, or that they go on."""
        change: Item = {"UpdateExpression": "REMOVE paused_by"}
        if by is not None:
            change = {"UpdateExpression": "SET paused_by = :by", "ExpressionAttributeValues": {":by": by}}
        with translated():
            self._table.update_item(Key=self._key("STATE"), **change)

    def _turns(self) -> int:
        return int(self._get("STATE").get("turns", 0))

    def _counted(self, limits: TurnLimits, reserve: int) -> Item:
        """One more turn, and money set aside, if there is room for both."""
        values: Item = {":one": 1, ":reserve": reserve, ":turns": limits.turns}
        condition = "(attribute_not_exists(turns) OR turns < :turns)"
        if limits.pull_request_usd is not None:
            condition += f" AND {_ROOM}"
            values[":room"] = _left(limits.pull_request_usd, reserve)
        return {
            "Update": {
                "Key": self._key("STATE"),
                "UpdateExpression": "ADD turns :one, spent :reserve",
                "ConditionExpression": condition,
                "ExpressionAttributeValues": values,
            }
        }

    def _spent(self, key: Item, limit: float | None, reserve: int) -> Item:
        write = self._add_write(key, "spent", reserve)
        if limit is not None:
            write["Update"]["ConditionExpression"] = _ROOM
            write["Update"]["ExpressionAttributeValues"][":room"] = _left(limit, reserve)
        return write

    def _paced(self, thread: str) -> Item:
        now = int(self._clock.now() * 1000)
        return {
            "Update": {
                "Key": self._key(f"THREAD#{thread}"),
                "UpdateExpression": "SET before_last = if_not_exists(last_at, :never), last_at = :now,"
                " expires_at = :until",
                "ConditionExpression": "attribute_not_exists(before_last) OR before_last <= :minute_ago",
                "ExpressionAttributeValues": {
                    ":never": 0,
                    ":now": now,
                    ":minute_ago": now - _MINUTE_MS,
                    ":until": self._expiry()["expires_at"],
                },
            }
        }


def _left(limit: float | None, reserve: int) -> int:
    """What may have been spent before, in millionths of a US dollar; without a limit whatever it was."""
    return 0 if limit is None else round(limit * MICRO) - reserve
