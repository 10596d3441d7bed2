"""The items of DynamoDB's tables, kept in a file as well, since moto holds them in memory only."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from starlette.responses import Response

from local.aws.clock import Clock
from local.aws.protocol import AwsError, Json
from local.aws.store import Store

_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    table_name TEXT NOT NULL, key TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (table_name, key)
);
CREATE TABLE IF NOT EXISTS lifetimes (table_name TEXT PRIMARY KEY, attribute TEXT NOT NULL);
"""
_OK = 200
_BATCH = 25
_SINGLE = frozenset({"PutItem", "UpdateItem", "DeleteItem"})

Ask = Callable[[str, Json], Response]


class Tables:
    """Keeps what a request has written before its answer goes out, and puts it back when its table is made again.

    `ask` has moto answer a request, given as its target and its body.
    """

    def __init__(self, file: Path, clock: Clock, ask: Ask) -> None:
        self._store = Store(file, _SCHEMA)
        self._now = clock.now
        self._ask_moto = ask
        self._keys: dict[str, list[str]] = {}

    def keep(self, operation: str, request: Json) -> None:
        """Keep what a request has written, which moto has accepted. Raises AwsError."""
        if operation == "CreateTable":
            self._put_back(request)
        elif operation == "DeleteTable":
            with self._store.transaction():
                for kept in ("items", "lifetimes"):
                    self._store.run(f"DELETE FROM {kept} WHERE table_name = ?", request["TableName"])  # noqa: S608
        elif operation == "UpdateTimeToLive":
            self._note_lifetime(request["TableName"], request["TimeToLiveSpecification"]["AttributeName"])
        elif written := list(_written(operation, request)):
            self._keep(written)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _keep(self, written: Sequence[tuple[str, Json]]) -> None:
        found = []
        for table, write in written:
            key = write.get("Key") or {name: write["Item"][name] for name in self._keys[table]}
            item = self._ask("GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get("Item")
            found.append((table, json.dumps(key, sort_keys=True), item))
        with self._store.transaction():
            for table, key_text, item in found:
                if item is None:
                    self._store.run("DELETE FROM items WHERE table_name = ? AND key = ?", table, key_text)
                else:
                    self._store.run("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", table, key_text, json.dumps(item))

    def _put_back(self, made: Json) -> None:
        table = made["TableName"]
        self._keys[table] = [part["AttributeName"] for part in made["KeySchema"]]
        self._drop_expired(table)
        items = [row["item"] for row in self._store.rows("SELECT item FROM items WHERE table_name = ?", table)]
        for start in range(0, len(items), _BATCH):
            puts = [{"PutRequest": {"Item": json.loads(item)}} for item in items[start : start + _BATCH]]
            self._ask("BatchWriteItem", {"RequestItems": {table: puts}})

    def _drop_expired(self, table: str) -> None:
        """Expired items are gone for good, as DynamoDB has it within days, and moto never."""
        row = self._store.row("SELECT attribute FROM lifetimes WHERE table_name = ?", table)
        if row is not None:
            with self._store.transaction():
                self._store.run(
                    "DELETE FROM items WHERE table_name = ? AND CAST(json_extract(item, ?) AS REAL) < ?",
                    *(table, f'$."{row["attribute"]}".N', self._now()),
                )

    def _note_lifetime(self, table: str, attribute: str) -> None:
        with self._store.transaction():
            self._store.run("INSERT OR REPLACE INTO lifetimes VALUES (?, ?)", table, attribute)

    def _ask(self, operation: str, body: Json) -> Json:
        """Ask something of our own."""
        response = self._ask_moto(f"DynamoDB_20120810.{operation}", body)
        answer: Json = json.loads(bytes(response.body))
        if response.status_code != _OK or answer.get("UnprocessedItems"):
            raise AwsError("InternalServerError", f"{operation} of what is kept was refused: {answer}", 500)
        return answer


def _written(operation: str, request: Json) -> Iterator[tuple[str, Json]]:
    """Each write of a request, and each check: its table, and the part that has the Key, or the Item."""
    if operation in _SINGLE:
        yield request["TableName"], request
    elif operation == "TransactWriteItems":
        yield from ((part["TableName"], part) for write in request["TransactItems"] for part in write.values())
    elif operation == "BatchWriteItem":
        for table, writes in request["RequestItems"].items():
            yield from ((table, part) for write in writes for part in write.values())
