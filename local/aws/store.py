"""A SQLite database, in a file or in memory: what an emulated service remembers."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

Row = sqlite3.Row


class Store:
    """A database that one thread at a time uses."""

    def __init__(self, file: Path | None, schema: str) -> None:
        if file:
            file.touch(mode=0o600)
        name = str(file or ":memory:")
        self._database = sqlite3.connect(name, check_same_thread=False, isolation_level=None)
        self._database.row_factory = sqlite3.Row
        # Losing the last moments in a power cut is fine for a local system; losing them in a kill is not.
        self._database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {schema}")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all that is written inside, or nothing of it."""
        self._database.execute("BEGIN")
        with self._database:
            yield

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement inside a transaction."""
        self._database.execute(sql, values)

    def insert(self, sql: str, *values: Any) -> int:
        """Run an INSERT inside a transaction and return the id of the new row."""
        return self._database.execute(sql, values).lastrowid or 0

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Return every row of a SELECT."""
        return self._database.execute(sql, values).fetchall()

    def each(self, sql: str, *values: Any) -> Iterator[Row]:
        """Return the rows of a SELECT one after the other."""
        return self._database.execute(sql, values)

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a SELECT, or None."""
        row: Row | None = self._database.execute(sql, values).fetchone()
        return row

    def close(self) -> None:
        """Close the database."""
        self._database.close()
