"""The count of AWS calls as they are billed."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.config import Config

from bench.aws_calls import AwsWire, Billed, billed_units, totals
from local.aws import LocalAws
from local.aws.call import AwsCall

KB = 1024


def call(service: str, operation: str) -> AwsCall:
    return AwsCall(service, operation, "role-key", is_rest=False, path="/")


SMALL, LARGE = {"a": {"S": "x" * 99}}, {"a": {"S": "x" * (5 * KB)}}


@pytest.mark.parametrize(
    ("operation", "asked", "answer", "units"),
    [
        ("GetItem", {}, {"Item": SMALL}, 0.5),
        ("GetItem", {"ConsistentRead": True}, {"Item": SMALL}, 1),
        ("GetItem", {"ConsistentRead": True}, {"Item": LARGE}, 2),
        ("GetItem", {"ConsistentRead": True}, {}, 1),
        ("Query", {"ConsistentRead": True}, {"Items": [SMALL] * 30}, 1),
        ("Query", {}, {"Items": [LARGE, LARGE]}, 1.5),
        (
            "BatchGetItem",
            {"RequestItems": {"t": {"Keys": [1, 2, 3], "ConsistentRead": True}}},
            {"Responses": {"t": [SMALL, LARGE]}},
            4,
        ),
    ],
)
def test_reads_are_billed_in_four_kilobytes(
    operation: str, asked: dict[str, Any], answer: dict[str, Any], units: float
) -> None:
    """Half if they may be stale; items of a query are added up first, those of a batch are not."""
    assert billed_units(call("dynamodb", operation), asked, answer, []) == units


@pytest.mark.parametrize(
    ("operation", "sizes", "units"),
    [
        ("UpdateItem", [10], 1),
        ("PutItem", [KB + 1], 2),
        ("TransactWriteItems", [10, 3 * KB], 8),
        ("DeleteItem", [0], 1),
    ],
)
def test_writes_are_billed_in_kilobytes(operation: str, sizes: list[int], units: float) -> None:
    """A transaction costs twice as much."""
    assert billed_units(call("dynamodb", operation), {}, {}, sizes) == units


def test_messages_are_billed_in_64_kilobytes() -> None:
    """One request for each."""
    assert billed_units(call("sqs", "SendMessage"), {"MessageBody": "x" * 65 * KB}, {}, []) == 2
    assert billed_units(call("sqs", "ChangeMessageVisibility"), {}, {}, []) == 1


def test_secrets_are_decrypted_one_by_one() -> None:
    """Plain parameters are not."""
    answer = {"Parameters": [{"Type": "SecureString"}, {"Type": "String"}, {"Type": "SecureString"}]}

    assert billed_units(call("ssm", "GetParametersByPath"), {}, answer, []) == 2


def test_calls_are_added_up_by_what_they_are_billed_as() -> None:
    """Reads and writes have prices of their own."""
    billed = [
        Billed("ReviewRole", "SQS SendMessage", 1),
        Billed("ReviewRole", "DynamoDB Query", 2),
        Billed("ReviewRole", "DynamoDB GetItem", 0.5),
        Billed("ReviewRole", "DynamoDB TransactWriteItems", 8),
        Billed("ReviewRole", "SSM GetParametersByPath", 5),
        Billed("ReviewRole", "S3Vectors QueryVectors", 1),
    ]

    assert totals(billed) == {
        "calls": 6,
        "SQS": 1,
        "DynamoDB reads": 2.5,
        "DynamoDB writes": 8,
        "KMS": 5,
        "S3Vectors QueryVectors": 1,
    }


@pytest.fixture
def aws() -> Iterator[LocalAws]:
    with LocalAws() as aws:
        yield aws


@pytest.fixture
def wire(aws: LocalAws) -> Iterator[AwsWire]:
    wire = AwsWire()
    wire.aws = aws
    with wire.running():
        yield wire


def test_a_call_through_the_wire_is_answered_and_counted(aws: LocalAws, wire: AwsWire) -> None:
    """A write counts the larger of the old and the new item."""
    dynamodb = aws.client("dynamodb")
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")]
    keys = [{"AttributeName": name, "KeyType": kind} for name, kind in (("pk", "HASH"), ("sk", "RANGE"))]
    dynamodb.create_table(
        TableName="counted", AttributeDefinitions=attributes, KeySchema=keys, BillingMode="PAY_PER_REQUEST"
    )
    through = boto3.client(
        "dynamodb",
        endpoint_url=wire.before(aws.address),
        region_name="us-east-1",
        aws_access_key_id=aws.access_key("SomeRole"),
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}),
    )
    key = {"pk": {"S": "p"}, "sk": {"S": "s"}}

    through.put_item(TableName="counted", Item={**key, "text": {"S": "x" * 3 * KB}})
    through.put_item(TableName="counted", Item={**key, "text": {"S": "x"}})
    through.put_item(TableName="counted", Item={**key, "text": {"S": "y"}})
    read = through.get_item(TableName="counted", Key=key)

    assert read["Item"]["text"] == {"S": "y"}
    assert [(each.role, each.name, each.units) for each in wire.take()] == [
        ("SomeRole", "DynamoDB PutItem", 4),
        ("SomeRole", "DynamoDB PutItem", 4),
        ("SomeRole", "DynamoDB PutItem", 1),
        ("SomeRole", "DynamoDB GetItem", 0.5),
    ]
    assert wire.take() == []
