"""The items of a pull request and of a repository in the table: their keys, and how they are read and written.

Errors and conditions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, cast

from boto3.dynamodb.conditions import ConditionBase, Key
from boto3.dynamodb.types import TypeDeserializer
from botocore.exceptions import ClientError

from kodiai.core.errors import Retry
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.aws import batches, translated
from kodiai.edges.ledger_items import Item
from kodiai.ports.jobs import Clock

MICRO = 1_000_000
"""Money is kept in millionths of a US dollar, whole numbers that can be added atomically."""

RETENTION_DAYS = 400
"""The time that most items are kept after they were last written or renewed; a deployment may say otherwise."""

SHORT_SECONDS = 90 * 86_400
"""The time that items which only serve a review or an answer are kept: all others are kept for longer."""

# A transaction takes 100 items, and 4 MB of them.
_MOST_AT_ONCE = 50
_DAY_SECONDS = 86_400
# The kinds of items that are kept for less time, by the beginning of their sort keys.
_KEPT_SECONDS = {
    **dict.fromkeys(("ANSWER", "PREVIEW", "SWEPT"), 7 * _DAY_SECONDS),
    **dict.fromkeys(("STAGED", "SNAPSHOT", "UNPOSTED", "SAID", "THREAD", "TOLD"), SHORT_SECONDS),
}
_RENEWED_AFTER = 4
"""Items are renewed when a quarter of their time is over, so each is kept for three quarters after the last run."""
_MOST_RENEWED = 500

ENTRY = "REPO#"
"""The sort key, before the repository's id, of a repository's entry among the items of its owner."""

_DAY_KEPT_SECONDS = 3 * 86_400
_CONFLICT_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8)
FREE = "(attribute_not_exists(lease_owner) OR lease_until < :now OR lease_owner = :lease_owner)"
LEASE = ("lease_owner", "lease_until")


class Condition(NamedTuple):
    """The condition of a write in DynamoDB's words, with the values that it names; one with an OR is in parentheses.

    An item that has expired counts as none, unless it is `also_expired`: what is written as a whole replaces it.
    """

    text: str = ""
    given: Mapping[str, Any] = {}
    also_expired: bool = False


LIVE = Condition()
NEW = Condition("attribute_not_exists(pk)")
STORED = Condition("attribute_exists(pk)")
REPLACING = Condition(also_expired=True)
"""Whatever is there, expired or not."""


def held_by(owner: str) -> Condition:
    """The lease of an item is still somebody's."""
    return Condition("lease_owner = :owner", {"owner": owner})


class Computed(NamedTuple):
    """The value of an attribute that DynamoDB computes, with the values that the expression names."""

    expression: str
    given: Mapping[str, Any]


def with_entry(entry: Mapping[str, Any]) -> Computed:
    """The history of a finding with another entry."""
    return Computed("list_append(if_not_exists(history, :none), :seen)", {"none": [], "seen": [entry]})


class LostRace(Retry):
    """A condition did not hold: somebody else wrote first. `item` is what was there, where DynamoDB returns it.

    `lost` are the writes of a transaction whose conditions did not hold, from 0.
    """

    def __init__(self, item: Item, lost: Sequence[int] = ()) -> None:
        super().__init__("somebody else wrote first", after_seconds=1)
        self.item = item
        self.lost = lost


class Conflict(Retry):
    """Another transaction was writing the same item at this moment."""


@contextmanager
def asking() -> Iterator[None]:
    """Ask DynamoDB. Raises LostRace, Conflict or another Retry, else Broken.

    Codes: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
    """
    with translated("The table cannot be used", "DynamoDB", with_message=True):
        try:
            yield
        except ClientError as error:
            answer = cast(Mapping[str, Any], error.response)
            reasons = [reason.get("Code") for reason in answer.get("CancellationReasons", ())]
            lost = [at for at, reason in enumerate(reasons) if reason == "ConditionalCheckFailed"]
            if lost or answer["Error"]["Code"] == "ConditionalCheckFailedException":
                item = TypeDeserializer().deserialize({"M": answer.get("Item", {})})
                raise LostRace(item, lost) from error
            if "TransactionConflict" in reasons:
                raise Conflict("DynamoDB is busy: TransactionConflict") from error
            raise


def update(
    key: Item,
    sets: Mapping[str, Any],
    *,
    adds: Mapping[str, int | set[str]] = {},
    drops: Mapping[str, set[str]] = {},
    removes: Sequence[str] = (),
    when: Condition = LIVE,
) -> Item:
    """Describe the update of an item: what is set, added, dropped from sets, and removed, where a condition holds.

    `LedgerItems` adds the time until which the item is kept, unless that is set, and the time for the condition that
    it has not expired. An attribute whose name DynamoDB reserves is written "#status".
    """
    computed = {name: value for name, value in sets.items() if isinstance(value, Computed)}
    plain = {"expires_at": None, **{name: value for name, value in sets.items() if name not in computed}}
    live = [] if when.also_expired else ["(attribute_not_exists(expires_at) OR expires_at > :read_at)"]
    only = " AND ".join([*filter(None, [when.text]), *live])
    actions = {
        "SET": [
            *(f"#{name} = :{name}" for name in plain),
            *(f"#{name} = {value.expression}" for name, value in computed.items()),
        ],
        "ADD": [f"#{name} :{name}" for name in adds],
        "DELETE": [f"#{name} :{name}" for name in drops],
        "REMOVE": [f"#{name}" for name in removes],
    }
    expression = " ".join(f"{action} {', '.join(parts)}" for action, parts in actions.items() if parts)
    values = {**plain, **adds, **drops, **({} if when.also_expired else {"read_at": None}), **when.given}
    for value in computed.values():
        values |= value.given
    names = {f"#{name}": name for name in re.findall(r"#(\w+)", f"{expression} {only}")}
    return {
        "Key": key,
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": {f":{name}": value for name, value in values.items()},
        **({"ConditionExpression": only} if only else {}),
    }


def entry(repository: RepositoryRef, now: int) -> Item:
    """The update of a repository's entry among the items of its owner, which says that the repository has items.

    Deletion finds repositories by it, also those that no longer exist, and operators find them by their names.
    """
    key = {"pk": f"OWNER#{repository.owner_id}", "sk": f"{ENTRY}{repository.id}"}
    renewed = Computed("if_not_exists(renewed, :seen)", {})
    return update(key, {"repository": repository.name, "seen": now, "renewed": renewed}, when=REPLACING)


class LedgerItems:
    """The items under one partition key. Each expires; what has expired is not there, also before DynamoDB deletes it.

    `retention_days` is how long most of them are kept after they were last written or renewed.
    """

    def __init__(self, table: Any, pk: str, clock: Clock, *, retention_days: int = RETENTION_DAYS) -> None:
        self._table = table
        self._pk = pk
        self._clock = clock
        self._retention_seconds = retention_days * _DAY_SECONDS

    def _now(self) -> int:
        return int(self._clock.now())

    def _expiry(self, key: Item) -> int:
        """Until when an item is kept that is written now, in seconds since the epoch.

        An entry is kept a day longer than what it leads to, which is written after it.
        """
        kind = key["sk"].partition("#")[0]
        more = _DAY_SECONDS if key["pk"].startswith("OWNER#") and kind == "REPO" else 0
        return self._now() + _KEPT_SECONDS.get(kind, self._retention_seconds) + more

    def _key(self, sort: str) -> Item:
        return {"pk": self._pk, "sk": sort}

    def _get(self, sort: str) -> Item:
        """Read an item, an empty one where there is none or it has expired."""
        return self._read(self._key(sort))

    def _read(self, key: Item) -> Item:
        with asking():
            item: Item = self._table.get_item(Key=key, ConsistentRead=True).get("Item", {})
        return {} if self._has_expired(item) else item

    def _read_all(self, keys: Sequence[Item], **only: Any) -> list[Item]:
        """Read up to 100 items, in this order, an empty one where there is none or it has expired.

        `only` names the attributes that are read, in DynamoDB's words; `expires_at` has to be one of them.
        """
        wanted: Mapping[str, Any] = {self._table.name: {"Keys": keys, "ConsistentRead": True, **only}}
        found: dict[tuple[str, str], Item] = {}
        while wanted:
            with asking():
                answer = self._table.meta.client.batch_get_item(RequestItems=wanted)
            found |= {
                (item["pk"], item["sk"]): item
                for item in answer["Responses"].get(self._table.name, ())
                if not self._has_expired(item)
            }
            wanted = answer.get("UnprocessedKeys", {})
        return [found.get((key["pk"], key["sk"]), {}) for key in keys]

    def _has_expired(self, item: Item) -> bool:
        return bool(item.get("expires_at", self._now() + 1) <= self._now())

    def _put(self, *items: Item) -> None:
        """Put items, each for itself, up to 25 with a request; what a busy table leaves out is sent again."""
        with asking(), self._table.batch_writer() as batch:
            for item in items:
                batch.put_item(Item={"expires_at": self._expiry(item), **item})

    def _delete(self, key: Item) -> None:
        with asking():
            self._table.delete_item(Key=key)

    def _write(self, change: Item) -> Item:
        """Write one update, and return the item as it is then. Raises LostRace, with the item as it was."""
        try:
            return self._update(change)
        except LostRace:
            if not self._make_room(change):
                raise
            return self._update(change)

    def _update(self, change: Item) -> Item:
        with asking():
            answer = self._table.update_item(
                **self._filled(change), ReturnValues="ALL_NEW", ReturnValuesOnConditionCheckFailure="ALL_OLD"
            )
        item: Item = answer["Attributes"]
        return item

    def _write_each(self, changes: Sequence[Item]) -> list[Item | None]:
        """Write updates, each for itself, though many with one request: one by one they take most of a review's CPU.

        Gives for each the item as it was where its condition did not hold, so that it was not written; else None.
        """
        lost: list[Item | None] = []
        for some in batches(changes, _MOST_AT_ONCE):
            try:
                self._transact_once(some)
            except (LostRace, Conflict):
                lost += map(self._lost, some)
            else:
                lost += [None] * len(some)
        return lost

    def _lost(self, change: Item) -> Item | None:
        try:
            self._write(change)
        except LostRace as lost:
            return lost.item
        return None

    def _filled(self, change: Item) -> Item:
        """An update with until when its item is kept, and when it is written."""
        given = change["ExpressionAttributeValues"]
        times = {":expires_at": self._expiry(change["Key"]), ":read_at": self._now()}
        blanks = {name: time for name, time in times.items() if name in given and given[name] is None}
        return {**change, "ExpressionAttributeValues": {**given, **blanks}}

    def _make_room(self, change: Item) -> bool:
        """Delete an item that has expired and is in the way: nothing of it is to come back. Says whether there was one.

        What replaces an item needs no room.
        """
        key = change["Key"]
        if ":read_at" not in change["ExpressionAttributeValues"]:
            return False
        with asking():
            item = self._table.get_item(Key=key, ConsistentRead=True).get("Item", {})
        if not self._has_expired(item):
            return False
        with suppress(LostRace), asking():
            as_read = {":expires_at": item["expires_at"]}
            self._table.delete_item(
                Key=key, ConditionExpression="expires_at = :expires_at", ExpressionAttributeValues=as_read
            )
        return True

    def _items(self, prefix: str = "", *, pk: str | None = None) -> list[Item]:
        """Read every item below a prefix, in order, page by page, without those that have expired.

        They are under the partition key `pk`, if it is not the usual one.
        """
        condition: ConditionBase = Key("pk").eq(pk or self._pk)
        if prefix:  # DynamoDB takes no empty one
            condition &= Key("sk").begins_with(prefix)
        items: list[Item] = []
        start: Item = {}
        while True:
            with asking():
                page = self._table.query(KeyConditionExpression=condition, ConsistentRead=True, **start)
            items += [item for item in page["Items"] if not self._has_expired(item)]
            if "LastEvaluatedKey" not in page:
                return items
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def newest(self, prefix: str, most: int = 1) -> list[Item]:
        """Read the last items below a prefix, the last one first, without those that have expired."""
        return [item for item in self._last_page(prefix, Limit=most)["Items"] if not self._has_expired(item)]

    def _last_page(self, prefix: str, **more: Any) -> Item:
        """Read the last items below a prefix, at most a megabyte, the last one first."""
        condition = Key("pk").eq(self._pk) & Key("sk").begins_with(prefix)
        with asking():
            page: Item = self._table.query(KeyConditionExpression=condition, ScanIndexForward=False, **more)
        return page

    def _transact(self, changes: Sequence[Item]) -> None:
        """Make all updates or none; a conflict with another pull request of the owner is short."""
        try:
            self._transact_once(changes)
        except LostRace as lost:
            made = [self._make_room(changes[at]) for at in lost.lost]
            if not any(made):
                raise
            self._transact_once(changes)

    def _transact_once(self, changes: Sequence[Item]) -> None:
        table = {"TableName": self._table.name}
        writes = [{"Update": {**self._filled(change), **table}} for change in changes]
        for wait in (*_CONFLICT_WAITS, None):
            try:
                with asking():
                    self._table.meta.client.transact_write_items(TransactItems=writes)
            except Conflict:
                if wait is None:
                    raise
                time.sleep(wait)
            else:
                return


class PullRequestItems(LedgerItems):
    """The items of one pull request, and of its repository's months."""

    def __init__(
        self,
        table: Any,
        repository: RepositoryRef,
        number: int,
        clock: Clock,
        *,
        retention_days: int = RETENTION_DAYS,
    ) -> None:
        super().__init__(table, f"PR#{repository.id}#{number}", clock, retention_days=retention_days)
        self._repository = repository

    def _take(
        self, sort: str, owner: str, until: float, held: str, *, only: str = "", more: Mapping[str, Any] = {}
    ) -> Item:
        """Take the lease of an item until then, where `only` holds, set what is `more`, and return the item.

        Raises Retry with the text `held` while somebody else holds it, after the seconds that it still has, and
        LostRace where `only` does not hold.
        """
        known = self._write(entry(self._repository, self._now()))
        self._renew(f"REPO#{self._repository.id}", ("RULE", "REMEMBERED#"), known)
        now = self._clock.now()
        lease = {"lease_owner": owner, "lease_until": int(until), **more}
        is_free = Condition(f"{only} AND {FREE}" if only else FREE, {"now": int(now)})
        try:
            return self._write(update(self._key(sort), lease, when=is_free))
        except LostRace as lost:
            if only and "lease_until" not in lost.item:
                raise
            left = int(lost.item.get("lease_until", int(now))) - now
            raise Retry(held, after_seconds=max(left, 1)) from lost

    def _renew(self, pk: str, prefixes: Sequence[str], since: Item) -> None:
        """Keep items for as long as if they were written now, if that was done a quarter of their time ago.

        `since` is the item that says when it was done last. Some hundred are renewed at a time, so that a run has
        little to do; the next one renews the rest. A run writes nothing otherwise.
        """
        now, quarter = self._now(), self._retention_seconds // _RENEWED_AFTER
        if int(since.get("renewed", now)) > now - quarter:
            return
        items = [item for prefix in prefixes for item in self._items(prefix, pk=pk)]
        late = now + self._retention_seconds - quarter
        due = [item for item in items if "removed_by" not in item and item.get("expires_at", 0) <= late]
        for item in due[:_MOST_RENEWED]:
            with suppress(LostRace):  # it was deleted meanwhile
                key = {"pk": item["pk"], "sk": item["sk"]}
                self._write(update(key, {}, when=STORED))
        if len(due) <= _MOST_RENEWED:
            self._write(update({"pk": since["pk"], "sk": since["sk"]}, {"renewed": now}, when=STORED))

    def _let_go(self, sort: str, owner: str) -> None:
        """Give the lease of an item back if it is still ours."""
        with suppress(LostRace):
            self._write(update(self._key(sort), {}, removes=LEASE, when=held_by(owner)))

    def _month_key(self) -> Item:
        month = datetime.fromtimestamp(self._now(), UTC)
        return {"pk": f"REPO#{self._repository.id}", "sk": f"MONTH#{month:%Y-%m}"}

    def _spending(self, cost_usd: float) -> list[Item]:
        """The updates that count a cost: of the pull request, of its repository's day and month, of its owner's month.

        The owner's items outlive the repository's: an App that is installed again must not begin at nothing.
        """
        micro = {"spent": round(cost_usd * MICRO)}
        state, day, month, owner = self._spending_keys()
        return [
            update(state, {}, adds=micro),
            update(day, {"expires_at": self._now() + _DAY_KEPT_SECONDS}, adds=micro),
            update(month, {}, adds=micro),
            update(owner, {"expires_at": self._now() + SHORT_SECONDS}, adds=micro),
        ]

    def _spending_keys(self) -> list[Item]:
        """The keys of what counts a cost, in the order of `Spending`."""
        owner, repository = self._repository.owner_id, self._repository.id
        at = datetime.fromtimestamp(self._now(), UTC)
        return [
            self._key("STATE"),
            {"pk": f"OWNER#{owner}", "sk": f"DAY#{at:%Y-%m-%d}#{repository}"},
            self._month_key(),
            {"pk": f"OWNER#{owner}", "sk": f"MONTH#{at:%Y-%m}"},
        ]
