"""Makes a template's queues, table, vector index and parameters in the local AWS."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from local.aws import LocalAws
from local.aws.call import table_arn
from local.aws.protocol import ACCOUNT, REGION
from local.lambdas.stack import Attributes, Creator

_ALREADY_THERE = {"ResourceInUseException", "ConflictException"}


def creators(aws: LocalAws) -> dict[str, Creator]:
    """Return what makes each type of resource that holds state; nothing else needs making on one machine."""
    return {
        "AWS::SQS::Queue": lambda name, given: _queue(aws.client("sqs"), name, given),
        "AWS::DynamoDB::Table": lambda name, given: _table(aws.client("dynamodb"), name, given),
        "AWS::SSM::Parameter": lambda _, given: _parameter(aws.client("ssm"), given),
        "AWS::S3Vectors::VectorBucket": lambda _, given: _vector_bucket(aws.client("s3vectors"), given),
        "AWS::S3Vectors::Index": lambda _, given: _vector_index(aws.client("s3vectors"), given),
    }


def describe(name: str, given: Mapping[str, Any]) -> Attributes:
    """Name a resource that is not made: a role, an alarm, a log group, the API, a function."""
    return {"Ref": name, "Arn": f"arn:aws:{str(given['Type']).split('::')[1].lower()}:{REGION}:{ACCOUNT}:{name}"}


def _queue(sqs: Any, name: str, given: Mapping[str, Any]) -> Attributes:
    queue_name = given.get("QueueName", f"{name}.fifo")
    attributes = {key: _as_text(value) for key, value in given.items() if key != "QueueName"}
    url = sqs.create_queue(QueueName=queue_name, Attributes=attributes)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return {"Ref": url, "Arn": arn, "QueueName": queue_name}


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _table(dynamodb: Any, name: str, given: Mapping[str, Any]) -> Attributes:
    table_name = given.get("TableName", name)
    kept = ("AttributeDefinitions", "BillingMode", "KeySchema", "DeletionProtectionEnabled")
    request = {key: given[key] for key in kept if key in given}
    with _unless_there():
        dynamodb.create_table(TableName=table_name, **request)
        dynamodb.update_time_to_live(TableName=table_name, TimeToLiveSpecification=given["TimeToLiveSpecification"])
    return {"Ref": table_name, "Arn": table_arn(table_name)}


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
    except ClientError as error:
        if error.response["Error"]["Code"] not in _ALREADY_THERE:
            raise
