"""One local AWS for a whole run, and a fresh queue, index or table for each test."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.aws import LocalAws
from tests.local.aws.fifo import Fifo


@pytest.fixture(scope="session")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture(scope="session")
def sqs(aws: LocalAws) -> Any:
    return aws.client("sqs")


@pytest.fixture(scope="session")
def fresh_name() -> Callable[[], str]:
    count = itertools.count(1)
    return lambda: f"test-{next(count)}"


@pytest.fixture
def new_queue(aws: LocalAws, sqs: Any, fresh_name: Callable[[], str]) -> Callable[..., Fifo]:
    """Create FIFO queues; attributes as keyword arguments."""

    def create(**attributes: str) -> Fifo:
        name = f"{fresh_name()}.fifo"
        answer = sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true", **attributes})
        return Fifo(sqs, aws.clock, answer["QueueUrl"])

    return create


@pytest.fixture
def queue(new_queue: Callable[..., Fifo]) -> Fifo:
    return new_queue()
