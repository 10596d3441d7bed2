"""The local AWS starts, stops, and keeps what is in its folder."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

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


def test_another_one_knows_nothing_of_it_while_it_runs_or_later() -> None:
    """Each test can have an AWS of its own; without a folder nothing is kept."""
    with LocalAws() as aws, LocalAws() as another:
        aws.client("sqs").create_queue(QueueName="q.fifo", Attributes={"FifoQueue": "true"})
        aws.client("ssm").put_parameter(Name="/a", Value="b", Type="String")
        in_others = [another.client("sqs").list_queues(), another.client("ssm").get_parameters_by_path(Path="/")]

    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(aws.address, timeout=2)
    with LocalAws() as later:
        in_others += [later.client("sqs").list_queues(), later.client("ssm").get_parameters_by_path(Path="/")]
    assert [each.get("QueueUrls", each.get("Parameters")) for each in in_others] == [[]] * 4


def test_a_service_that_is_not_here_is_refused_and_named() -> None:
    """A new dependency on AWS shows as one clear error, not as a hang."""
    with LocalAws() as aws, pytest.raises(ClientError, match="kms is not here"):
        aws.client("kms").list_keys()
