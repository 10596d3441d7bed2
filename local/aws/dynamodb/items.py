"""Reads and writes of single items, of batches, and transactions.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html
"""

from itertools import accumulate

from local.aws.dynamodb import asked
from local.aws.dynamodb.errors import condition_failed, invalid_value
from local.aws.dynamodb.tables import Tables, Write
from local.aws.dynamodb.updates import updated
from local.aws.dynamodb.values import Item, checked_item, item_bytes
from local.aws.protocol import Json, invalid

_MOST_WRITTEN, _MOST_READ = 25, 100
_LARGEST = 400 * 1024  # bytes
_LARGEST_ANSWER = 16 * 1024 * 1024
# A partition takes 1,000 units of 1 KB a second.
_WRITTEN_BY_BUSY = 1000 * 1024
_CONDITION, _UPDATE, _PROJECTION = "ConditionExpression", "UpdateExpression", "ProjectionExpression"


class ItemWrite:
    """A "Put", "Update", "Delete" or "ConditionCheck" that is valid in itself. Construction raises AwsError."""

    def __init__(self, tables: Tables, kind: str, request: Json) -> None:
        self.table = tables.find(request["TableName"])
        self._kind = kind
        self._request = request
        self._asked = asked.read(request, *([_UPDATE] if kind == "Update" else []), _CONDITION)
        self.given = checked_item(request["Item" if kind == "Put" else "Key"])
        self.key = self.table.key_of(self.given) if kind == "Put" else self.table.key(self.given)
        self.old = self.table.get(self.key)
        if kind == "Put":
            _check_size(self.given, "Item size has exceeded the maximum allowed size")
        changes = self._asked.trees.get(_UPDATE, ())
        for change in changes:
            if change.name in self.table.types:
                raise invalid_value(f"Cannot update attribute {change.name}. This attribute is part of the key")

    def made(self) -> Write:
        """Decide what it leads to. Raises AwsError where its condition does not hold, or an update cannot be made."""
        if not self._asked.holds(_CONDITION, self.old or {}):
            wants_item = self._request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            raise condition_failed(self.old if wants_item else None)
        return Write(self.table, self.key, self._new(), self.table.attributes(self.given))

    def _new(self) -> Item | None:
        match self._kind:
            case "Put":
                return self.given
            case "ConditionCheck":
                return self.old
            case "Delete":
                return None
        new = updated(self._asked.trees.get(_UPDATE, ()), self.old or self.given, self._asked.values)
        _check_size(new, "Item size to update has exceeded the maximum allowed size")
        return new


class Items:
    """Reads and writes of the items in all tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def get(self, request: Json) -> Json:
        """Read an item."""
        wanted = asked.read(request, _PROJECTION)
        table = self._tables.find(request["TableName"])
        item = table.get(table.key(checked_item(request["Key"])))
        return {} if item is None else {"Item": wanted.seen(item)}

    def put(self, request: Json) -> Json:
        """Put an item in place of what is there."""
        self._write("Put", request)
        return {}

    def delete(self, request: Json) -> Json:
        """Delete an item, if there is one."""
        self._write("Delete", request)
        return {}

    def update(self, request: Json) -> Json:
        """Update an item, which is made if there is none; "ALL_NEW" is all that can be returned of it."""
        wanted = request.get("ReturnValues", "NONE")
        if wanted not in ("NONE", "ALL_NEW"):
            raise invalid(f"ReturnValues {wanted} is not here.")
        made = self._write("Update", request)
        return {"Attributes": made.item} if wanted == "ALL_NEW" else {}

    def batch_get(self, request: Json) -> Json:
        """Read up to 100 items; those beyond 16 MB have to be asked for again."""
        if sum(len(wanted["Keys"]) for wanted in request["RequestItems"].values()) > _MOST_READ:
            raise invalid("Too many items requested for the BatchGetItem call")
        found: dict[str, list[Item]] = {}
        left: dict[str, Json] = {}
        room = _LARGEST_ANSWER
        for name, wanted in request["RequestItems"].items():
            table, shown = self._tables.find(name), asked.read(wanted, _PROJECTION)
            places = {table.key(checked_item(key)): key for key in wanted["Keys"]}
            if len(places) < len(wanted["Keys"]):
                raise invalid("Provided list of item keys contains duplicates")
            found[name] = []
            for place, key in places.items():
                item = table.items.get(place)
                room -= item.bytes if item else 0
                if room < 0:
                    left.setdefault(name, {**wanted, "Keys": []})["Keys"].append(key)
                elif item:
                    found[name].append(shown.seen(item.item))
        return {"Responses": found, "UnprocessedKeys": left}

    def batch_write(self, request: Json) -> Json:
        """Put and delete up to 25 items, each for itself; what goes beyond 1 MB is left out, as by a busy table."""
        if sum(map(len, request["RequestItems"].values())) > _MOST_WRITTEN:
            raise invalid("Too many items requested for the BatchWriteItem call")
        asked_for = [(name, each) for name, parts in request["RequestItems"].items() for each in parts]
        writes = [
            ItemWrite(self._tables, kind.removesuffix("Request"), {"TableName": name, **part})
            for name, each in asked_for
            for kind, part in each.items()
        ]
        check_apart(writes, "Provided list of item keys contains duplicates")
        done = sum(size <= _WRITTEN_BY_BUSY for size in accumulate(item_bytes(write.given) for write in writes))
        self._tables.write(write.made() for write in writes[:done])
        left: dict[str, list[Json]] = {}
        for name, each in asked_for[done:]:
            left.setdefault(name, []).append(each)
        return {"UnprocessedItems": left}

    def _write(self, kind: str, request: Json) -> Write:
        made = ItemWrite(self._tables, kind, request).made()
        self._tables.write([made])
        return made


def check_apart(writes: list[ItemWrite], message: str) -> None:
    """Refuse two operations on one item."""
    if len({(write.table.name, write.key) for write in writes}) < len(writes):
        raise invalid(message)


def _check_size(item: Item, message: str) -> None:
    if item_bytes(item) > _LARGEST:
        raise invalid(message)
