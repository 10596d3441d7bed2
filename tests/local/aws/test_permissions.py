"""A role may do what its policy allows, and is refused everything else, as by IAM."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from local.aws import LocalAws, local_session
from local.model import ModelStandIn
from tests.aws_resources import create_indexes, create_table

ARN = "arn:aws:{}:us-east-1:123456789012:{}"
TABLE, QUEUE = ARN.format("dynamodb", "table/ledger"), ARN.format("sqs", "jobs.fifo")
INDEX = ARN.format("s3vectors", "bucket/memory/index/model-2")
READ_VECTORS = {"s3vectors:QueryVectors": INDEX, "s3vectors:GetVectors": INDEX}
KEY = {"pk": {"S": "a"}, "sk": {"S": "b"}}
NEW = {"pk": {"S": "new"}, "sk": {"S": "b"}}
SETTINGS = ARN.format("ssm", "parameter/kodiai/dev")
TITAN = "arn:aws:bedrock:us-east-1::foundation-model/amazon.titan-embed-text-v2:0"


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    """A local AWS with the resources of the calls below."""
    with LocalAws() as aws:
        aws.client("sqs").create_queue(QueueName="jobs.fifo", Attributes={"FifoQueue": "true"})
        create_table(aws, "ledger")
        create_indexes(aws, "memory", "model-2")
        yield aws


@contextmanager
def client_of(aws: LocalAws, role: str, service: Any) -> Iterator[Any]:
    session, config = local_session(aws.access_key(role)), Config(retries={"total_max_attempts": 1})
    with closing(session.client(service, endpoint_url=aws.address, config=config)) as client:
        yield client


def query(client: Any, **more: Any) -> Any:
    where = {"vectorBucketName": "memory", "indexName": "model-2"}
    return client.query_vectors(**where, topK=1, queryVector={"float32": [1.0, 0.0]}, **more)


def transact(client: Any) -> Any:
    update = {"Update": {"TableName": "ledger", "Key": KEY, "UpdateExpression": "REMOVE b"}}
    other = {**KEY, "sk": {"S": "c"}}
    condition = {"TableName": "ledger", "Key": other, "ConditionExpression": "attribute_not_exists(pk)"}
    return client.transact_write_items(TransactItems=[update, {"ConditionCheck": condition}])


def embed(client: Any) -> Any:
    return client.invoke_model(modelId="amazon.titan-embed-text-v2:0", body=json.dumps({"inputText": "a"}))


def send(client: Any) -> Any:
    url = client.get_queue_url(QueueName="jobs.fifo")["QueueUrl"]
    return client.send_message(QueueUrl=url, MessageBody="a", MessageGroupId="g", MessageDeduplicationId="d")


def batch(client: Any) -> Any:
    return client.batch_get_item(RequestItems={"ledger": {"Keys": [KEY]}})


CALLS: list[tuple[str, Callable[[Any], Any], dict[str, str]]] = [
    ("sqs", send, {"sqs:GetQueueUrl": QUEUE, "sqs:SendMessage": QUEUE}),
    ("dynamodb", lambda client: client.scan(TableName="ledger"), {"dynamodb:Scan": TABLE}),
    ("dynamodb", batch, {"dynamodb:BatchGetItem": TABLE}),
    ("dynamodb", transact, {"dynamodb:UpdateItem": TABLE, "dynamodb:ConditionCheckItem": TABLE}),
    ("ssm", lambda client: client.get_parameters_by_path(Path="/kodiai/dev"), {"ssm:GetParametersByPath": SETTINGS}),
    ("s3vectors", query, {"s3vectors:QueryVectors": INDEX}),
    ("s3vectors", lambda client: query(client, returnMetadata=True), READ_VECTORS),
    ("s3vectors", lambda client: query(client, filter={"repository": {"$eq": 1}}), READ_VECTORS),
    ("s3vectors", lambda client: client.get_index(indexArn=INDEX), {"s3vectors:GetIndex": INDEX}),
    ("bedrock-runtime", embed, {"bedrock:InvokeModel": TITAN}),
]


@pytest.mark.parametrize(("service", "call", "needs"), CALLS, ids=[", ".join(needs) for _, _, needs in CALLS])
def test_a_call_needs_each_of_its_actions_on_its_resource(
    aws: LocalAws, service: str, call: Callable[[Any], Any], needs: dict[str, str]
) -> None:
    """All of them are enough; without any one of them, or on another resource, it is refused."""
    statements: dict[str, dict[str, Any]] = {
        action: {"Action": action, "Resource": [resource]} for action, resource in needs.items()
    }
    aws.permissions.give("Whole", statements.values())
    with client_of(aws, "Whole", service) as client:
        call(client)

    for action, resource in needs.items():
        others = [statement for other, statement in statements.items() if other != action]
        elsewhere = {"Action": [action], "Resource": [f"{resource}x"]}
        for number, policy in enumerate([others, [*others, elsewhere]]):
            role = f"Part{number}"
            aws.permissions.give(role, policy)
            with client_of(aws, role, service) as client, pytest.raises(ClientError) as raised:
                call(client)
            error = raised.value.response["Error"]
            assert error["Code"] in {"AccessDeniedException", "AccessDenied"}
            assert error["Message"] == (
                f"User: arn:aws:sts::123456789012:assumed-role/{role}/local is not authorized to perform: {action} on "
                f"resource: {resource} because no identity-based policy allows the {action} action"
            )


def test_a_refused_call_has_no_effect_and_is_not_counted_as_used(aws: LocalAws) -> None:
    """Only allowed calls are counted."""
    aws.permissions.give("Reader", [{"Action": ["dynamodb:GetItem", "dynamodb:Query"], "Resource": TABLE}])
    with client_of(aws, "Reader", "dynamodb") as client:
        found = client.get_item(TableName="ledger", Key=NEW)
        with pytest.raises(ClientError, match="not authorized to perform: dynamodb:PutItem"):
            client.put_item(TableName="ledger", Item=NEW)

    assert "Item" not in found
    assert "Item" not in aws.client("dynamodb").get_item(TableName="ledger", Key=NEW)
    assert {each for each in aws.permissions.used if each[0] == "Reader"} == {("Reader", "dynamodb:GetItem", TABLE)}


def ask_claude(client: Any, model: str) -> None:
    body = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]}
    client.invoke_model(modelId=model, body=json.dumps(body))


def test_a_profile_of_bedrock_needs_the_model_behind_it_which_may_be_allowed_with_it_alone() -> None:
    """A condition names the profile; without one, or in another one, the model itself may not be asked."""
    profile = ARN.format("bedrock", "inference-profile/us.anthropic.*")
    model = {
        "Action": "bedrock:InvokeModel",
        "Resource": "arn:aws:bedrock:*::foundation-model/anthropic.*",
        "Condition": {"ArnLike": {"bedrock:InferenceProfileArn": profile}},
    }
    with ModelStandIn() as claude, LocalAws(messages_api=claude.serve) as aws:
        aws.permissions.give("Both", [{"Action": "bedrock:InvokeModel", "Resource": profile}, model])
        aws.permissions.give("Profile", [{"Action": "bedrock:InvokeModel", "Resource": profile}])
        with client_of(aws, "Both", "bedrock-runtime") as client:
            ask_claude(client, "us.anthropic.claude-a")
            for other in ("anthropic.claude-a", "global.anthropic.claude-a", "eu.anthropic.claude-a"):
                with pytest.raises(ClientError, match="not authorized to perform: bedrock:InvokeModel"):
                    ask_claude(client, other)
        with (
            client_of(aws, "Profile", "bedrock-runtime") as client,
            pytest.raises(ClientError, match=r"foundation-model/anthropic\.claude-a because"),
        ):
            ask_claude(client, "us.anthropic.claude-a")

    assert [each.body["model"] for each in claude.requests] == ["us.anthropic.claude-a"]


def test_a_star_is_any_text(aws: LocalAws) -> None:
    """The template has such a resource for parameters."""
    aws.permissions.give("Star", [{"Action": "ssm:GetParametersByPath", "Resource": f"{SETTINGS}/*"}])

    with client_of(aws, "Star", "ssm") as client:
        below = client.get_parameters_by_path(Path="/kodiai/dev/webhook")
        with pytest.raises(ClientError, match="not authorized"):
            client.get_parameters_by_path(Path="/kodiai/prod/webhook")

    assert below["Parameters"] == []


@pytest.mark.parametrize(
    ("service", "call"),
    [
        ("s3", lambda client: client.list_buckets()),
        ("logs", lambda client: client.describe_log_groups()),
        ("cloudformation", lambda client: client.describe_stacks()),
    ],
)
def test_a_service_that_no_function_uses_is_refused(aws: LocalAws, service: str, call: Callable[[Any], Any]) -> None:
    """They are here for operators; a function that asked one of them would fail in AWS."""
    aws.permissions.give("Nobody", [])

    with client_of(aws, "Nobody", service) as client, pytest.raises(ClientError) as refused:
        call(client)

    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
