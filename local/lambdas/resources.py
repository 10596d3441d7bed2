"""Makes a template's queues, table, vector index and parameters in the local AWS."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from local.aws import LocalAws
from local.aws.call import table_arn
from local.aws.protocol import ACCOUNT, REGION, AwsError
from local.lambdas.stack import Attributes, Creator

_ALREADY_THERE = {"ResourceInUseException", "ConflictException"}


def creators(aws: LocalAws) -> dict[str, Creator]:
    """Return what makes each type of resource that holds state; nothing else needs making on one machine."""
    return {
        "AWS::SQS::Queue": lambda name, given: _queue(aws, name, given),
        "AWS::DynamoDB::Table": lambda name, given: _table(aws, name, given),
        "AWS::SSM::Parameter": lambda _, given: _parameter(aws, given),
        "AWS::S3Vectors::VectorBucket": lambda _, given: _vector_bucket(aws, given),
        "AWS::S3Vectors::Index": lambda _, given: _vector_index(aws, given),
    }


def describe(name: str, given: Mapping[str, Any]) -> Attributes:
    """Name a resource that is not made: a role, an alarm, a log group, the API, a function."""
    return {"Ref": name, "Arn": f"arn:aws:{str(given['Type']).split('::')[1].lower()}:{REGION}:{ACCOUNT}:{name}"}


def _queue(aws: LocalAws, name: str, given: Mapping[str, Any]) -> Attributes:
    queue_name = given.get("QueueName", f"{name}.fifo")
    attributes = {key: _as_text(value) for key, value in given.items() if key != "QueueName"}
    url = aws.ask("sqs", "CreateQueue", QueueName=queue_name, Attributes=attributes)["QueueUrl"]
    known = aws.ask("sqs", "GetQueueAttributes", QueueUrl=url, AttributeNames=["QueueArn"])
    arn = known["Attributes"]["QueueArn"]
    return {"Ref": url, "Arn": arn, "QueueName": queue_name}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _table(aws: LocalAws, name: str, given: Mapping[str, Any]) -> Attributes:
    table_name = given.get("TableName", name)
    kept = ("AttributeDefinitions", "BillingMode", "KeySchema", "DeletionProtectionEnabled")
    request = {key: given[key] for key in kept if key in given}
    with _unless_there():
        aws.ask("dynamodb", "CreateTable", TableName=table_name, **request)
        lifetime = given["TimeToLiveSpecification"]
        aws.ask("dynamodb", "UpdateTimeToLive", TableName=table_name, TimeToLiveSpecification=lifetime)
    return {"Ref": table_name, "Arn": table_arn(table_name)}


def _parameter(aws: LocalAws, given: Mapping[str, Any]) -> Attributes:
    request = {"Name": given["Name"], "Type": given["Type"], "Value": str(given["Value"])}
    aws.ask("ssm", "PutParameter", **request, Overwrite=True)
    return {"Ref": given["Name"], "Type": given["Type"], "Value": str(given["Value"])}


def _vector_bucket(aws: LocalAws, given: Mapping[str, Any]) -> Attributes:
    request = _camel(given)
    with _unless_there():
        aws.ask("s3vectors", "CreateVectorBucket", **request)
    found = aws.ask("s3vectors", "GetVectorBucket", vectorBucketName=request["vectorBucketName"])
    bucket = found["vectorBucket"]
    arn = str(bucket["vectorBucketArn"])
    return {"Ref": arn, "VectorBucketArn": arn}


def _vector_index(aws: LocalAws, given: Mapping[str, Any]) -> Attributes:
    request = _camel(given)
    with _unless_there():
        aws.ask("s3vectors", "CreateIndex", **request)
    arn = f"{request['vectorBucketArn']}/index/{request['indexName']}"
    return {"Ref": arn, "IndexArn": arn}


def _camel(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key[0].lower() + key[1:]: _camel(item) for key, item in value.items()}
    return value


@contextmanager
def _unless_there() -> Iterator[None]:
    try:
        yield
    except AwsError as error:
        if error.code not in _ALREADY_THERE:
            raise
