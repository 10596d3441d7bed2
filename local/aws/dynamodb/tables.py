"""Tables and the items in them: in memory, and in a file as well if there is one.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_CreateTable.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateTimeToLive.html
"""

import hashlib
import json
import uuid
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.aws.call import table_arn
from local.aws.clock import Clock
from local.aws.dynamodb.errors import empty_key, invalid_value, not_found
from local.aws.dynamodb.values import Item, Value, item_bytes, rank
from local.aws.protocol import AwsError, Json, invalid
from local.aws.store import Store

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    table_name TEXT NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (table_name, key)
);
CREATE TABLE IF NOT EXISTS lifetimes (table_name TEXT PRIMARY KEY, attribute TEXT NOT NULL);
"""
_SIZES = (
    (2048, "Size of hashkey has exceeded the maximum size limit of2048 bytes"),
    (1024, "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"),
)

Key = tuple[bytes, Any, Any]
"""Where an item is in its table: a hash of its partition key, that key, and its sort key, "" where there is none."""


@dataclass(frozen=True)
class Stored:
    """An item as JSON, a third of what the object takes, with its bytes as DynamoDB counts them."""

    text: bytes
    bytes: int

    @property
    def item(self) -> Item:
        """The item."""
        item: Item = json.loads(self.text)
        return item


class Table:
    """A table with its items by their keys; `types` are the names of its key attributes with their types."""

    def __init__(self, described: Json) -> None:
        self.described = described
        self.name: str = described["TableName"]
        defined = {each["AttributeName"]: each["AttributeType"] for each in described["AttributeDefinitions"]}
        self.types = {part["AttributeName"]: defined[part["AttributeName"]] for part in described["KeySchema"]}
        self.expires_by: str | None = None
        self.items: dict[Key, Stored] = {}
        self.order: list[Key] = []

    def key_of(self, item: Item) -> Key:
        """The key of a whole item. Raises AwsError."""
        for name, kind in self.types.items():
            if name not in item:
                raise invalid_value(f"Missing the key {name} in the item")
            if kind not in item[name]:
                raise invalid_value(f"Type mismatch for key {name} expected: {kind} actual: {''.join(item[name])}")
        return self._key(item)

    def key(self, given: Item) -> Key:
        """The key that is given alone. Raises AwsError."""
        if given.keys() != self.types.keys() or not all(kind in given[name] for name, kind in self.types.items()):
            raise invalid("The provided key element does not match the schema")
        return self._key(given)

    def attributes(self, item: Item) -> Item:
        """The key attributes of an item."""
        return {name: item[name] for name in self.types}

    def get(self, key: Key) -> Item | None:
        """The item with a key, None if there is none."""
        stored = self.items.get(key)
        return stored.item if stored else None

    def set(self, key: Key, item: Item | None) -> None:
        """Put an item, or delete what is there."""
        if item is not None:
            if key not in self.items:
                insort(self.order, key)
            self.items[key] = Stored(json.dumps(item).encode(), item_bytes(item))
        elif self.items.pop(key, None):
            del self.order[bisect_left(self.order, key)]

    def _key(self, given: Item) -> Key:
        for (name, kind), (most, message) in zip(self.types.items(), _SIZES, strict=False):
            if not given[name][kind]:
                raise empty_key(name, kind)
            if item_bytes({"": given[name]}) > most:
                raise invalid_value(message)
        partition, *sort = (given[name] for name in self.types)
        return *hashed(partition), rank(sort[0]) if sort else ""


def hashed(partition: Value) -> tuple[bytes, Any]:
    """A partition key behind its hash: the partitions of a scan come in an order that nobody can rely on."""
    key = rank(partition)
    return hashlib.md5(repr(key).encode(), usedforsecurity=False).digest(), key


@dataclass(frozen=True)
class Write:
    """The next state of the item with a key; None deletes it."""

    table: Table
    key: Key
    item: Item | None
    attributes: Item


class Tables:
    """All tables of one account.

    A table is active as soon as it is created, and gone as soon as it is deleted. Of what is in the file, a table has
    its items again once it is created again, without those that have expired meanwhile, as DynamoDB deletes them
    within days.
    """

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._store = Store(file, _SCHEMA) if file else None
        self._now = clock.now
        self._tables: dict[str, Table] = {}

    def find(self, name: str) -> Table:
        """The table with a name. Raises AwsError."""
        if name not in self._tables:
            raise not_found()
        return self._tables[name]

    def write(self, writes: Iterable[Write]) -> None:
        """Make all of these writes, or none: the file comes first."""
        writes = list(writes)
        with self._store.transaction() if self._store else nullcontext():
            for write in writes:
                self._keep(write)
        for write in writes:
            write.table.set(write.key, write.item)

    def close(self) -> None:
        """Close the file."""
        if self._store:
            self._store.close()

    def create(self, request: Json) -> Json:
        """Create a table, with the items that are kept of it."""
        name = request["TableName"]
        if request.get("BillingMode") != "PAY_PER_REQUEST":
            raise invalid("Only tables with BillingMode PAY_PER_REQUEST are here.")
        if name in self._tables:
            raise AwsError("ResourceInUseException", f"Table already exists: {name}")
        self._tables[name] = table = Table(
            {
                "TableName": name,
                "TableStatus": "ACTIVE",
                "AttributeDefinitions": request["AttributeDefinitions"],
                "KeySchema": request["KeySchema"],
                "CreationDateTime": self._now(),
                "TableArn": table_arn(name),
                "TableId": str(uuid.uuid4()),
                "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
                "ProvisionedThroughput": {
                    "NumberOfDecreasesToday": 0,
                    "ReadCapacityUnits": 0,
                    "WriteCapacityUnits": 0,
                },
                "DeletionProtectionEnabled": request.get("DeletionProtectionEnabled", False),
            }
        )
        for item in self._kept(name):
            table.set(table.key_of(item), item)
        return {"TableDescription": _description(table)}

    def describe(self, request: Json) -> Json:
        """Answer what is known of a table."""
        return {"Table": _description(self._named(request))}

    def update(self, request: Json) -> Json:
        """Protect a table from deletion, or no longer."""
        table = self._named(request)
        if "DeletionProtectionEnabled" not in request:
            raise invalid("At least one of the settings of the table has to be given.")
        table.described["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
        return {"TableDescription": _description(table)}

    def delete(self, request: Json) -> Json:
        """Delete a table that is not protected, with what is kept of it."""
        table = self._named(request)
        if table.described["DeletionProtectionEnabled"]:
            message = "Resource cannot be deleted as it is currently protected against deletion."
            raise invalid(f"{message} Disable deletion protection first.")
        del self._tables[table.name]
        if self._store:
            with self._store.transaction():
                self._store.run("DELETE FROM items WHERE table_name = ?", table.name)
                self._store.run("DELETE FROM lifetimes WHERE table_name = ?", table.name)
        return {"TableDescription": {**_description(table), "TableStatus": "DELETING"}}

    def list_names(self, _: Json) -> Json:
        """List the names of all tables, on one page."""
        return {"TableNames": sorted(self._tables)}

    def set_lifetime(self, request: Json) -> Json:
        """Note by which attribute items expire: they are dropped when their table is created again, no earlier."""
        table, asked = self._named(request), request["TimeToLiveSpecification"]
        if asked["Enabled"] == (table.expires_by is not None):
            raise invalid(f"TimeToLive is already {'enabled' if asked['Enabled'] else 'disabled'}")
        if table.expires_by not in (None, asked["AttributeName"]):
            current = f"current AttributeName is {table.expires_by}"
            raise invalid(f"TimeToLive is active on a different AttributeName: {current}")
        table.expires_by = asked["AttributeName"] if asked["Enabled"] else None
        if self._store:
            with self._store.transaction():
                self._store.run("DELETE FROM lifetimes WHERE table_name = ?", table.name)
                if table.expires_by:
                    self._store.run("INSERT INTO lifetimes VALUES (?, ?)", table.name, table.expires_by)
        return {"TimeToLiveSpecification": asked}

    def lifetime(self, request: Json) -> Json:
        """Answer by which attribute items expire."""
        name = self._named(request).expires_by
        described = {"TimeToLiveStatus": "ENABLED", "AttributeName": name} if name else {"TimeToLiveStatus": "DISABLED"}
        return {"TimeToLiveDescription": described}

    def _named(self, request: Json) -> Table:
        if request["TableName"] not in self._tables:
            raise not_found(request["TableName"])
        return self._tables[request["TableName"]]

    def _keep(self, write: Write) -> None:
        if self._store:
            place = write.table.name, json.dumps(write.attributes, sort_keys=True)
            if write.item is None:
                self._store.run("DELETE FROM items WHERE table_name = ? AND key = ?", *place)
            else:
                self._store.run("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", *place, json.dumps(write.item))

    def _kept(self, name: str) -> Iterator[Item]:
        """Read what is kept of a table, after what has expired is dropped."""
        if self._store:
            row = self._store.row("SELECT attribute FROM lifetimes WHERE table_name = ?", name)
            if row is not None:
                with self._store.transaction():
                    self._store.run(
                        "DELETE FROM items WHERE table_name = ? AND CAST(json_extract(item, ?) AS REAL) < ?",
                        *(name, f'$."{row["attribute"]}".N', self._now()),
                    )
            for kept in self._store.each("SELECT item FROM items WHERE table_name = ?", name):
                yield json.loads(kept["item"])


def _description(table: Table) -> Json:
    sizes: Mapping[str, int] = {
        "ItemCount": len(table.items),
        "TableSizeBytes": sum(stored.bytes for stored in table.items.values()),
    }
    return {**table.described, **sizes}
