"""The local AWS starts, stops, and keeps what it was told to keep."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws


def test_boto3_in_another_process_needs_the_endpoints_only() -> None:
    """A function gets them as its environment and knows of nothing local."""
    program = (
        "import boto3, json; q = boto3.client('sqs').create_queue(QueueName='from-outside')['QueueUrl'];"
        "boto3.client('ssm').put_parameter(Name='/a', Value='b', Type='String');"
        "print(json.dumps([q, boto3.client('s3vectors').list_vector_buckets()['vectorBuckets'],"
        "boto3.client('dynamodb').list_tables()['TableNames']]))"
    )
    with LocalAws() as aws:
        environment = {"PATH": os.environ["PATH"], **aws.endpoints}

        printed = subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        ).stdout

        url = aws.client("sqs").get_queue_url(QueueName="from-outside")["QueueUrl"]
        assert json.loads(printed) == [url, [], []]
        assert aws.client("ssm").get_parameter(Name="/a")["Parameter"]["Value"] == "b"


def test_queues_and_vectors_survive_in_their_folder(tmp_path: Path) -> None:
    """A queue that was full when the system stopped is full when it starts again, under its new address."""
    with LocalAws(tmp_path / "state") as aws:
        sqs = aws.client("sqs")
        url = sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody="job", MessageGroupId="g", MessageDeduplicationId="guid-1")
        aws.client("s3vectors").create_vector_bucket(vectorBucketName="memory")

    with LocalAws(tmp_path / "state") as aws:
        sqs = aws.client("sqs")
        sqs.send_message(QueueUrl=url, MessageBody="job", MessageGroupId="g", MessageDeduplicationId="guid-1")
        url = sqs.get_queue_url(QueueName="q.fifo")["QueueUrl"]
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
        buckets = aws.client("s3vectors").list_vector_buckets()["vectorBuckets"]

    assert [message["Body"] for message in messages] == ["job"]
    assert [bucket["vectorBucketName"] for bucket in buckets] == ["memory"]


def test_two_at_once_know_nothing_of_each_other() -> None:
    """Each test can have an AWS of its own, tables and parameters included."""
    with LocalAws() as one, LocalAws() as other:
        one.client("ssm").put_parameter(Name="/a", Value="b", Type="String")
        one.client("sqs").create_queue(QueueName="q")

        with pytest.raises(ClientError, match="ParameterNotFound"):
            other.client("ssm").get_parameter(Name="/a")
        assert "QueueUrls" not in other.client("sqs").list_queues()


def test_after_a_stop_nothing_answers_and_a_new_start_begins_empty() -> None:
    """Stopping twice is no error; without a folder nothing is kept."""
    aws = LocalAws()
    aws.start()
    address = aws.address
    aws.client("sqs").create_queue(QueueName="q")
    aws.client("ssm").put_parameter(Name="/a", Value="b", Type="String")

    aws.stop()
    aws.stop()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=2)
    aws.start()

    assert "QueueUrls" not in aws.client("sqs").list_queues()
    assert aws.client("ssm").describe_parameters()["Parameters"] == []
    aws.stop()


def test_before_the_start_there_are_no_endpoints() -> None:
    """The port is not known yet, and saying so is better than a wrong one."""
    with pytest.raises(RuntimeError, match="not started"):
        _ = LocalAws().endpoints


def test_a_service_that_is_not_here_is_refused_and_named() -> None:
    """A new dependency on AWS shows as one clear error, not as a hang."""
    with LocalAws() as aws, pytest.raises(ClientError, match="AWSEvents is not here"):
        aws.client("events").list_rules()
