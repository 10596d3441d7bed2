"""DynamoDB through boto3: transactions, and threads that race."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws


@pytest.fixture(scope="session")
def dynamodb(aws: LocalAws) -> Any:
    return aws.client("dynamodb")


@pytest.fixture
def table(dynamodb: Any, fresh_name: Callable[[], str]) -> str:
    name = fresh_name()
    dynamodb.create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )
    return name


def key(pk: str, sk: str = "STATE") -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def put_once(table: str, pk: str, owner: str) -> dict[str, Any]:
    item = {**key(pk), "owner": {"S": owner}}
    return {"Put": {"TableName": table, "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}}


def add_one(table: str, pk: str) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": table,
            "Key": key(pk),
            "UpdateExpression": "ADD runs :one",
            "ExpressionAttributeValues": {":one": {"N": "1"}},
        }
    }


def runs(dynamodb: Any, table: str, pk: str) -> int:
    return int(dynamodb.get_item(TableName=table, Key=key(pk))["Item"]["runs"]["N"])


def test_a_transaction_that_fails_writes_nothing(dynamodb: Any, table: str) -> None:
    """Both or none, with the reason of each."""
    dynamodb.put_item(TableName=table, Item=key("taken"))

    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as refused:
        dynamodb.transact_write_items(TransactItems=[put_once(table, "free", "me"), put_once(table, "taken", "me")])

    assert [reason["Code"] for reason in refused.value.response["CancellationReasons"]] == [
        "None",
        "ConditionalCheckFailed",
    ]
    assert "Item" not in dynamodb.get_item(TableName=table, Key=key("free"))


def test_a_transaction_that_fails_takes_back_what_it_had_written(dynamodb: Any, table: str) -> None:
    """The items from before are there as they were."""
    dynamodb.put_item(TableName=table, Item=key("taken"))
    dynamodb.transact_write_items(TransactItems=[add_one(table, "counter")])
    before = dynamodb.get_item(TableName=table, Key=key("counter"))["Item"]

    with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
        dynamodb.transact_write_items(TransactItems=[add_one(table, "counter"), put_once(table, "taken", "me")])

    assert dynamodb.get_item(TableName=table, Key=key("counter"))["Item"] == before


@pytest.fixture
def restless_threads() -> Iterator[None]:
    """Threads take turns every 10 microseconds instead of 5 milliseconds, so that races show."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("restless_threads")
def test_every_key_has_one_winner_when_threads_race_in_transactions(dynamodb: Any, table: str) -> None:
    """Two keys in each transaction, eight threads, forty pairs: forty winners, and no pair is mixed."""

    def race(claim: tuple[int, int]) -> bool:
        pair, thread = claim
        items = [put_once(table, f"{side}{pair}", str(thread)) for side in ("left", "right")]
        try:
            dynamodb.transact_write_items(TransactItems=items)
        except dynamodb.exceptions.TransactionCanceledException:
            return False
        return True

    with ThreadPoolExecutor(8) as threads:
        won = list(threads.map(race, [(pair, thread) for pair in range(40) for thread in range(4)]))

    items = dynamodb.scan(TableName=table)["Items"]
    owners = {item["pk"]["S"]: item["owner"]["S"] for item in items}
    assert sum(won) == 40
    assert all(owners[f"left{pair}"] == owners[f"right{pair}"] for pair in range(40))


def test_a_transaction_repeated_under_its_token_is_applied_once(dynamodb: Any, table: str) -> None:
    """A retry after a lost answer does not count twice, and does not fail either."""
    for _ in range(2):
        dynamodb.transact_write_items(TransactItems=[add_one(table, "PR#1")], ClientRequestToken="token-once")

    assert runs(dynamodb, table, "PR#1") == 1


def test_a_token_is_forgotten_after_ten_minutes(aws: LocalAws, dynamodb: Any, table: str) -> None:
    """From then on it is a new transaction."""
    dynamodb.transact_write_items(TransactItems=[add_one(table, "PR#1")], ClientRequestToken="token-late")

    aws.clock.advance(601)
    dynamodb.transact_write_items(TransactItems=[add_one(table, "PR#1")], ClientRequestToken="token-late")

    assert runs(dynamodb, table, "PR#1") == 2


def test_a_token_cannot_be_used_for_another_transaction(dynamodb: Any, table: str) -> None:
    """boto3 raises IdempotentParameterMismatchException."""
    dynamodb.transact_write_items(TransactItems=[add_one(table, "PR#1")], ClientRequestToken="token-two")

    with pytest.raises(dynamodb.exceptions.IdempotentParameterMismatchException):
        dynamodb.transact_write_items(TransactItems=[add_one(table, "PR#2")], ClientRequestToken="token-two")


def test_a_token_whose_transaction_failed_can_be_tried_again(dynamodb: Any, table: str) -> None:
    """Only what was applied is remembered."""
    items = [put_once(table, "PR#1", "me")]
    dynamodb.put_item(TableName=table, Item=key("PR#1"))
    with pytest.raises(ClientError):
        dynamodb.transact_write_items(TransactItems=items, ClientRequestToken="token-again")
    dynamodb.delete_item(TableName=table, Key=key("PR#1"))

    dynamodb.transact_write_items(TransactItems=items, ClientRequestToken="token-again")

    assert "Item" in dynamodb.get_item(TableName=table, Key=key("PR#1"))
