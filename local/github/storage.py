"""The state in a file: what an act has changed is written at its end, all of it or nothing."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from local.github.state import State
from local.github.webhooks import MOST_DELIVERIES, Delivery, delivery_log, packed
from local.recent import Recent

# A thing is a value of one of the state's dictionaries, or of its timeline; its key and its fields are JSON.
_SCHEMA = """
PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;
CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS things (kind TEXT NOT NULL, key TEXT NOT NULL, known TEXT NOT NULL, UNIQUE (kind, key));
CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY, guid TEXT NOT NULL, event TEXT NOT NULL, action TEXT NOT NULL, raw BLOB NOT NULL,
    at REAL NOT NULL, redelivery INTEGER NOT NULL, status INTEGER, response TEXT NOT NULL, error TEXT,
    duration REAL NOT NULL
);
"""
_KINDS = [field.name for field in fields(State) if field.default_factory is dict]
_COLUMNS = ["raw" if field.name == "packed" else field.name for field in fields(Delivery)]
_STATE = TypeAdapter(State)
_DELIVERY = TypeAdapter(Delivery)
_Row = tuple[Any, ...]


class Storage:
    """The state and the deliveries as they were stored, and where they are stored from now on.

    `write` is called under the repository's lock. A kill loses nothing that was written; a power cut may.
    """

    def __init__(self, file: Path) -> None:
        file.touch(mode=0o600)
        self._database = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self._database.executescript(_SCHEMA)
        self.state = self._read_state()
        self.deliveries = self._read_deliveries()
        self._written: dict[str, dict[Any, list[Any]]] = {
            kind: {key: _facts(thing) for key, thing in getattr(self.state, kind).items()} for kind in _KINDS
        }
        self._events = len(self.state.timeline)
        self._logged = len(self.deliveries)
        self._unanswered = [delivery for delivery in self.deliveries.kept if delivery.status is None]

    def write(self) -> None:
        """Write what has changed since the last time."""
        changed = list(self._changed())
        gone = [(kind, key) for kind in _KINDS for key in self._written[kind].keys() - getattr(self.state, kind).keys()]
        events = self.state.timeline[self._events :]
        answered = [delivery for delivery in self._unanswered if delivery.status is not None]
        deliveries = answered + self.deliveries[self._logged :]
        if not (changed or gone or events or deliveries):
            return
        rows = [_row(kind, key, thing) for kind, key, thing, _ in changed]
        rows += [_row("timeline", place, event) for place, event in enumerate(events, self._events)]
        self._write_all(rows, [(kind, json.dumps(key)) for kind, key in gone], deliveries)
        for kind, key, _, facts in changed:
            self._written[kind][key] = facts
        for kind, key in gone:
            del self._written[kind][key]
        self._unanswered = [each for each in self._unanswered + deliveries if each.status is None]
        self._events, self._logged = len(self.state.timeline), len(self.deliveries)

    def close(self) -> None:
        """Write what is left, and close the file."""
        self.write()
        self._database.close()

    def _changed(self) -> Iterator[tuple[str, Any, Any, list[Any]]]:
        """Kind, key, thing and facts of what is not as it was written."""
        for kind in _KINDS:
            written = self._written[kind]
            for key, thing in getattr(self.state, kind).items():
                if written.get(key) != (facts := _facts(thing)):
                    yield kind, key, thing, facts

    def _write_all(self, rows: Iterable[_Row], gone: Iterable[_Row], deliveries: Iterable[Delivery]) -> None:
        marks = ", ".join("?" * len(_COLUMNS))
        logged = [tuple(getattr(delivery, name) for name in _COLUMNS) for delivery in deliveries]
        write = self._database.executemany
        with self._database:  # commits, or rolls back
            self._database.execute("BEGIN")
            write("DELETE FROM things WHERE kind = ? AND key = ?", gone)
            write("INSERT INTO things VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET known = excluded.known", rows)
            write(f"INSERT OR REPLACE INTO deliveries VALUES ({marks})", logged)  # noqa: S608 - question marks
            self._database.execute(
                "DELETE FROM deliveries WHERE id <= (SELECT max(id) FROM deliveries) - ?", [MOST_DELIVERIES]
            )
            write("INSERT OR REPLACE INTO counts VALUES (?, ?)", [("ids", self.state.ids)])

    def _read_state(self) -> State:
        state: dict[str, Any] = dict(self._database.execute("SELECT name, count FROM counts"))
        for kind, key, known in self._database.execute("SELECT kind, key, known FROM things ORDER BY rowid"):
            if kind == "timeline":
                state.setdefault(kind, []).append(json.loads(known))
            else:
                state.setdefault(kind, {})[json.loads(key)] = json.loads(known)
        return _STATE.validate_python(state)

    def _read_deliveries(self) -> Recent[Delivery]:
        rows = self._database.execute(f"SELECT {', '.join(_COLUMNS)} FROM deliveries ORDER BY id")  # noqa: S608
        known = (dict(zip(_COLUMNS, row, strict=True)) for row in rows)
        return delivery_log(_DELIVERY.validate_python({**each, "packed": packed(each["raw"])}) for each in known)


def _facts(thing: Any) -> list[Any]:
    """The fields of a thing, lists copied: they are quick to compare with what they are later."""
    return [value.copy() if type(value) is list else value for value in vars(thing).values()]


def _row(kind: str, key: Any, thing: Any) -> _Row:
    return kind, json.dumps(key), json.dumps(asdict(thing))
