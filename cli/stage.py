"""A deployment in AWS, by the name of its stage, as an operator's commands reach it."""

import os
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError

from cli.aws_session import CONFIG, aws_session, without_key
from cli.errors import CommandError
from kodiai.core.errors import KodiaiError
from kodiai.edges.aws import QUICK, translated
from kodiai.edges.repository_data import S3StoredVectors

INGEST_CONCURRENCY = 10
"""The invocations that are kept for ingest, where the account has room."""
LEAST_FOR_OTHERS = 100
"""The invocations that AWS insists on leaving for all functions that reserve nothing."""

_BEGINNINGS = {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS"}
_NO_STACK = "ValidationError"  # what CloudFormation calls it


@dataclass(frozen=True)
class Stack:
    """A stack: its status, its outputs, and its template's parameters with their values.

    `defaults` are those of the template that it was deployed with. Source:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_Stack.html
    """

    status: str
    outputs: Mapping[str, str]
    values: Mapping[str, str]
    defaults: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether it was created, and its last update is over; that may have been rolled back."""
        return self.status in {"CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE"}

    @property
    def was_never_created(self) -> bool:
        """Whether its first creation failed: such a stack can only be deleted."""
        return self.status in {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "REVIEW_IN_PROGRESS"}

    @property
    def is_changing(self) -> bool:
        """Whether something is at work on it, which nothing else can be until it is over."""
        return self.status.endswith("_IN_PROGRESS") and self.status != "REVIEW_IN_PROGRESS"

    @property
    def chosen(self) -> dict[str, str]:
        """The values that somebody chose; all others are the template's own, which a new version may change."""
        return {name: value for name, value in self.values.items() if value != self.defaults.get(name)}

    def outdated(self, defaults: Mapping[str, str]) -> dict[str, str]:
        """The new defaults of values that nobody chose; CloudFormation keeps the old ones otherwise."""
        chosen = self.chosen
        return {
            name: defaults[name]
            for name, value in self.values.items()
            if name not in chosen and defaults.get(name, value) != value
        }


@dataclass(frozen=True)
class StoredParameter:
    """A parameter in SSM: its type, such as SecureString, and its value."""

    kind: str
    value: str = field(repr=False)


class Stage:
    """A deployment. Every method raises Broken or Retry, in AWS's words, where AWS refuses or cannot be reached.

    `endpoint_url` is another AWS, such as one on this machine.
    """

    def __init__(self, name: str, endpoint_url: str | None) -> None:
        self.name = name
        self.stack_name = f"kodiai-{name}"
        self.prefix = f"/kodiai/{name}"
        self.table_name = f"kodiai-{name}-ledger"
        self.bucket_name = f"kodiai-{name}-memory"
        self.endpoint_url = endpoint_url
        self._place: dict[str, Any] = {"endpoint_url": without_key(endpoint_url), "config": CONFIG}
        self._clients: dict[str, Any] = {}
        with aws_session(endpoint_url) as session:
            self._session: Any = session

    def client(self, service: str) -> Any:
        """A client of a service. Raises CommandError without a region."""
        if service not in self._clients:
            with aws_session(self.endpoint_url):
                self._clients[service] = self._session.client(service, **self._place)
        return self._clients[service]

    @cached_property
    def table(self) -> Any:
        """The table. Raises CommandError without a region."""
        with aws_session(self.endpoint_url):
            return self._session.resource("dynamodb", **self._place).Table(self.table_name)

    @cached_property
    def vectors(self) -> S3StoredVectors:
        """The stored vectors."""
        return S3StoredVectors(self.client("s3vectors"), self.bucket_name)

    @contextmanager
    def named_table(self) -> Iterator[None]:
        """Name the table in the errors of AWS, and where it was looked for. Raises CommandError."""
        try:
            yield
        except KodiaiError as error:
            where = f"at {without_key(self.endpoint_url)}" if self.endpoint_url else f"in {self.region}"
            raise CommandError(f"{error} (table {self.table_name} {where})") from error

    @cached_property
    def region(self) -> str:
        """The AWS region of the stage. Raises CommandError if none is set."""
        region = self._session.region_name
        if region is None:
            raise CommandError("AWS has no region: set AWS_REGION, such as AWS_REGION=eu-central-1.")
        return str(region)

    def environment(self) -> dict[str, str]:
        """The environment in which other programs, such as the SAM CLI, reach the same AWS."""
        credentials = self._session.get_credentials()
        endpoint = without_key(self.endpoint_url)
        if endpoint is None or credentials is None:
            return {**os.environ, "AWS_DEFAULT_REGION": self.region, "AWS_REGION": self.region}
        return {
            **os.environ,
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": credentials.access_key,
            "AWS_SECRET_ACCESS_KEY": credentials.secret_key,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_REGION": self.region,
        }

    def account(self) -> str:
        """The id of the AWS account."""
        with translated("AWS does not accept the credentials", "STS", with_message=True):
            return str(self.client("sts").get_caller_identity()["Account"])

    def caller(self) -> str:
        """The ARN of the user or the role whose rights count; a session has those of its role."""
        with translated("AWS does not accept the credentials", "STS", with_message=True):
            arn = str(self.client("sts").get_caller_identity()["Arn"])
        return re.sub(r":sts::(\d+):assumed-role/([^/]+)/.*", r":iam::\1:role/\2", arn)

    def stored(self) -> dict[str, StoredParameter]:
        """The parameters that are stored, by their names below the prefix, secrets in clear."""
        with translated(f"The parameters below {self.prefix} cannot be read", "SSM", with_message=True):
            pages = (
                self.client("ssm")
                .get_paginator("get_parameters_by_path")
                .paginate(Path=self.prefix, Recursive=True, WithDecryption=True)
            )
            return {
                each["Name"].removeprefix(f"{self.prefix}/"): StoredParameter(each["Type"], each["Value"])
                for page in pages
                for each in page["Parameters"]
            }

    def values(self) -> dict[str, str]:
        """Their values."""
        return {name: each.value for name, each in self.stored().items()}

    def store(self, name: str, value: str) -> None:
        """Store a parameter by its name below the prefix, encrypted, over what is there."""
        path = f"{self.prefix}/{name}"
        with translated(f"The parameter {path} cannot be stored", "SSM", with_message=True):
            self.client("ssm").put_parameter(Name=path, Value=value, Type="SecureString", Overwrite=True)

    def concurrency(self) -> tuple[int, int]:
        """The number of functions that may run at a time in the account, and of those that nobody has reserved.

        Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
        """
        with translated("The account's limits cannot be read", "Lambda", with_message=True):
            limit = self.client("lambda").get_account_settings()["AccountLimit"]
        return limit["ConcurrentExecutions"], limit["UnreservedConcurrentExecutions"]

    def has_table(self) -> bool:
        """Whether the table exists, in the stack or not."""
        dynamodb = self.client("dynamodb")
        with (
            translated("The table cannot be read", "DynamoDB", with_message=True),
            suppress(dynamodb.exceptions.ResourceNotFoundException),
        ):
            dynamodb.describe_table(TableName=self.table_name)
            return True
        return False

    def has_vector_bucket(self) -> bool:
        """Whether the bucket for vectors exists, in the stack or not.

        Raises CommandError in a region without S3 Vectors. Such a region has no endpoint of it. Source: https://docs.aws.amazon.com/general/latest/gr/s3.html
        """
        vectors = self.client("s3vectors")
        with translated("S3 Vectors cannot be read", "S3 Vectors", with_message=True):
            try:
                vectors.get_vector_bucket(vectorBucketName=self.bucket_name)
            except vectors.exceptions.NotFoundException:
                return False
            except EndpointConnectionError as error:
                raise CommandError(
                    f"S3 Vectors, which keeps the embeddings of findings, does not answer in {self.region}: choose "
                    "another region, or do without the memory with --set Embeddings=off."
                ) from error
        return True

    def check_names(self, stack: Stack | None, *, embeds: bool) -> None:
        """Check that no data is left where the stack will make its own. Raises CommandError, which names it."""
        left = [f"the table {self.table_name}"] if stack is None and self.has_table() else []
        makes_bucket = embeds and (stack is None or stack.values.get("Embeddings") == "off")
        if makes_bucket and self.has_vector_bucket():
            left.append(f"the vector bucket {self.bucket_name}")
        if left:
            raise CommandError(
                f"An earlier deployment has left {' and '.join(left)}: delete what docs/operators.md names under "
                '"Remove", or choose another --stage.'
            )

    def stack(self) -> Stack | None:
        """The stack, None if there is none."""
        formation = self.client("cloudformation")
        with translated(f"The stack {self.stack_name} cannot be read", "CloudFormation", with_message=True):
            try:
                found = formation.describe_stacks(StackName=self.stack_name)["Stacks"][0]
                summary = formation.get_template_summary(StackName=self.stack_name)
            except ClientError as error:
                if error.response["Error"]["Code"] == _NO_STACK:
                    return None
                raise
        return Stack(
            status=found["StackStatus"],
            outputs={each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", ())},
            values={each["ParameterKey"]: each["ParameterValue"] for each in found.get("Parameters", ())},
            defaults={
                each["ParameterKey"]: each["DefaultValue"]
                for each in summary.get("Parameters", ())
                if "DefaultValue" in each
            },
        )

    def regions(self) -> list[str]:
        """The regions of the account that have the stack, as far as they can be asked."""
        regions = self._session.get_available_regions("cloudformation")
        place = {**self._place, "config": QUICK}
        clients = [self._session.client("cloudformation", region_name=region, **place) for region in regions]

        def has_stack(formation: Any) -> bool:
            try:
                return bool(formation.describe_stacks(StackName=self.stack_name)["Stacks"])
            except (ClientError, BotoCoreError):  # no such stack, or the region is not the account's
                return False

        with ThreadPoolExecutor(len(regions)) as threads:
            return [region for region, found in zip(regions, threads.map(has_stack, clients), strict=True) if found]

    def resources(self, kind: str) -> dict[str, str]:
        """The stack's resources of a type: their own names by those in the template."""
        with translated(f"The resources of {self.stack_name} cannot be read", "CloudFormation", with_message=True):
            pages = self.client("cloudformation").get_paginator("list_stack_resources")
            return {
                each["LogicalResourceId"]: each["PhysicalResourceId"]
                for page in pages.paginate(StackName=self.stack_name)
                for each in page["StackResourceSummaries"]
                if each["ResourceType"] == kind
            }

    def newest_event(self) -> str | None:
        """The id of the stack's newest event, None if there is no stack."""
        return next((str(event["EventId"]) for event in self._events()), None)

    def first_failure(self, after: str | None) -> str | None:
        """The first resource that failed in the stack's newest creation or update, and why, in CloudFormation's words.

        Events up to the one with the id `after` are those of an earlier one.
        """
        first = None
        for event in self._events():
            if event["EventId"] == after:
                break
            if event["ResourceStatus"].endswith("_FAILED"):
                first = f"{event['LogicalResourceId']}: {event.get('ResourceStatusReason', 'no reason given')}"
            if event["LogicalResourceId"] == self.stack_name and event["ResourceStatus"] in _BEGINNINGS:
                break
        return first

    def _events(self) -> Iterator[Any]:
        """The stack's events, the newest first; none if there is no stack."""
        formation = self.client("cloudformation")
        with translated(f"The events of {self.stack_name} cannot be read", "CloudFormation", with_message=True):
            try:
                pages = formation.get_paginator("describe_stack_events").paginate(StackName=self.stack_name)
                yield from (event for page in pages for event in page["StackEvents"])
            except ClientError as error:
                if error.response["Error"]["Code"] != _NO_STACK:
                    raise

    def delete_stack(self) -> None:
        """Delete the stack, and wait until it is gone."""
        formation = self.client("cloudformation")
        with translated(f"The stack {self.stack_name} cannot be deleted", "CloudFormation", with_message=True):
            formation.delete_stack(StackName=self.stack_name)
            formation.get_waiter("stack_delete_complete").wait(
                StackName=self.stack_name, WaiterConfig={"Delay": 3, "MaxAttempts": 200}
            )
