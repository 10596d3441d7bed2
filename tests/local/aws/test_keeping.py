"""A local AWS with a folder for its data continues where the last one stopped, even after a kill."""

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.aws import Clock, LocalAws
from local.folder import UnusableFolder
from tests.aws_resources import create_table
from tests.programs import started_python

QUEUE = {"QueueName": "q.fifo", "Attributes": {"FifoQueue": "true", "VisibilityTimeout": "900"}}
BIG = bytes(range(256)) * 1550

PROGRAM = """
    import sys, time
    from pathlib import Path
    from local.aws import LocalAws
    from tests.local.aws.test_keeping import made
    with LocalAws(Path(sys.argv[1])) as aws:
        made(aws).put_item(Item={"pk": "a", "sk": "STATE", "run": "1"})
        print("written", flush=True)
        time.sleep(600)
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def made(aws: LocalAws) -> Any:
    """The table, made as at every start."""
    return create_table(aws, "ledger")


def key(sort: str) -> dict[str, str]:
    return {"pk": "a", "sk": sort}


def items(table: Any) -> dict[str, Mapping[str, Any]]:
    return {item["sk"]: item for item in table.scan(ConsistentRead=True)["Items"]}


def add_one(sort: str, condition: str = "attribute_exists(pk)") -> dict[str, Any]:
    update = {"UpdateExpression": "ADD runs :one", "ExpressionAttributeValues": {":one": 1}}
    return {"Update": {"TableName": "ledger", "Key": key(sort), "ConditionExpression": condition, **update}}


def test_a_table_created_again_has_the_items_of_every_kind_of_write(data: Path) -> None:
    """Items of any size are there; deleted and refused ones are not."""
    with LocalAws(data) as aws:
        table, client = made(aws), aws.table("ledger").meta.client
        for sort in ("put", "updated", "counted", "deleted", "dropped"):
            table.put_item(Item={**key(sort), "runs": 1})
        table.put_item(Item={**key("put"), "runs": 2, "facts": {"lines": [1, 2], "none": None}})
        table.update_item(Key=key("updated"), UpdateExpression="REMOVE runs SET big = :b", **values(b=BIG))
        table.delete_item(Key=key("deleted"))
        check = {"ConditionCheck": {"TableName": "ledger", "Key": key("put"), "ConditionExpression": "runs = :two"}}
        check["ConditionCheck"] |= values(two=2)
        put = {"Put": {"TableName": "ledger", "Item": key("of a transaction")}}
        drop = {"Delete": {"TableName": "ledger", "Key": key("dropped")}}
        client.transact_write_items(TransactItems=[check, put, drop, add_one("counted")])
        with table.batch_writer() as batch:
            batch.put_item(Item=key("of a batch"))
            batch.delete_item(Key=key("never there"))
        with pytest.raises(client.exceptions.TransactionCanceledException):
            client.transact_write_items(TransactItems=[add_one("counted"), add_one("missing")])
        with pytest.raises(client.exceptions.ConditionalCheckFailedException):
            table.put_item(Item=key("put"), ConditionExpression="attribute_not_exists(pk)")
        before = items(table)

    with LocalAws(data) as aws:
        after = items(made(aws))

    assert sorted(after) == ["counted", "of a batch", "of a transaction", "put", "updated"]
    assert after == before
    assert (after["counted"]["runs"], bytes(after["updated"]["big"])) == (2, BIG)


def values(**given: Any) -> dict[str, Any]:
    return {"ExpressionAttributeValues": {f":{name}": value for name, value in given.items()}}


def test_a_write_that_was_answered_survives_a_kill(data: Path) -> None:
    """The kill comes right after the answer."""
    with started_python(PROGRAM, data) as (process, output):
        assert output.readline() == "written\n"
        process.send_signal(signal.SIGKILL)

    with LocalAws(data) as aws:
        assert items(made(aws)) == {"STATE": {"pk": "a", "sk": "STATE", "run": "1"}}


def test_an_expired_item_is_gone_after_a_restart(data: Path) -> None:
    """DynamoDB deletes it within days; an item without an expiry stays."""
    clock = Clock()
    lifetime = {"Enabled": True, "AttributeName": "expires_at"}
    with LocalAws(data, clock=clock) as aws:
        table = made(aws)
        aws.client("dynamodb").update_time_to_live(TableName="ledger", TimeToLiveSpecification=lifetime)
        for sort, seconds in (("soon", 60), ("late", 600)):
            table.put_item(Item={**key(sort), "expires_at": int(clock.now() + seconds)})
        table.put_item(Item=key("never"))
    clock.advance(300)

    with LocalAws(data, clock=clock) as aws:
        assert sorted(items(made(aws))) == ["late", "never"]


def test_messages_and_vectors_survive(data: Path) -> None:
    """Receivers of what was in flight ended with the server, so that was no try of it; a repeat is still one."""

    def send(sqs: Any) -> str:
        url = str(sqs.create_queue(**QUEUE)["QueueUrl"])
        sqs.send_message(QueueUrl=url, MessageBody="job", MessageGroupId="g", MessageDeduplicationId="guid-1")
        return url

    with LocalAws(data) as aws:
        sqs = aws.client("sqs")
        [held] = sqs.receive_message(QueueUrl=send(sqs))["Messages"]
        aws.client("s3vectors").create_vector_bucket(vectorBucketName="memory")

    with LocalAws(data) as aws:
        [bucket] = aws.client("s3vectors").list_vector_buckets()["vectorBuckets"]
        sqs = aws.client("sqs")
        url = send(sqs)
        received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, AttributeNames=["All"])["Messages"]

    counts = [(message["Body"], message["Attributes"]["ApproximateReceiveCount"]) for message in received]
    assert (counts, bucket["vectorBucketName"]) == ([("job", "1")], "memory")
    assert received[0]["ReceiptHandle"] != held["ReceiptHandle"]


def test_data_serves_one_aws_at_a_time(data: Path) -> None:
    """Only the owner of the folder can read it."""
    with LocalAws(data):
        with pytest.raises(UnusableFolder, match=f"^{data} is in use by another process$"):
            LocalAws(data).__enter__()

        assert {file.stat().st_mode & 0o077 for file in [data, *data.iterdir()]} == {0}
