"""Deploys template.yaml as the SAM CLI does, without its uploads, and looks at what an account has."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from local.cloud import LocalCloud
from local.lambdas.template import parse_template

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = parse_template((ROOT / "template.yaml").read_text("utf-8"), "template.yaml")
for _resource in TEMPLATE["Resources"].values():
    for _key in _resource.get("Properties", {}).keys() & {"CodeUri", "ContentUri"}:
        _resource["Properties"][_key] = "s3://artifacts/what-was-built"

Change = Callable[[dict[str, Any]], object]


class Account:
    """A local account, and what an operator does with it."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.cloud = cloud
        self.cloudformation = cloud.aws.client("cloudformation")

    def deploy(self, stage: str, change: Change | None = None, **parameters: str) -> str:
        """Deploy the template, changed if need be, and return the stack's status.

        Of parameters that are not given, a new stack gets the default, and an old one keeps what it has, as SAM asks.
        """
        template = copy.deepcopy(TEMPLATE)
        if change is not None:
            change(template)
        name = f"kodiai-{stage}"
        stacks = self.cloudformation.describe_stacks()["Stacks"]
        old: Any = next((each for each in stacks if each["StackName"] == name), {})
        known = {each["ParameterKey"] for each in old.get("Parameters", [])}
        given = {"Stage": stage, **parameters}
        change_set = self.cloudformation.create_change_set(
            StackName=name,
            ChangeSetName="changes",
            ChangeSetType="UPDATE" if old else "CREATE",
            TemplateBody=json.dumps(template),
            Parameters=[
                *({"ParameterKey": key, "ParameterValue": value} for key, value in given.items()),
                *({"ParameterKey": key, "UsePreviousValue": True} for key in known - given.keys()),
            ],
        )["Id"]
        self.cloudformation.execute_change_set(ChangeSetName=change_set)
        return self.status(stage)

    def status(self, stage: str) -> str:
        """The status of a stack."""
        return str(self.stack(stage)["StackStatus"])

    def stack(self, stage: str) -> Any:
        """A stack as it is described."""
        return self.cloudformation.describe_stacks(StackName=f"kodiai-{stage}")["Stacks"][0]

    def reasons(self, stage: str) -> list[str]:
        """Why something failed, newest first."""
        events = self.cloudformation.describe_stack_events(StackName=f"kodiai-{stage}")["StackEvents"]
        failed = [each for each in events if each["ResourceStatus"].endswith("_FAILED")]
        return [f"{each['LogicalResourceId']}: {each['ResourceStatusReason']}" for each in failed]

    def delete(self, stage: str) -> None:
        """Delete a stack."""
        self.cloudformation.delete_stack(StackName=f"kodiai-{stage}")

    def output(self, stage: str, name: str) -> str:
        """An output of a stack."""
        return next(str(each["OutputValue"]) for each in self.stack(stage)["Outputs"] if each["OutputKey"] == name)

    def parameter(self, name: str) -> str:
        """The value of a parameter."""
        return str(self.cloud.aws.client("ssm").get_parameter(Name=name, WithDecryption=True)["Parameter"]["Value"])

    def secret(self, stage: str, name: str, value: str) -> None:
        """Store a secret, which CloudFormation cannot."""
        self.cloud.aws.client("ssm").put_parameter(Name=f"/kodiai/{stage}/{name}", Value=value, Type="SecureString")

    def left(self) -> set[str]:
        """The names of all that there is in the account."""
        client = self.cloud.aws.client
        vectors = client("s3vectors")
        buckets = [each["vectorBucketName"] for each in vectors.list_vector_buckets()["vectorBuckets"]]
        indexes = [vectors.list_indexes(vectorBucketName=bucket)["indexes"] for bucket in buckets]
        pages = client("ssm").get_paginator("get_parameters_by_path").paginate(Path="/", Recursive=True)
        return {
            *(each["StackName"] for each in self.cloudformation.describe_stacks()["Stacks"]),
            *(url.rpartition("/")[2] for url in client("sqs").list_queues().get("QueueUrls", [])),
            *client("dynamodb").list_tables()["TableNames"],
            *buckets,
            *(each["indexName"] for some in indexes for each in some),
            *(each["Name"] for page in pages for each in page["Parameters"]),
            *(each["logGroupName"] for each in client("logs").describe_log_groups()["logGroups"]),
        }
