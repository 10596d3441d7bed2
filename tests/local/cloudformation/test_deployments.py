"""Deployments of template.yaml: the first one, upgrades, two stages, the deletion."""

import time
from collections.abc import Iterator
from typing import Any

import boto3
import httpx
import pytest
from botocore.exceptions import ClientError
from cfnlint.helpers import REGIONS
from cfnlint.schema import PROVIDER_SCHEMA_MANAGER

from local.cloud import LocalCloud
from local.lambdas.stack import Stack
from local.lambdas.system import PSEUDO_PARAMETERS
from tests.aws_resources import create_table
from tests.local.cloudformation.deploying import ROOT, Account
from tests.local.cloudformation.sending import webhook

RESERVED = (
    "IngestFunction: Specified ReservedConcurrentExecutions for function decreases account's "
    "UnreservedConcurrentExecution below its minimum value of [10]."
)
EXISTS = "LedgerTable: Resource of type 'AWS::DynamoDB::Table' with identifier 'kodiai-prod-ledger' already exists."
DATA = {"kodiai-prod-ledger", "kodiai-prod-memory", "titan-embed-text-v2-1024"}


@pytest.fixture(scope="module")
def deployed() -> Iterator[Account]:
    """An account with the stage dev, for tests that leave it as it is; the last one deletes it."""
    with LocalCloud() as cloud:
        account = Account(cloud)
        account.deploy("dev", IngestReservedConcurrency="10")
        yield account


def test_a_first_deployment_that_fails_leaves_nothing_and_can_be_tried_again(new_account: Account) -> None:
    """Retained data makes no difference: there is none yet. The error is the refusal of AWS."""
    failed = new_account.deploy("prod", IngestReservedConcurrency="5")
    assert failed == "ROLLBACK_COMPLETE"
    assert new_account.reasons("prod") == [RESERVED]
    assert new_account.left() == {"kodiai-prod"}
    new_account.delete("prod")

    assert new_account.deploy("prod") == "CREATE_COMPLETE"
    assert new_account.left() >= DATA


def test_a_failed_first_deployment_would_leave_what_the_policy_retains(account: Account) -> None:
    """RetainExceptOnCreate prevents that. The last resource fails here, after all others are created."""
    create_table(account.cloud.aws, "kodiai-prod-ledger")

    def retain(template: dict[str, Any]) -> None:
        template["Resources"]["MemoryBucket"]["DeletionPolicy"] = "Retain"

    assert account.deploy("prod") == "ROLLBACK_COMPLETE"
    assert account.reasons("prod") == [EXISTS]
    account.delete("prod")
    assert account.left() == {"kodiai-prod-ledger"}
    assert account.deploy("prod", retain) == "ROLLBACK_COMPLETE"
    account.delete("prod")
    assert account.left() == {"kodiai-prod-ledger", "kodiai-prod-memory"}


def test_a_manually_created_parameter_may_fail_after_the_table(account: Account) -> None:
    """The table cannot depend on a parameter that not every deployment has. The documented commands help then."""
    ssm, dynamodb = account.cloud.aws.client("ssm"), account.cloud.aws.client("dynamodb")
    ssm.put_parameter(Name="/kodiai/prod/models/fallback", Value="claude-opus-5-5", Type="String")

    assert account.deploy("prod") == "ROLLBACK_FAILED"
    dynamodb.update_table(TableName="kodiai-prod-ledger", DeletionProtectionEnabled=False)
    dynamodb.delete_table(TableName="kodiai-prod-ledger")
    account.delete("prod")
    assert account.left() == {"/kodiai/prod/models/fallback"}
    ssm.delete_parameter(Name="/kodiai/prod/models/fallback")

    assert account.deploy("prod") == "CREATE_COMPLETE"


def test_the_table_is_made_when_nothing_else_can_fail(deployed: Account) -> None:
    """It is protected from deletion, and a deployment that fails could not take it back.

    A resource that is added goes into the table's DependsOn too, unless another one there needs it.
    """
    processed = deployed.cloudformation.get_template(StackName="kodiai-dev", TemplateStage="Processed")["TemplateBody"]
    resources = processed["Resources"]
    made: list[str] = []

    def note(name: str, _: Any) -> dict[str, str]:
        made.append(name)
        return dict.fromkeys(("Ref", "Arn", "VectorBucketArn", "IndexArn", "QueueName", "ApiEndpoint"), name)

    values = {each["ParameterKey"]: each["ParameterValue"] for each in deployed.stack("dev")["Parameters"]}
    kinds = {each["Type"] for each in resources.values()}
    pseudo = {**PSEUDO_PARAMETERS, "AWS::StackName": "kodiai-dev"}
    Stack(processed, values, pseudo, dict.fromkeys(kinds, note), note, {}).attributes("LedgerTable")

    conditional = {name for name, each in resources.items() if "Condition" in each}
    assert set(resources) - conditional - set(made) == set()


def test_an_upgrade_keeps_the_data_and_the_choices_and_brings_what_the_template_owns(account: Account) -> None:
    """The model of the new template arrives; the secrets, the items and the chosen parameters stay."""
    account.deploy("prod", ReviewConcurrency="7", RepliesModel="claude-of-ours")
    account.secret("prod", "webhook/secret", "s3cret")
    table = account.cloud.aws.table(account.output("prod", "Table"))
    table.put_item(Item={"pk": "PR#1", "sk": "STATE", "head": "abc"})
    url = account.output("prod", "WebhookUrl")

    def newer(template: dict[str, Any]) -> None:
        models = template["Mappings"]["Models"]
        models["Reviewer"]["Value"], models["Replies"]["Value"] = "claude-next", "claude-small"
        template["Resources"]["ReviewsQueue"]["Properties"]["MessageRetentionPeriod"] = 86400

    assert account.deploy("prod", newer) == "UPDATE_COMPLETE"

    kept = {each["ParameterKey"]: each["ParameterValue"] for each in account.stack("prod")["Parameters"]}
    assert (kept["ReviewConcurrency"], kept["RepliesModel"], kept["ReviewerModel"]) == ("7", "claude-of-ours", "")
    assert account.parameter("/kodiai/prod/models/reviewer") == "claude-next"
    assert account.parameter("/kodiai/prod/models/replies") == "claude-of-ours"
    assert account.parameter("/kodiai/prod/webhook/secret") == "s3cret"
    assert table.get_item(Key={"pk": "PR#1", "sk": "STATE"})["Item"]["head"] == "abc"
    assert account.output("prod", "WebhookUrl") == url
    assert webhook(url, "s3cret") == 200
    sqs = account.cloud.aws.client("sqs")
    queue = sqs.get_queue_url(QueueName="kodiai-prod-reviews.fifo")["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["MessageRetentionPeriod"])["Attributes"]
    assert attributes == {"MessageRetentionPeriod": "86400"}


def test_an_upgrade_that_fails_is_taken_back_and_the_old_one_goes_on(new_account: Account) -> None:
    """Values, parameters and functions are those from before."""
    new_account.deploy("prod")
    new_account.secret("prod", "webhook/secret", "s3cret")

    failed = new_account.deploy("prod", QuietSeconds="5", IngestReservedConcurrency="5", Embeddings="voyage-code-3")

    assert failed == "UPDATE_ROLLBACK_COMPLETE"
    assert new_account.reasons("prod") == [RESERVED]
    assert new_account.parameter("/kodiai/prod/limits/quiet-seconds") == "60"
    assert new_account.left() >= DATA
    assert "voyage-code-3-1024" not in new_account.left()
    assert webhook(new_account.output("prod", "WebhookUrl"), "s3cret") == 200


def test_the_data_is_protected_until_the_policy_is_delete(account: Account) -> None:
    """A stack that is deleted leaves it; its name cannot be taken again, and nobody deletes the table by chance."""
    account.deploy("prod")
    account.delete("prod")
    assert account.left() == DATA
    with pytest.raises(ClientError, match="currently protected against deletion"):
        account.cloud.aws.client("dynamodb").delete_table(TableName="kodiai-prod-ledger")

    assert account.deploy("prod") == "ROLLBACK_COMPLETE"
    assert "already exists" in account.reasons("prod")[0]
    account.delete("prod")


def test_the_documented_end_leaves_nothing(account: Account) -> None:
    """The deletion of data, stack and secrets leaves no name in the account."""
    account.deploy("prod")
    account.secret("prod", "webhook/secret", "s3cret")

    assert account.deploy("prod", DataPolicy="Delete") == "UPDATE_COMPLETE"
    account.delete("prod")
    assert account.left() == {"/kodiai/prod/webhook/secret"}
    account.cloud.aws.client("ssm").delete_parameters(Names=["/kodiai/prod/webhook/secret"])

    assert account.left() == set()
    with pytest.raises(ClientError, match="Stack with id kodiai-prod does not exist"):
        account.status("prod")


def test_a_region_without_s3_vectors_takes_a_deployment_without_embeddings(account: Account) -> None:
    """Tel Aviv has none of its types. The operators' page names each such region."""
    known = {region: PROVIDER_SCHEMA_MANAGER.get_resource_types(region) for region in REGIONS}
    without = sorted(region for region, types in known.items() if "AWS::S3Vectors::Index" not in types)
    named = " and ".join(f"`{region}`" for region in without)
    assert f"every region has it but {named} " in (ROOT / "docs" / "operators.md").read_text("utf-8")
    account.cloudformation = boto3.client(
        "cloudformation",
        "il-central-1",
        endpoint_url=account.cloud.aws.address,
        aws_access_key_id=account.cloud.aws.access_key(),
        aws_secret_access_key="local",
    )

    types = r"\[AWS::S3Vectors::Index, AWS::S3Vectors::VectorBucket\]"
    with pytest.raises(ClientError, match=f"Template format error: Unrecognized resource types: {types}"):
        account.deploy("prod")

    assert account.deploy("dev", Embeddings="off") == "CREATE_COMPLETE"
    assert "kodiai-dev-memory" not in account.left()


def test_the_vectors_stay_when_embeddings_are_turned_off(account: Account) -> None:
    """The table is as it was. To remember again, an operator deletes the rest first, and begins with nothing."""
    account.deploy("prod")

    assert account.deploy("prod", Embeddings="off") == "UPDATE_COMPLETE"
    assert account.left() >= DATA
    assert account.deploy("prod", Embeddings="titan-embed-text-v2") == "UPDATE_ROLLBACK_COMPLETE"

    vectors = account.cloud.aws.client("s3vectors")
    vectors.delete_index(vectorBucketName="kodiai-prod-memory", indexName="titan-embed-text-v2-1024")
    vectors.delete_vector_bucket(vectorBucketName="kodiai-prod-memory")
    assert account.deploy("prod", Embeddings="titan-embed-text-v2") == "UPDATE_COMPLETE"


def test_two_stages_in_one_account_know_nothing_of_each_other(account: Account) -> None:
    """Each has its own address, secret and queues; one that is deleted leaves the other as it is."""
    for stage in ("dev", "prod"):
        account.deploy(stage, DataPolicy="Delete")
        account.secret(stage, "webhook/secret", f"{stage} secret")
    urls = {stage: account.output(stage, "WebhookUrl") for stage in ("dev", "prod")}

    assert {stage: webhook(url, f"{stage} secret") for stage, url in urls.items()} == {"dev": 200, "prod": 200}
    assert (webhook(urls["dev"], "prod secret"), webhook(urls["prod"], "dev secret")) == (401, 401)
    account.delete("dev")

    assert webhook(urls["prod"], "prod secret") == 200
    assert {name for name in account.left() if "dev" in name} == {"/kodiai/dev/webhook/secret"}
    with pytest.raises(httpx.ConnectError):
        webhook(urls["dev"], "dev secret")


def test_a_request_that_the_api_refuses_is_in_its_log(deployed: Account) -> None:
    """The function never sees a body that Lambda does not take; nothing else would tell."""
    url = deployed.output("dev", "WebhookUrl")

    assert httpx.post(url, content=b"x" * 6_300_000, trust_env=False, timeout=60).status_code == 413

    system, end = deployed.cloud.systems["kodiai-dev"], time.monotonic() + 10
    while not (lines := [each for each in system.log_lines if each["function"] == "WebhookApi"]):
        assert time.monotonic() < end
        time.sleep(0.05)
    [line] = lines
    assert (line["message"], line["route"], line["method"], line["status"]) == (
        "request",
        "POST /webhook",
        "POST",
        "413",
    )


def test_a_deployment_without_a_change_says_so(deployed: Account) -> None:
    """The SAM CLI looks for these words."""
    with pytest.raises(ClientError, match="cannot be executed"):
        deployed.deploy("dev")

    [summary] = deployed.cloudformation.list_change_sets(StackName="kodiai-dev")["Summaries"]
    described = deployed.cloudformation.describe_change_set(
        StackName="kodiai-dev", ChangeSetName=summary["ChangeSetId"]
    )
    assert described["StatusReason"] == (
        "The submitted information didn't contain changes. Submit different information to create a change set."
    )


def test_an_invalid_template_value_is_refused(deployed: Account) -> None:
    """CloudFormation refuses it before it creates anything."""
    refused = {
        "Stage": ("Dev", "Parameter 'Stage' must match pattern"),
        "DataPolicy": ("Keep", "Parameter 'DataPolicy' must be one of AllowedValues"),
        "Receives": ("2", "Parameter 'Receives' must be a number not less than 3"),
        "AnswerSeconds": ("841", "Parameter 'AnswerSeconds' must be a number not greater than 840"),
        "QuietSeconds": ("soon", "Parameter 'QuietSeconds' must be a number"),
        "GithubApiUrl": ("", "Parameter 'GithubApiUrl' must contain at least 1 characters"),
        "ModelTiers": ("x" * 4097, "Parameter 'ModelTiers' must have at most 4096 bytes, not 4097"),
        "Nonsense": ("1", r"Parameters: \[Nonsense\] do not exist in the template"),
    }
    before = deployed.left()

    for name, (value, complaint) in refused.items():
        with pytest.raises(ClientError, match=complaint):
            deployed.deploy(name.lower(), None, **{name: value})

    assert deployed.left() <= before | {f"kodiai-{name.lower()}" for name in refused}


def test_reserved_concurrency_is_taken_from_the_account(deployed: Account) -> None:
    """A deleted stack gives it back; this deletion ends the tests of the stack."""
    settings = deployed.cloud.aws.client("lambda").get_account_settings
    assert settings()["AccountLimit"] == {"ConcurrentExecutions": 1000, "UnreservedConcurrentExecutions": 990}

    deployed.delete("dev")

    assert settings()["AccountLimit"]["UnreservedConcurrentExecutions"] == 1000
