"""A table as the template makes it, in the local AWS."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from local.aws import LocalAws


@pytest.fixture(scope="session")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as running:
        yield running


@pytest.fixture
def table(aws: LocalAws, request: pytest.FixtureRequest) -> Any:
    """An empty table for each test."""
    env = aws.endpoints
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=env["AWS_ENDPOINT_URL_DYNAMODB"],
        region_name=env["AWS_DEFAULT_REGION"],
        aws_access_key_id=env["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=env["AWS_SECRET_ACCESS_KEY"],
    )
    return resource.create_table(
        TableName=f"t{abs(hash(request.node.nodeid))}",
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    )
