"""A repository with people, and a table for the proposals to it."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.aws import LocalAws
from tests.aws_resources import create_table
from tests.core.proposals.proposing import Proposing

_COUNT = itertools.count(1)


@pytest.fixture(scope="session")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture
def table(aws: LocalAws) -> Any:
    return create_table(aws, f"proposals-{next(_COUNT)}")


@pytest.fixture
def proposing(table: Any) -> Proposing:
    return Proposing(table)


@pytest.fixture
def fresh(aws: LocalAws) -> Callable[[], Proposing]:
    """Begins again, with a table and a repository of its own, each time it is called."""
    return lambda: Proposing(create_table(aws, f"proposals-{next(_COUNT)}"))
