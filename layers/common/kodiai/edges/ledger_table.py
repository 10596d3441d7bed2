"""The items of a pull request and of a repository in the table: their keys, and how they are read and written.

Errors and conditions: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, cast

from boto3.dynamodb.conditions import ConditionBase, Key
from boto3.dynamodb.types import TypeDeserializer
from botocore.exceptions import ClientError

from kodiai.core.errors import Retry
from kodiai.core.events.job import RepositoryRef
from kodiai.edges.aws import translated
from kodiai.edges.ledger_items import Item
from kodiai.ports import Clock

MICRO = 1_000_000
"""Money is kept in millionths of a US dollar, whole numbers that can be added atomically."""

HISTORY = "history = list_append(if_not_exists(history, :none), :seen)"
"""Adds an entry to the history of a finding."""

RETENTION_SECONDS = 90 * 86_400
"""How long everything is kept that is not kept for good."""

ENTRY = "REPO#"
"""The sort key, before the repository's id, of a repository's entry among the items of its owner."""

_DAY_KEPT_SECONDS = 3 * 86_400
_CONFLICT_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8)
_FREE = "(attribute_not_exists(lease_owner) OR lease_until < :now OR lease_owner = :lease_owner)"


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
    computed: str = "",
    adds: Mapping[str, int] = {},
    removes: Sequence[str] = (),
    only: str = "",
    given: Mapping[str, Any] = {},
) -> Item:
    """Describe the update of an item: what is set, added to and removed, `only` where a condition holds.

    `computed` are further assignments, `given` the values that these and the condition need besides those that are set
    or added. An attribute whose name DynamoDB reserves is written "#status".
    """
    actions = {
        "SET": [*(f"#{name} = :{name}" for name in sets), *filter(None, [computed])],
        "ADD": [f"#{name} :{name}" for name in adds],
        "REMOVE": [f"#{name}" for name in removes],
    }
    expression = " ".join(f"{action} {', '.join(parts)}" for action, parts in actions.items() if parts)
    values = {f":{name}": value for name, value in {**sets, **adds, **given}.items()}
    names = {f"#{name}": name for name in re.findall(r"#(\w+)", f"{expression} {only}")}
    return {
        "Key": key,
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        **({"ExpressionAttributeValues": values} if values else {}),
        **({"ConditionExpression": only} if only else {}),
    }


def entry(repository: RepositoryRef, now: int) -> Item:
    """The update of a repository's entry among the items of its owner, which says that the repository has items.

    Deletion finds repositories by it, also those that no longer exist, and operators find them by their names.
    """
    key = {"pk": f"OWNER#{repository.owner_id}", "sk": f"{ENTRY}{repository.id}"}
    return update(key, {"repository": repository.name, "seen": now})


class LedgerItems:
    """The items under one partition key."""

    def __init__(self, table: Any, pk: str, clock: Clock) -> None:
        self._table = table
        self._pk = pk
        self._clock = clock

    def _now(self) -> int:
        return int(self._clock.now())

    def _expiry(self) -> Item:
        return {"expires_at": self._now() + RETENTION_SECONDS}

    def _key(self, sort: str) -> Item:
        return {"pk": self._pk, "sk": sort}

    def _get(self, sort: str) -> Item:
        """Read an item, an empty one where there is none."""
        return self._read(self._key(sort))

    def _read(self, key: Item) -> Item:
        with asking():
            item: Item = self._table.get_item(Key=key, ConsistentRead=True).get("Item", {})
        return item

    def _put(self, item: Item) -> None:
        with asking():
            self._table.put_item(Item=item)

    def _delete(self, key: Item) -> None:
        with asking():
            self._table.delete_item(Key=key)

    def _write(self, change: Item) -> Item:
        """Write one update, and return the item as it is then. Raises LostRace, with the item as it was."""
        with asking():
            answer = self._table.update_item(
                **change, ReturnValues="ALL_NEW", ReturnValuesOnConditionCheckFailure="ALL_OLD"
            )
        item: Item = answer["Attributes"]
        return item

    def _items(self, prefix: str = "", *, pk: str | None = None) -> list[Item]:
        """Read every item below a prefix, in order, page by page, without those that have expired.

        They are under the partition key `pk`, if it is not the usual one.
        """
        condition: ConditionBase = Key("pk").eq(pk or self._pk)
        if prefix:  # DynamoDB takes no empty one
            condition &= Key("sk").begins_with(prefix)
        now = self._now()
        items: list[Item] = []
        start: Item = {}
        while True:
            with asking():
                page = self._table.query(KeyConditionExpression=condition, ConsistentRead=True, **start)
            items += [item for item in page["Items"] if item.get("expires_at", now + 1) > now]
            if "LastEvaluatedKey" not in page:
                return items
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def _transact(self, changes: Sequence[Item]) -> None:
        """Make all updates and deletions or none; a conflict with another pull request of the owner is short."""
        table = {"TableName": self._table.name}
        writes = [{"Update" if "UpdateExpression" in change else "Delete": {**change, **table}} for change in changes]
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

    def __init__(self, table: Any, repository: RepositoryRef, number: int, clock: Clock) -> None:
        super().__init__(table, f"PR#{repository.id}#{number}", clock)
        self._repository = repository

    def _take(self, sort: str, owner: str, until: float, held: str, *, only: str = "", **sets: int) -> Item:
        """Take the lease of an item until then, where `only` holds, and return the item with what it `sets`.

        Raises Retry with the text `held` while somebody else holds it, after the seconds that it still has, and
        LostRace where `only` does not hold.
        """
        self._write(entry(self._repository, self._now()))
        now = self._clock.now()
        lease = {"lease_owner": owner, "lease_until": int(until), **sets}
        condition = f"{only} AND {_FREE}" if only else _FREE
        try:
            return self._write(update(self._key(sort), lease, only=condition, given={"now": int(now)}))
        except LostRace as lost:
            if only and "lease_until" not in lost.item:
                raise
            left = int(lost.item.get("lease_until", int(now))) - now
            raise Retry(held, after_seconds=max(left, 1)) from lost

    def _let_go(self, sort: str, owner: str) -> None:
        """Give the lease of an item back if it is still ours."""
        with suppress(LostRace):
            ours, lease = {"owner": owner}, ("lease_owner", "lease_until")
            self._write(update(self._key(sort), {}, removes=lease, only="lease_owner = :owner", given=ours))

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
            update(owner, self._expiry(), adds=micro),
        ]

    def _spent(self) -> list[Item]:
        """Read what was spent, in the order of `Spending`; an item that is not there is empty."""
        keys = self._spending_keys()
        wanted: Mapping[str, Any] = {self._table.name: {"Keys": keys, "ConsistentRead": True}}
        found: dict[tuple[str, str], Item] = {}
        while wanted:
            with asking():
                answer = self._table.meta.client.batch_get_item(RequestItems=wanted)
            found |= {(item["pk"], item["sk"]): item for item in answer["Responses"].get(self._table.name, ())}
            wanted = answer.get("UnprocessedKeys", {})
        return [found.get((key["pk"], key["sk"]), {}) for key in keys]

    def _spending_keys(self) -> list[Item]:
        owner, repository = self._repository.owner_id, self._repository.id
        at = datetime.fromtimestamp(self._now(), UTC)
        return [
            self._key("STATE"),
            {"pk": f"OWNER#{owner}", "sk": f"DAY#{at:%Y-%m-%d}#{repository}"},
            self._month_key(),
            {"pk": f"OWNER#{owner}", "sk": f"MONTH#{at:%Y-%m}"},
        ]
