"""The database under the emulated services."""

import pytest

from local.aws.store import Store

SCHEMA = "CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY)"


def test_a_transaction_that_fails_keeps_nothing() -> None:
    """All that is written inside, or none of it."""
    store = Store(None, SCHEMA)

    def write_and_fail() -> None:
        with store.transaction():
            store.run("INSERT INTO things VALUES ('one')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()

    assert store.rows("SELECT * FROM things") == []
    store.close()
