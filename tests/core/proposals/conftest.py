"""A repository with people, and a table for the proposals to it."""

import itertools
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from kodiai.core.proposals.proposal import Proposal
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
def approved(proposing: Proposing) -> Callable[[str], Proposal]:
    """Begins again with a proposal of this diff that is approved, each time it is called, and with nothing else."""
    table, repository = proposing.table, deepcopy(proposing.repository)
    made: dict[str, tuple[Proposal, list[Any]]] = {}

    def again(diff: str) -> Proposal:
        with table.batch_writer() as batch:
            for item in table.scan()["Items"]:
                batch.delete_item(Key={"pk": item["pk"], "sk": item["sk"]})
        proposing.repository = deepcopy(repository)
        if diff not in made:
            made[diff] = proposing.approved(diff), table.scan()["Items"]
        proposal, items = made[diff]
        with table.batch_writer() as batch:
            for item in items:
                batch.put_item(Item=item)
        return proposal

    return again
