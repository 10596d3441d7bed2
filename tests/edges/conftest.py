"""A table as the template makes it, in the local AWS."""

from collections.abc import Iterator
from typing import Any

import pytest

from local.aws import LocalAws


@pytest.fixture(scope="session")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture
def table(aws: LocalAws, request: pytest.FixtureRequest) -> Any:
    """An empty table for each test."""
    name = f"t{abs(hash(request.node.nodeid))}"
    aws.client("dynamodb").create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    )
    return aws.table(name)
