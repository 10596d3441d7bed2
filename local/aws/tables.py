"""The items of DynamoDB's tables, kept in a file beside moto, which holds them in memory only."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from local.aws.clock import Clock
from local.aws.protocol import Answer, AwsError, Json, Request
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
_UNKEPT = frozenset({"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"})

Ask = Callable[[Request], Answer]


class Tables:
    """Keeps what a request has written before its answer goes out, and puts it back when its table is made again.

    It is called under moto's lock; `ask` has moto answer a request, such as the GetItem that reads what was written.
    PartiQL, of which no key can be told, is refused.
    """

    def __init__(self, file: Path, clock: Clock, ask: Ask) -> None:
        self._store = Store(file, _SCHEMA, clock)
        self._ask_moto = ask
        self._keys: dict[str, list[str]] = {}

    def answer(self, operation: str, request: Request, act: Ask) -> Answer:
        """Have `act` answer a request, and keep what it has written. Raises AwsError."""
        if operation in _UNKEPT:
            raise AwsError("UnknownOperationException", f"{operation} is not here: its items could not be kept.")
        answer = act(request)
        if answer.status != _OK:
            return answer
        body = request.json()
        if operation == "CreateTable":
            self._put_back(body, request)
        elif operation == "DeleteTable":
            self._forget(body["TableName"])
        elif operation == "UpdateTimeToLive":
            self._note_lifetime(body["TableName"], body["TimeToLiveSpecification"])
        elif written := list(_written(operation, body)):
            self._keep(written, request)
        return answer

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _keep(self, written: Sequence[tuple[str, Json]], request: Request) -> None:
        found = []
        for table, told in written:
            key = told.get("Key") or {name: told["Item"][name] for name in self._keys[table]}
            item = self._ask(request, "GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}).get("Item")
            found.append((table, _canonical(key), item))
        with self._store.transaction():
            for table, key_text, item in found:
                if item is None:
                    self._store.run("DELETE FROM items WHERE table_name = ? AND key = ?", table, key_text)
                else:
                    self._store.run("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", table, key_text, json.dumps(item))

    def _put_back(self, made: Json, request: Request) -> None:
        table = made["TableName"]
        self._keys[table] = [part["AttributeName"] for part in made["KeySchema"]]
        self._drop_expired(table)
        items = [row["item"] for row in self._store.rows("SELECT item FROM items WHERE table_name = ?", table)]
        for start in range(0, len(items), _BATCH):
            puts = [{"PutRequest": {"Item": json.loads(item)}} for item in items[start : start + _BATCH]]
            self._ask(request, "BatchWriteItem", {"RequestItems": {table: puts}})

    def _drop_expired(self, table: str) -> None:
        """What has expired is gone for good, as DynamoDB has it within days, and moto never."""
        row = self._store.row("SELECT attribute FROM lifetimes WHERE table_name = ?", table)
        if row is not None:
            with self._store.transaction():
                self._store.run(
                    "DELETE FROM items WHERE table_name = ? AND CAST(json_extract(item, ?) AS REAL) < ?",
                    *(table, f'$."{row["attribute"]}".N', self._store.now()),
                )

    def _note_lifetime(self, table: str, told: Mapping[str, Any]) -> None:
        with self._store.transaction():
            self._store.run("DELETE FROM lifetimes WHERE table_name = ?", table)
            if told["Enabled"]:
                self._store.run("INSERT INTO lifetimes VALUES (?, ?)", table, told["AttributeName"])

    def _forget(self, table: str) -> None:
        with self._store.transaction():
            for kept in ("items", "lifetimes"):
                self._store.run(f"DELETE FROM {kept} WHERE table_name = ?", table)  # noqa: S608 - names of our own

    def _ask(self, request: Request, operation: str, body: Json) -> Json:
        """Ask something of our own, as the client of `request`."""
        version = request.headers["x-amz-target"].partition(".")[0]
        headers = {**request.headers, "x-amz-target": f"{version}.{operation}"}
        answer = self._ask_moto(replace(request, headers=headers, body=json.dumps(body).encode()))
        told: Json = json.loads(answer.body)
        if answer.status != _OK or told.get("UnprocessedItems"):
            raise AwsError("InternalServerError", f"{operation} of what is kept was refused: {told}", 500)
        return told


def _written(operation: str, body: Json) -> Iterator[tuple[str, Json]]:
    """Each write of a request, and each check: its table, and the part that has the Key, or the Item."""
    if operation in _SINGLE:
        yield body["TableName"], body
    elif operation == "TransactWriteItems":
        yield from ((told["TableName"], told) for write in body["TransactItems"] for told in write.values())
    elif operation == "BatchWriteItem":
        for table, writes in body["RequestItems"].items():
            yield from ((table, told) for write in writes for told in write.values())


def _canonical(key: Json) -> str:
    return json.dumps(key, sort_keys=True)
