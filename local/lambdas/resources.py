"""Makes a template's queues, table, vector index and parameters in an AWS that boto3 is pointed to."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from local.lambdas.stack import Attributes, Creator

_ALREADY_THERE = {"ResourceInUseException", "ConflictException"}


class Clients:
    """The boto3 clients of one AWS, told apart from any other by the environment that a function gets."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._session: Any = boto3.Session(
            aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
            region_name=environment["AWS_DEFAULT_REGION"],
        )
        self._made: dict[str, Any] = {}

    @property
    def region(self) -> str:
        """The region in which everything is made."""
        return self._environment["AWS_DEFAULT_REGION"]

    def client(self, service: str) -> Any:
        """Returns the client of a service, the same one for every call; safe to use from several threads."""
        if service not in self._made:
            name = "AWS_ENDPOINT_URL_" + service.upper().replace("-", "_")
            endpoint = self._environment.get(name) or self._environment["AWS_ENDPOINT_URL"]
            config = Config(retries={"total_max_attempts": 1}, max_pool_connections=50, read_timeout=30)
            self._made[service] = self._session.client(service, endpoint_url=endpoint, config=config)
        return self._made[service]

    def close(self) -> None:
        """Closes every connection."""
        for client in self._made.values():
            client.close()
        self._made.clear()


def creators(clients: Clients) -> dict[str, Creator]:
    """Returns what makes each type of resource that holds state; nothing else needs making on one machine."""
    return {
        "AWS::SQS::Queue": lambda name, given: _queue(clients.client("sqs"), name, given),
        "AWS::DynamoDB::Table": lambda name, given: _table(clients.client("dynamodb"), name, given),
        "AWS::SSM::Parameter": lambda _, given: _parameter(clients.client("ssm"), given),
        "AWS::S3Vectors::VectorBucket": lambda _, given: _vector_bucket(clients.client("s3vectors"), given),
        "AWS::S3Vectors::Index": lambda _, given: _vector_index(clients.client("s3vectors"), given),
    }


def describer(region: str, account: str) -> Creator:
    """Returns what names the resources that are not made: roles, alarms, logs, the API, the functions."""

    def describe(name: str, given: Mapping[str, Any]) -> Attributes:
        arn = f"arn:aws:{str(given['Type']).split('::')[1].lower()}:{region}:{account}:{name}"
        return {"Ref": name, "Arn": arn}

    return describe


def _queue(sqs: Any, name: str, given: Mapping[str, Any]) -> Attributes:
    attributes = {key: _as_text(value) for key, value in given.items() if key not in {"QueueName", "Tags"}}
    # SQS takes the word "true" for a FIFO queue and refuses any other.
    if attributes.get("FifoQueue") == "false":
        del attributes["FifoQueue"]
    suffix = ".fifo" if "FifoQueue" in attributes else ""
    queue_name = given.get("QueueName", name + suffix)
    try:
        url = sqs.create_queue(QueueName=queue_name, Attributes=attributes)["QueueUrl"]
    except sqs.exceptions.QueueNameExists:  # as it was described earlier: now it is to be as it is described here
        url = sqs.get_queue_url(QueueName=queue_name)["QueueUrl"]
        sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return {"Ref": url, "QueueUrl": url, "Arn": arn, "QueueName": queue_name}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _table(dynamodb: Any, name: str, given: Mapping[str, Any]) -> Attributes:
    request = dict(given)
    table_name = request.setdefault("TableName", name)
    lifetime = request.pop("TimeToLiveSpecification", None)
    recovery = request.pop("PointInTimeRecoverySpecification", None)
    if "SSESpecification" in request:
        request["SSESpecification"] = {"Enabled": request["SSESpecification"]["SSEEnabled"]}
    with _unless_there():
        dynamodb.create_table(**request)
        if lifetime:
            dynamodb.update_time_to_live(TableName=table_name, TimeToLiveSpecification=lifetime)
        if recovery:
            dynamodb.update_continuous_backups(TableName=table_name, PointInTimeRecoverySpecification=recovery)
    arn = dynamodb.describe_table(TableName=table_name)["Table"]["TableArn"]
    return {"Ref": table_name, "Arn": arn}


def _parameter(ssm: Any, given: Mapping[str, Any]) -> Attributes:
    ssm.put_parameter(Name=given["Name"], Type=given["Type"], Value=str(given["Value"]), Overwrite=True)
    return {"Ref": given["Name"], "Type": given["Type"], "Value": str(given["Value"])}


def _vector_bucket(s3vectors: Any, given: Mapping[str, Any]) -> Attributes:
    request = _camel(given)
    with _unless_there():
        s3vectors.create_vector_bucket(**request)
    bucket = s3vectors.get_vector_bucket(vectorBucketName=request["vectorBucketName"])["vectorBucket"]
    arn = str(bucket["vectorBucketArn"])
    return {"Ref": arn, "VectorBucketArn": arn}


def _vector_index(s3vectors: Any, given: Mapping[str, Any]) -> Attributes:
    request = _camel(given)
    with _unless_there():
        s3vectors.create_index(**request)
    where = {key: request[key] for key in ("vectorBucketName", "indexName") if key in request}
    if "vectorBucketArn" in request:
        where["vectorBucketName"] = request["vectorBucketArn"].rpartition("/")[2]
    arn = str(s3vectors.get_index(**where)["index"]["indexArn"])
    return {"Ref": arn, "IndexArn": arn}


def _camel(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key[0].lower() + key[1:]: _camel(item) for key, item in value.items()}
    return value


@contextmanager
def _unless_there() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] not in _ALREADY_THERE:
            raise
