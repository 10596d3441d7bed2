"""The policy of who deploys: what CloudFormation does for the template, with the rights of its caller, is in it.

What the SAM CLI and `kodiai setup` call themselves is held against it in tests/cli/test_setup.py: the local AWS refuses
a deployer everything else.
"""

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import pytest
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from cli.setup.check import FIRST_ACTIONS
from local.cloudformation.transform import transform
from scripts.build import ensure_sam, find_uv
from tests.local.cloudformation.deploying import ROOT, TEMPLATE

POLICY = json.loads((ROOT / "docs" / "deployer-policy.json").read_text("utf-8"))
OF_THE_SAM_CLI = {"AWS::S3::Bucket", "AWS::S3::BucketPolicy"}

# What the handlers of resource types may call for properties that the template does not have.
NOT_USED = {
    "ec2:*": "functions in a VPC",
    "elasticfilesystem:*": "file systems of functions",
    "s3files:*": "file systems of functions",
    "kms:*": "keys of our own; those of AWS need no rights",
    "kinesis:*": "streams of a table",
    "firehose:*": "streams of a log group",
    "s3tables:*": "tables about the SAM CLI's bucket",
    "s3:REST.PUT.OBJECT": "deliveries of a log group",
    "s3:getObject": "an API that is described in a file",
    "iam:AttachRolePolicy": "managed policies of a role, which could be any",
    "iam:DetachRolePolicy": "the same",
    "iam:*RolePermissionsBoundary": "boundaries of a role",
    "iam:CreateServiceLinkedRole": "replicas of a table",
}


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def actions() -> list[str]:
    return [action for each in POLICY["Statement"] for action in listed(each["Action"])]


def handlers() -> Iterator[tuple[str, str]]:
    """Each type of the deployed template with each action that its published schema says it calls."""
    ensure_sam(find_uv())
    defaults = {name: str(each["Default"]) for name, each in TEMPLATE["Parameters"].items()}
    resources: dict[str, Any] = transform(TEMPLATE, defaults)["Resources"]
    for kind in sorted({each["Type"] for each in resources.values()} | OF_THE_SAM_CLI):
        schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", kind).schema
        for verb in ("create", "read", "update", "delete"):
            for action in schema["handlers"].get(verb, {}).get("permissions", ()):
                yield kind, action


@pytest.mark.xdist_group("sam")
def test_the_deployer_may_do_everything_that_cloudformation_does_for_each_resource() -> None:
    """CloudFormation creates, changes and deletes with the rights of its caller."""
    needed = set(handlers())

    assert len(needed) > 200
    allowed = [*actions(), *NOT_USED]
    assert {each for each in needed if not any(fnmatchcase(each[1], pattern) for pattern in allowed)} == set()
    assert {each for each in NOT_USED if not any(fnmatchcase(action, each) for _, action in needed)} == set()


@pytest.mark.xdist_group("sam")
def test_the_actions_that_a_check_asks_iam_about_are_real() -> None:
    """IAM takes any name, and would call one that does not exist denied."""
    of_sam = {"cloudformation:CreateChangeSet", "s3:PutObject"}

    assert FIRST_ACTIONS.keys() - of_sam <= {action for _, action in handlers()}


def test_the_policy_can_be_stored_and_reaches_nothing_of_others() -> None:
    """IAM takes 6,144 characters. All of a service is allowed only below our names, and of the API without names."""
    assert len(json.dumps(POLICY, separators=(",", ":"))) < 6_144
    for statement in POLICY["Statement"]:
        if any(action.endswith(":*") for action in listed(statement["Action"])):
            names = ("kodiai", "aws-sam-cli-managed-default", "aws:transform", "apigateway")
            assert all(any(name in each for name in names) for each in listed(statement["Resource"]))
    assert not {"iam:*", "iam:AttachRolePolicy", "*"} & set(actions())
