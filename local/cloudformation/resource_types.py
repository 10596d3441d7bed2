"""The types of resources that the local AWS can find, create, update and delete; all others are only described."""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from local.aws import LocalAws
from local.aws.protocol import ACCOUNT, REGION
from local.lambdas.http_api import HttpApi
from local.lambdas.resources import creators, describe
from local.lambdas.stack import Attributes

Properties = Mapping[str, Any]

_NAMES = ("FunctionName", "LayerName", "TopicName", "AlarmName", "PolicyName")


def _nothing(_: Properties) -> None:
    return None


@dataclass(frozen=True)
class ResourceType:
    """The handling of a type by CloudFormation.

    `find` raises where nothing has the name of these properties, None stands for a type without names of its own.
    A change of a property in `fixed` replaces the resource, of any other one calls `update`.
    """

    create: Callable[[str, Properties], Attributes]
    delete: Callable[[Attributes, Properties], object]
    update: Callable[[Properties], object] = _nothing
    find: Callable[[Properties], object] | None = None
    name: str = ""
    fixed: frozenset[str] = field(default_factory=frozenset)


class ResourceTypes:
    """The types of an AWS whose account may have `account_concurrency` invocations at a time.

    `apis` are the HTTP APIs that were made, by their id.
    """

    def __init__(self, aws: LocalAws, account_concurrency: int) -> None:
        self.apis: dict[str, HttpApi] = {}
        self._aws = aws
        self._create = creators(aws)
        self._concurrency = account_concurrency
        self._reserved: dict[str, int] = {}
        self._types: dict[str, ResourceType] = {
            "AWS::SQS::Queue": self._queue(),
            "AWS::DynamoDB::Table": self._table(),
            "AWS::SSM::Parameter": self._parameter(),
            "AWS::S3Vectors::VectorBucket": self._vector_bucket(),
            "AWS::S3Vectors::Index": self._vector_index(),
            "AWS::Logs::LogGroup": self._log_group(),
            "AWS::S3::Bucket": self._bucket(),
            "AWS::CloudWatch::Alarm": self._alarm(),
            "AWS::Events::Rule": self._rule(),
            "AWS::ApiGatewayV2::Api": ResourceType(self._make_api, self._stop_api),
            "AWS::Lambda::Function": ResourceType(
                self._describe_function, self._forget_function, self._reserve, fixed=frozenset({"FunctionName"})
            ),
        }

    def of(self, kind: str) -> ResourceType:
        """Return what is done with a type."""
        known = self._types.get(kind)
        return known or ResourceType(lambda name, given: _described(kind, name, given), lambda *_: None)

    def create(self, name: str, kind: str, given: Properties) -> Attributes:
        """Make a resource. Raises ValueError where there is one with its name, and ClientError."""
        known = self.of(kind)
        if known.find is not None and _finds(known.find, given):
            raise ValueError(f"Resource of type '{kind}' with identifier '{given[known.name]}' already exists.")
        return known.create(name, given)

    @property
    def unreserved(self) -> int:
        """The concurrency of the account for functions without reserved concurrency."""
        return self._concurrency - sum(self._reserved.values())

    def _queue(self) -> ResourceType:
        sqs = self._aws.client("sqs")

        def update(given: Properties) -> None:
            attributes = {key: _text(value) for key, value in given.items() if key not in {"QueueName", "FifoQueue"}}
            url = sqs.get_queue_url(QueueName=given["QueueName"])["QueueUrl"]
            sqs.set_queue_attributes(QueueUrl=url, Attributes=attributes)

        return ResourceType(
            self._create["AWS::SQS::Queue"],
            lambda made, _: sqs.delete_queue(QueueUrl=made["Ref"]),
            update,
            lambda given: sqs.get_queue_url(QueueName=given["QueueName"]),
            "QueueName",
            frozenset({"QueueName", "FifoQueue"}),
        )

    def _table(self) -> ResourceType:
        dynamodb = self._aws.client("dynamodb")
        return ResourceType(
            self._create["AWS::DynamoDB::Table"],
            lambda made, _: dynamodb.delete_table(TableName=made["Ref"]),
            lambda given: dynamodb.update_table(
                TableName=given["TableName"], DeletionProtectionEnabled=given.get("DeletionProtectionEnabled", False)
            ),
            lambda given: dynamodb.describe_table(TableName=given["TableName"]),
            "TableName",
            frozenset({"TableName", "KeySchema"}),
        )

    def _parameter(self) -> ResourceType:
        ssm, create = self._aws.client("ssm"), self._create["AWS::SSM::Parameter"]
        return ResourceType(
            create,
            lambda made, _: ssm.delete_parameter(Name=made["Ref"]),
            lambda given: create("", given),
            lambda given: ssm.get_parameter(Name=given["Name"]),
            "Name",
            frozenset({"Name"}),
        )

    def _vector_bucket(self) -> ResourceType:
        vectors = self._aws.client("s3vectors")
        return ResourceType(
            self._create["AWS::S3Vectors::VectorBucket"],
            lambda made, _: vectors.delete_vector_bucket(vectorBucketArn=made["Ref"]),
            find=lambda given: vectors.get_vector_bucket(vectorBucketName=given["VectorBucketName"]),
            name="VectorBucketName",
            fixed=frozenset({"VectorBucketName", "EncryptionConfiguration"}),
        )

    def _vector_index(self) -> ResourceType:
        vectors = self._aws.client("s3vectors")
        fixed = {"VectorBucketArn", "IndexName", "DataType", "Dimension", "DistanceMetric", "MetadataConfiguration"}
        return ResourceType(
            self._create["AWS::S3Vectors::Index"],
            lambda made, _: vectors.delete_index(indexArn=made["Ref"]),
            find=lambda given: vectors.get_index(indexArn=f"{given['VectorBucketArn']}/index/{given['IndexName']}"),
            name="IndexName",
            fixed=frozenset(fixed),
        )

    def _log_group(self) -> ResourceType:
        logs = self._aws.client("logs")

        def create(_: str, given: Properties) -> Attributes:
            logs.create_log_group(logGroupName=given["LogGroupName"])
            update(given)
            name = str(given["LogGroupName"])
            [group] = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"]
            return {"Ref": name, "Arn": group["arn"]}

        def update(given: Properties) -> None:
            days = int(given["RetentionInDays"])
            logs.put_retention_policy(logGroupName=given["LogGroupName"], retentionInDays=days)

        return ResourceType(
            create,
            lambda made, _: logs.delete_log_group(logGroupName=made["Ref"]),
            update,
            name="LogGroupName",
            fixed=frozenset({"LogGroupName"}),
        )

    def _bucket(self) -> ResourceType:
        s3 = self._aws.client("s3")

        def create(name: str, given: Properties) -> Attributes:
            bucket = str(given.get("BucketName", f"{name.lower()}-{secrets.token_hex(6)}"))
            s3.create_bucket(Bucket=bucket)
            if versioning := given.get("VersioningConfiguration"):
                s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=versioning)
            return {"Ref": bucket, "Arn": f"arn:aws:s3:::{bucket}"}

        return ResourceType(create, lambda made, _: s3.delete_bucket(Bucket=made["Ref"]))

    def _alarm(self) -> ResourceType:
        cloudwatch = self._aws.client("cloudwatch")

        def put(name: str, given: Properties) -> Attributes:
            cloudwatch.put_metric_alarm(AlarmName=name, **{**given, "Threshold": float(given["Threshold"])})
            return {"Ref": name, "Arn": f"arn:aws:cloudwatch:{REGION}:{ACCOUNT}:alarm:{name}"}

        return ResourceType(
            lambda name, given: put(f"{name}-{secrets.token_hex(6)}", given),
            lambda made, _: cloudwatch.delete_alarms(AlarmNames=[made["Ref"]]),
        )

    def _rule(self) -> ResourceType:
        events = self._aws.client("events")

        def create(name: str, given: Properties) -> Attributes:
            name = f"{name}-{secrets.token_hex(6)}"
            arn = events.put_rule(Name=name, ScheduleExpression=given["ScheduleExpression"], State=given["State"])
            return {"Ref": name, "Arn": arn["RuleArn"]}

        return ResourceType(
            create,
            lambda made, _: events.delete_rule(Name=made["Ref"]),
            # Its properties do not have its name; another one has the new ones.
            fixed=frozenset({"ScheduleExpression", "State"}),
        )

    def _make_api(self, _: str, __: Properties) -> Attributes:
        api_id, api = secrets.token_hex(5), HttpApi()
        self.apis[api_id] = api
        return {"Ref": api_id, "ApiId": api_id, "ApiEndpoint": api.url}

    def _stop_api(self, made: Attributes, _: Properties) -> None:
        self.apis.pop(made["Ref"]).stop()

    def _describe_function(self, name: str, given: Properties) -> Attributes:
        self._reserve(given)
        return _described("AWS::Lambda::Function", name, given)

    def _forget_function(self, _: Attributes, given: Properties) -> None:
        self._reserved.pop(given["FunctionName"], None)

    def _reserve(self, given: Properties) -> None:
        """Reserve a function's share. Raises ValueError where too little is left for all others.

        Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html (100 stay unreserved; an
        account whose quota is below that keeps all of it)
        """
        share = int(given.get("ReservedConcurrentExecutions", 0))
        others = sum(count for function, count in self._reserved.items() if function != given["FunctionName"])
        least = min(100, self._concurrency)
        if share and self._concurrency - others - share < least:
            raise ValueError(
                "Specified ReservedConcurrentExecutions for function decreases account's UnreservedConcurrentExecution "
                f"below its minimum value of [{least}]."
            )
        self._reserved[given["FunctionName"]] = share


def _described(kind: str, name: str, given: Properties) -> Attributes:
    """Name a resource that is not made, by the name that its properties give it."""
    return describe(str(next((given[key] for key in _NAMES if key in given), name)), {"Type": kind})


def _finds(find: Callable[[Properties], object], given: Properties) -> bool:
    try:
        find(given)
    except ClientError as error:
        code = str(error.response["Error"]["Code"])
        if "NotFound" in code or "NonExistentQueue" in code or "DoesNotExist" in code:
            return False
        raise
    return True


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
