"""The database under the emulated services."""

import pytest

from local.aws import Clock
from local.aws.protocol import AwsError
from local.aws.store import Store

SCHEMA = "CREATE TABLE IF NOT EXISTS things (name TEXT PRIMARY KEY)"


def test_a_transaction_that_fails_keeps_nothing() -> None:
    """All that is written inside, or none of it."""
    store = Store(None, SCHEMA, Clock())

    def write_and_fail() -> None:
        with store.transaction():
            store.run("INSERT INTO things VALUES ('one')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_and_fail()

    assert store.rows("SELECT * FROM things") == []
    store.close()


def test_a_closed_store_says_that_the_service_is_gone() -> None:
    """A request that comes too late gets an AWS error, not a broken database."""
    store = Store(None, SCHEMA, Clock())
    store.close()

    with pytest.raises(AwsError, match="has stopped") as refused:
        store.rows("SELECT * FROM things")

    assert refused.value.status == 503


def test_time_goes_forward_only() -> None:
    """A test that turns the clock back has a mistake in it."""
    with pytest.raises(ValueError, match="forward"):
        Clock().advance(-1)
