"""The local AWS starts, stops, and keeps what is in its folder."""

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
        "import boto3, json;"
        "q = boto3.client('sqs').create_queue(QueueName='q.fifo', Attributes={'FifoQueue': 'true'})['QueueUrl'];"
        "boto3.client('ssm').put_parameter(Name='/a', Value='b', Type='String');"
        "v = boto3.client('s3vectors').create_vector_bucket(vectorBucketName='memory')['vectorBucketArn'];"
        "print(json.dumps([q, v, boto3.client('dynamodb').list_tables()['TableNames']]))"
    )
    with LocalAws() as aws:
        environment = {"PATH": os.environ["PATH"], **aws.endpoints}

        printed = subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        ).stdout

        url = aws.client("sqs").get_queue_url(QueueName="q.fifo")["QueueUrl"]
        bucket = aws.client("s3vectors").get_vector_bucket(vectorBucketName="memory")["vectorBucket"]
        assert json.loads(printed) == [url, bucket["vectorBucketArn"], []]
        assert aws.client("ssm").get_parameter(Name="/a")["Parameter"]["Value"] == "b"


def test_messages_and_vectors_survive_in_their_folder(tmp_path: Path) -> None:
    """A queue that was full is full once it is created again, and a repeat of what is in it is still one."""
    with LocalAws(tmp_path / "state") as aws:
        sqs = aws.client("sqs")
        url = sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody="job", MessageGroupId="g", MessageDeduplicationId="guid-1")
        aws.client("s3vectors").create_vector_bucket(vectorBucketName="memory")

    with LocalAws(tmp_path / "state") as aws:
        sqs = aws.client("sqs")
        url = sqs.create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
        sqs.send_message(QueueUrl=url, MessageBody="job", MessageGroupId="g", MessageDeduplicationId="guid-1")
        messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10)["Messages"]
        bucket = aws.client("s3vectors").get_vector_bucket(vectorBucketName="memory")["vectorBucket"]

    assert [message["Body"] for message in messages] == ["job"]
    assert bucket["vectorBucketName"] == "memory"


def test_two_at_once_know_nothing_of_each_other() -> None:
    """Each test can have an AWS of its own, tables and parameters included."""
    with LocalAws() as one, LocalAws() as other:
        one.client("ssm").put_parameter(Name="/a", Value="b", Type="String")
        one.client("sqs").create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})

        with pytest.raises(ClientError, match="ParameterNotFound"):
            other.client("ssm").get_parameter(Name="/a")
        assert other.client("sqs").list_queues()["QueueUrls"] == []


def test_after_the_end_nothing_answers_and_the_next_one_begins_empty() -> None:
    """Without a folder nothing is kept."""
    with LocalAws() as aws:
        aws.client("sqs").create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})
        aws.client("ssm").put_parameter(Name="/a", Value="b", Type="String")

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(aws.address, timeout=2)
    with LocalAws() as aws:
        assert aws.client("sqs").list_queues()["QueueUrls"] == []
        assert aws.client("ssm").get_parameters_by_path(Path="/")["Parameters"] == []


def test_a_service_that_is_not_here_is_refused_and_named() -> None:
    """A new dependency on AWS shows as one clear error, not as a hang."""
    with LocalAws() as aws, pytest.raises(ClientError, match="kms is not here"):
        aws.client("kms").list_keys()
