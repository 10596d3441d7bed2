"""Failures that a test plans for the calls of the functions."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, ReadTimeoutError

from local.aws import LocalAws, local_session
from local.aws.failures import server_error, slow, throttled


@pytest.fixture
def bedrock(aws: LocalAws) -> Iterator[Any]:
    """A client that does not wait long."""
    config = Config(read_timeout=0.3, retries={"total_max_attempts": 1})
    session = local_session(aws.access_key())
    with closing(session.client("bedrock-runtime", endpoint_url=aws.address, config=config)) as client:
        yield client


def embed(client: Any) -> int:
    answer = client.invoke_model(modelId="amazon.titan-embed-text-v2:0", body=json.dumps({"inputText": "a"}))
    return len(json.loads(answer["body"].read())["embedding"])


def test_a_call_fails_as_often_as_planned(aws: LocalAws, bedrock: Any) -> None:
    """Failures come in the order of the plan; later calls and other operations work."""
    aws.fail_next("Bedrock InvokeModel", throttled(), times=2)
    aws.fail_next("Bedrock InvokeModel", server_error())
    codes = []
    for _ in range(3):
        aws.client("sqs").list_queues()
        with pytest.raises(ClientError) as raised:
            embed(bedrock)
        codes.append(raised.value.response["Error"]["Code"])

    assert codes == ["ThrottlingException", "ThrottlingException", "InternalServerException"]
    assert embed(bedrock) == 1_024


@pytest.mark.parametrize(
    ("service", "operation", "call"),
    [
        ("dynamodb", "DynamoDB ListTables", "list_tables"),
        ("sqs", "SQS ListQueues", "list_queues"),
        ("s3vectors", "S3Vectors ListVectorBuckets", "list_vector_buckets"),
    ],
)
def test_every_service_fails_in_its_own_protocol(aws: LocalAws, service: str, operation: str, call: str) -> None:
    """Named by its service and its operation; boto3 reads the code of each."""
    aws.fail_next(operation, throttled("TooManyRequestsException"))

    with pytest.raises(ClientError) as raised:
        getattr(aws.client(service), call)()

    assert raised.value.response["Error"]["Code"] == "TooManyRequestsException"
    assert raised.value.response["ResponseMetadata"]["HTTPStatusCode"] == 429


def test_a_slow_service_lets_its_client_wait(aws: LocalAws, bedrock: Any) -> None:
    """A client that waits long enough gets the answer."""
    aws.fail_next("Bedrock InvokeModel", slow(0.1))
    aws.fail_next("Bedrock InvokeModel", slow(1))
    began = time.monotonic()

    answered = embed(bedrock)
    with pytest.raises(ReadTimeoutError):
        embed(bedrock)

    assert answered == 1_024
    assert 0.4 <= time.monotonic() - began < 0.9
