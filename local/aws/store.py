"""One SQLite database behind one lock; what an emulated service remembers."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from local.aws.clock import Clock
from local.aws.protocol import AwsError

Row = sqlite3.Row


class Store:
    """A database that threads take turns on; whoever waits for a change waits on `turn`."""

    def __init__(self, file: Path | None, schema: str, clock: Clock) -> None:
        self.now = clock.now
        self.turn = threading.Condition()
        self.closed = False
        if file:
            file.touch(mode=0o600)
        self._database = sqlite3.connect(
            str(file) if file else ":memory:", check_same_thread=False, isolation_level=None
        )
        self._database.row_factory = sqlite3.Row
        # Losing the last moments in a power cut is fine for a local system; losing them in a kill is not.
        self._database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {schema}")
        clock.when_turned(self.announce)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the turn, and keep all that is written inside or nothing of it."""
        with self.turn:
            self._refuse_when_closed()
            self._database.execute("BEGIN")
            try:
                yield
            except BaseException:
                self._database.execute("ROLLBACK")
                raise
            self._database.execute("COMMIT")

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement inside a transaction and return the number of rows that it touched."""
        return self._database.execute(sql, values).rowcount

    def insert(self, sql: str, *values: Any) -> int:
        """Run an INSERT inside a transaction and return the id of the new row."""
        return self._database.execute(sql, values).lastrowid or 0

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Return every row of a SELECT."""
        with self.turn:
            self._refuse_when_closed()
            return self._database.execute(sql, values).fetchall()

    def row(self, sql: str, *values: Any) -> Row | None:
        """Return the first row of a SELECT, or None."""
        found = self.rows(sql, *values)
        return found[0] if found else None

    def announce(self) -> None:
        """Wake everyone who waits for a change."""
        with self.turn:
            self.turn.notify_all()

    def close(self) -> None:
        """Send those who wait home, then close the database."""
        with self.turn:
            if not self.closed:
                self.closed = True
                self.turn.notify_all()
                self._database.close()

    def _refuse_when_closed(self) -> None:
        if self.closed:
            raise AwsError("ServiceUnavailable", "The emulator has stopped.", 503)
