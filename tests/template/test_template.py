"""The resources of template.yaml: settings, permissions, queues; read as a file, nothing is started."""

import json
import re
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, get_args

import pytest

from kodiai.core.config.settings import EMBEDDING_DIMENSIONS, TITAN, EmbeddingSettings, Provider
from kodiai.core.model.prices import BedrockProfile
from local.lambdas.description import statements
from local.lambdas.resources import describe
from local.lambdas.stack import Stack
from local.lambdas.system import PSEUDO_PARAMETERS
from local.lambdas.template import read_template

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = read_template(ROOT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
FUNCTIONS = ("IngestFunction", "ProposalsFunction", "ReviewFunction", "MentionFunction", "SweepFunction")
SQS_FUNCTIONS = {"ReviewFunction": "ReviewsQueue", "MentionFunction": "MentionsQueue"}

CONSUME = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"}
LOG = {"logs:CreateLogStream", "logs:PutLogEvents"}
READ_SETTINGS = {"ssm:GetParametersByPath"}
LEDGER = {"dynamodb:GetItem", "dynamodb:Query", "dynamodb:UpdateItem"}
PROPOSALS = LEDGER | {"dynamodb:BatchGetItem"}
FORGET_VECTORS = {f"s3vectors:{each}" for each in ("GetIndex", "QueryVectors", "GetVectors", "DeleteVectors")}
VECTORS = FORGET_VECTORS | {"s3vectors:ListIndexes", "s3vectors:PutVectors"}
MEMORY = {"s3vectors:GetVectors", "s3vectors:PutVectors"}
SSM = "arn:${AWS::Partition}:ssm:${AWS::Region}:${AWS::AccountId}:parameter/kodiai/${Stage}"
PROFILES = (
    "arn:${AWS::Partition}:bedrock:${AWS::Region}:${AWS::AccountId}:"
    "inference-profile/${BedrockProfileParameter.Value}.anthropic.*"
)
CLAUDE = [
    ({"bedrock:InvokeModel"}, PROFILES),
    ({"bedrock:InvokeModel"}, "arn:${AWS::Partition}:bedrock:*::foundation-model/anthropic.*"),
]
TABLE = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/kodiai-${Stage}-ledger"
TITAN_ARN = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/amazon.titan-embed-text-v2:0"


def properties(name: str) -> dict[str, Any]:
    given: dict[str, Any] = RESOURCES[name]["Properties"]
    return given


def of_type(kind: str) -> dict[str, dict[str, Any]]:
    return {name: each["Properties"] for name, each in RESOURCES.items() if each["Type"] == kind}


def built() -> dict[str, dict[str, Any]]:
    return of_type("AWS::Serverless::Function") | of_type("AWS::Serverless::LayerVersion")


def permissions(function: str) -> set[tuple[frozenset[str], str]]:
    """Each set of actions with each resource that it is allowed on, whatever the parameters are."""
    (role, attribute) = properties(function)["Role"]["Fn::GetAtt"]
    assert attribute == "Arn"
    statements = [
        statement for policy in properties(role)["Policies"] for statement in policy["PolicyDocument"]["Statement"]
    ]
    allowed = [each["Fn::If"][1] if "Fn::If" in each else each for each in statements]
    assert {statement["Effect"] for statement in allowed} == {"Allow"}
    return {
        (frozenset(statement["Action"]), written(resource))
        for statement in allowed
        for resource in (statement["Resource"] if isinstance(statement["Resource"], list) else [statement["Resource"]])
    }


def written(resource: Any) -> str:
    return resource.get("Fn::Sub") or ".".join(resource["Fn::GetAtt"])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            "IngestFunction",
            [
                (LOG, "IngestLogs.Arn"),
                ({"sqs:SendMessage"}, "ReviewsQueue.Arn"),
                ({"sqs:SendMessage"}, "MentionsQueue.Arn"),
                (READ_SETTINGS, f"{SSM}/webhook"),
                (READ_SETTINGS, f"{SSM}/repositories"),
            ],
        ),
        (
            "ProposalsFunction",
            [
                (LOG, "ProposalsLogs.Arn"),
                ({"sqs:SendMessage"}, "ReviewsQueue.Arn"),
                (PROPOSALS, TABLE),
                ({"ssm:GetParameter"}, f"{SSM}/github/api-url"),
                ({"ssm:GetParameter"}, f"{SSM}/github/timeout-seconds"),
                ({"ssm:GetParameter"}, f"{SSM}/limits/retention-days"),
                (READ_SETTINGS, f"{SSM}/repositories"),
            ],
        ),
        (
            "ReviewFunction",
            [
                (LOG, "ReviewLogs.Arn"),
                (CONSUME, "ReviewsQueue.Arn"),
                ({"sqs:SendMessage"}, "ReviewsQueue.Arn"),
                ({"sqs:SendMessage"}, "ReviewsDeadQueue.Arn"),
                (PROPOSALS | {"dynamodb:DeleteItem", "dynamodb:BatchWriteItem"}, TABLE),
                (READ_SETTINGS, SSM),
                ({"dynamodb:Scan"}, TABLE),
                ({"s3vectors:ListIndexes"}, "MemoryBucket.VectorBucketArn"),
                (FORGET_VECTORS, "${MemoryBucket.VectorBucketArn}/index/*"),
                ({"s3vectors:PutVectors"}, "MemoryIndex.IndexArn"),
                ({"bedrock:InvokeModel"}, TITAN_ARN),
                *CLAUDE,
            ],
        ),
        (
            "MentionFunction",
            [
                (LOG, "MentionLogs.Arn"),
                (CONSUME, "MentionsQueue.Arn"),
                ({"sqs:SendMessage"}, "ReviewsQueue.Arn"),
                ({"sqs:SendMessage"}, "MentionsDeadQueue.Arn"),
                (PROPOSALS | {"dynamodb:DeleteItem"}, TABLE),
                (READ_SETTINGS, SSM),
                (MEMORY | {"s3vectors:DeleteVectors"}, "MemoryIndex.IndexArn"),
                *CLAUDE,
            ],
        ),
        (
            "SweepFunction",
            [
                (LOG, "SweepLogs.Arn"),
                ({"sqs:SendMessage"}, "ReviewsQueue.Arn"),
                ({"dynamodb:BatchGetItem", "dynamodb:UpdateItem"}, TABLE),
                (READ_SETTINGS, f"{SSM}/github"),
                ({"ssm:GetParameter"}, f"{SSM}/sweep/pull-request-hours"),
                ({"ssm:GetParameter"}, f"{SSM}/limits/retention-days"),
            ],
        ),
    ],
)
def test_a_function_may_do_exactly_this(function: str, expected: list[tuple[set[str], str]]) -> None:
    """A new permission has to be added here too, where its reach is seen."""
    assert permissions(function) == {(frozenset(actions), resource) for actions, resource in expected}


def test_nothing_but_these_roles_gives_permissions() -> None:
    """No managed policy, no policy that SAM would write, no wildcard action."""
    roles = of_type("AWS::IAM::Role")

    assert set(roles) == {"IngestRole", "ProposalsRole", "ReviewRole", "MentionRole", "SweepRole"}
    assert not any("ManagedPolicyArns" in role for role in roles.values())
    assert not any("Policies" in properties(function) for function in FUNCTIONS)
    assert not any(
        "*" in action for function in FUNCTIONS for actions, _ in permissions(function) for action in actions
    )
    assert not any(resource == "*" for function in FUNCTIONS for _, resource in permissions(function))


@pytest.mark.parametrize(("function", "queue"), SQS_FUNCTIONS.items())
def test_a_function_knows_which_attempt_is_the_last_and_where_a_message_ends(function: str, queue: str) -> None:
    """It says so on the check run before the queue takes the message away, and sends it there with its reason."""
    variables = properties(function)["Environment"]["Variables"]
    rule = properties(queue)["RedrivePolicy"]

    assert variables["KODIAI_RECEIVES"] == rule["maxReceiveCount"] == {"Ref": "Receives"}
    assert {"Fn::GetAtt": [variables["KODIAI_DEAD_QUEUE_URL"]["Ref"], "Arn"]} == rule["deadLetterTargetArn"]


@pytest.mark.parametrize("function", SQS_FUNCTIONS)
def test_the_longest_answer_of_a_model_fits_into_an_invocation_twice(function: str) -> None:
    """Else an invocation that begins with a short question could not ask another one."""
    seconds = {name: TEMPLATE["Parameters"][name]["Default"] for name in ("AnswerSeconds", "PublishSeconds")}

    assert 2 * seconds["AnswerSeconds"] + seconds["PublishSeconds"] <= properties(function)["Timeout"]


@pytest.mark.parametrize("function", ["ReviewFunction", "MentionFunction"])
def test_the_largest_archive_fits_packed_and_unpacked(function: str) -> None:
    """Both read the repository; unpacked it may take ten times as much."""
    largest = int(TEMPLATE["Parameters"]["ArchiveBytes"]["Default"])

    assert 11 * largest <= properties(function)["EphemeralStorage"]["Size"] * 2**20


@pytest.mark.parametrize(
    ("function", "megabytes"), [("Ingest", 74), ("Proposals", 122), ("Review", 844), ("Mention", 794)]
)
def test_a_function_has_the_memory_that_it_needs(function: str, megabytes: int) -> None:
    """The sizes are measured, hostile repositories included: docs/cost.md, "Memory sizes"."""
    assert properties(f"{function}Function")["MemorySize"] >= megabytes


def test_every_function_runs_on_the_runtime_that_is_built_for() -> None:
    """Python 3.13 on arm64, by the target of a Makefile that has its name, with the layer of the same kind."""
    for name in FUNCTIONS:
        given = properties(name)
        assert (given["Runtime"], given["Architectures"]) == ("python3.13", ["arm64"])
        assert RESOURCES[name]["Metadata"] == {"BuildMethod": "makefile"}
    folders = {name: str(given.get("CodeUri", given.get("ContentUri"))) for name, given in built().items()}
    for name, folder in folders.items():
        assert f"\nbuild-{name}:" in (ROOT / folder / "Makefile").read_text()
    assert RESOURCES["CommonLayer"]["Metadata"] == {"BuildMethod": "makefile", "BuildArchitecture": "arm64"}
    assert properties("CommonLayer")["CompatibleArchitectures"] == ["arm64"]


@pytest.mark.parametrize("name", ["Reviews", "Mentions"])
def test_a_queue_keeps_order_by_group_and_parts_with_poison(name: str) -> None:
    """FIFO with the group's own throughput; what is received too often goes to a queue that keeps it 14 days."""
    queue, dead = properties(f"{name}Queue"), properties(f"{name}DeadQueue")
    short = name.lower()

    for each, suffix in ((queue, short), (dead, f"{short}-dead")):
        assert each["QueueName"] == {"Fn::Sub": f"kodiai-${{Stage}}-{suffix}.fifo"}
        assert (each["FifoQueue"], each["ContentBasedDeduplication"]) == (True, False)
        assert (each["DeduplicationScope"], each["FifoThroughputLimit"]) == ("messageGroup", "perMessageGroupId")
        assert each["SqsManagedSseEnabled"] is True
    assert queue["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": [f"{name}DeadQueue", "Arn"]},
        "maxReceiveCount": {"Ref": "Receives"},
    }
    assert TEMPLATE["Parameters"]["Receives"]["Default"] == 6
    assert dead["MessageRetentionPeriod"] == 14 * 24 * 3600 > queue["MessageRetentionPeriod"]
    assert dead["RedriveAllowPolicy"]["redrivePermission"] == "byQueue"


@pytest.mark.parametrize(("function", "queue"), SQS_FUNCTIONS.items())
def test_an_event_source_hands_over_one_message_and_hears_of_failures(function: str, queue: str) -> None:
    """A larger batch would push innocent messages behind a failing one; a filter would delete messages."""
    (event,) = properties(function)["Events"].values()

    parameter = f"{function.removesuffix('Function')}Concurrency"
    assert event == {
        "Type": "SQS",
        "Properties": {
            "Queue": {"Fn::GetAtt": [queue, "Arn"]},
            "BatchSize": 1,
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "ScalingConfig": {"MaximumConcurrency": {"Ref": parameter}},
        },
    }
    declared = TEMPLATE["Parameters"][parameter]
    assert (declared["MinValue"], declared["Default"], declared["MaxValue"]) == (2, 2, 1000)


@pytest.mark.parametrize(("function", "queue"), SQS_FUNCTIONS.items())
def test_a_message_stays_hidden_a_minute_longer_than_the_function_may_run(function: str, queue: str) -> None:
    """Shorter, and a second run could begin during the first; much longer, and a killed run blocks its group."""
    assert properties(queue)["VisibilityTimeout"] == properties(function)["Timeout"] + 60


def test_the_api_has_its_own_function_and_its_own_limits() -> None:
    """It cannot slow ingest down, and its flood leaves room for webhooks.

    API Gateway waits for thirty seconds, GitHub for the webhook's answer for ten.
    """
    assert properties("IngestFunction")["Timeout"] <= 10
    proposals = properties("ProposalsFunction")
    routes = [each["Properties"] for name in FUNCTIONS[:2] for each in properties(name)["Events"].values()]
    limits = properties("WebhookApi")["RouteSettings"]
    limited = ["ANY /proposals", "ANY /proposals/{proxy+}", "ANY /mcp", "ANY /findings", "GET /openapi.json"]

    assert proposals["Timeout"] < 30
    assert [f"{each['Method']} {each['Path']}" for each in routes] == ["POST /webhook", *limited]
    assert all(each["ApiId"] == {"Ref": "WebhookApi"} for each in routes)
    assert all(each["PayloadFormatVersion"] == "2.0" for each in routes)
    assert limits == {each: {"ThrottlingBurstLimit": 40, "ThrottlingRateLimit": 20} for each in limited}


def test_the_api_can_read_no_secret() -> None:
    """Callers bring a token: the function needs no key of the App, and must not be able to read it."""
    secret = {f"{SSM}/{each['Name']}" for each in TEMPLATE["Metadata"]["KodiaiSecureStrings"]}
    readable = {resource for _, resource in permissions("ProposalsFunction") if resource.startswith(SSM)}

    assert len(readable) == 4
    assert [each for each in secret if any(fnmatchcase(each, resource) for resource in readable)] == []


def test_a_sweep_comes_every_hour_unless_it_is_turned_off() -> None:
    """It is not tried again at once: the next one does what is left, and one at a time is enough."""
    sweep = properties("SweepFunction")
    defaults = {name: TEMPLATE["Parameters"][name]["Default"] for name in ("SweepSchedule", "SweepState")}

    (event,) = sweep["Events"].values()
    assert event == {
        "Type": "Schedule",
        "Properties": {"Schedule": {"Ref": "SweepSchedule"}, "State": {"Ref": "SweepState"}},
    }
    assert sweep["EventInvokeConfig"] == {"MaximumRetryAttempts": 0}
    assert defaults == {"SweepSchedule": "rate(1 hour)", "SweepState": "ENABLED"}
    assert TEMPLATE["Parameters"]["SweepState"]["AllowedValues"] == ["ENABLED", "DISABLED"]


def test_the_stored_data_is_safe() -> None:
    """It is encrypted, recoverable, and retained at the stack's deletion unless the stage's policy is Delete."""
    table = properties("LedgerTable")

    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["SSESpecification"] == {"SSEEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert TEMPLATE["Parameters"]["DataPolicy"]["Default"] == "Retain"
    assert TEMPLATE["Conditions"]["KeepsData"] == {"Fn::Equals": [{"Ref": "DataPolicy"}, "Retain"]}
    assert table["DeletionProtectionEnabled"] == {"Fn::If": ["KeepsData", True, False]}
    for name in ("LedgerTable", "MemoryBucket", "MemoryIndex"):
        kept = RESOURCES[name]["DeletionPolicy"], RESOURCES[name]["UpdateReplacePolicy"]
        assert kept == (
            {"Fn::If": ["KeepsData", "RetainExceptOnCreate", "Delete"]},
            {"Fn::If": ["KeepsData", "Retain", "Delete"]},  # it knows no other word for it
        )


def test_the_index_names_its_model_and_dimension() -> None:
    """Vectors of another model or length belong into another index; the functions look for it by the same name."""
    index, model = properties("MemoryIndex"), properties("EmbeddingsParameter")

    assert index["IndexName"] == {"Fn::Sub": f"${{Embeddings}}-{index['Dimension']}"}
    assert index["Dimension"] == EMBEDDING_DIMENSIONS
    assert model["Value"] == {"Ref": "Embeddings"}
    assert TEMPLATE["Parameters"]["Embeddings"]["Default"] == TITAN
    assert (index["DataType"], index["DistanceMetric"]) == ("float32", "cosine")
    assert index["MetadataConfiguration"] == {"NonFilterableMetadataKeys": ["text"]}
    for name in SQS_FUNCTIONS:
        variables = properties(name)["Environment"]["Variables"]
        assert variables["KODIAI_VECTOR_BUCKET"] == properties("MemoryBucket")["VectorBucketName"]


@pytest.mark.parametrize(
    ("model", "index", "actions"),
    [
        ("titan-embed-text-v2", "titan-embed-text-v2-1024", {*VECTORS, "bedrock:InvokeModel"}),
        ("voyage-3.5-lite", "voyage-3.5-lite-1024", VECTORS),
        ("off", None, set()),
    ],
)
def test_the_index_and_the_permissions_are_those_of_the_model(model: str, index: str | None, actions: set[str]) -> None:
    """S3 Vectors exists with embeddings only, and Bedrock is for Titan only. Template and code agree."""
    arns = {"VectorBucketArn": "bucket", "IndexArn": "index"}
    made = dict.fromkeys(("AWS::S3Vectors::VectorBucket", "AWS::S3Vectors::Index"), lambda *_: arns)
    stack = Stack(TEMPLATE, {"Embeddings": model}, PSEUDO_PARAMETERS, made, describe, {})
    values = {"embeddings/model": model, "embeddings/voyage-base-url": "https://a", "embeddings/voyage-api-key": "k"}

    names = [stack.properties(each)["IndexName"] for each in stack.of_type("AWS::S3Vectors::Index")]
    [policy] = stack.properties("ReviewRole")["Policies"]

    allowed = {action for each in policy["PolicyDocument"]["Statement"] for action in each["Action"]}
    assert {each for each in allowed if each.startswith(("s3vectors:", "bedrock:"))} == actions
    assert names == ([index] if index else [])
    assert stack.exists("MemoryBucket") == bool(index)
    assert EmbeddingSettings.from_parameters(values, "/kodiai").index == index


@pytest.mark.parametrize(
    ("region", "chosen", "profile"),
    [
        ("us-west-2", "", "us"),
        ("eu-central-1", "", "eu"),
        ("eu-central-1", "global", "global"),
        ("ap-northeast-1", "", "jp"),
        ("ap-southeast-2", "", "au"),
        ("sa-east-1", "", "global"),
        ("sa-east-1", "us", "us"),
    ],
)
@pytest.mark.parametrize("role", ["ReviewRole", "MentionRole"])
def test_claude_on_bedrock_may_be_asked_only_if_it_is_chosen_and_only_in_its_profile(
    role: str, region: str, chosen: str, profile: str
) -> None:
    """Other regions than its own are those of that profile. The code reads the same profile."""
    bucket = {"AWS::S3Vectors::VectorBucket": lambda *_: {"VectorBucketArn": "bucket"}}
    made = bucket | {"AWS::SSM::Parameter": lambda _, given: {"Ref": given["Name"], "Value": given["Value"]}}
    pseudo = {**PSEUDO_PARAMETERS, "AWS::Region": region}
    given = {"ModelProvider": "bedrock", "BedrockProfile": chosen, "Embeddings": "off"}
    stack = Stack(TEMPLATE, given, pseudo, made, describe, {})
    without = Stack(TEMPLATE, {**given, "ModelProvider": "anthropic"}, pseudo, made, describe, {})

    arn = f"arn:aws:bedrock:{region}:{pseudo['AWS::AccountId']}:inference-profile/{profile}.anthropic.*"
    assert [each for each in statements(stack, role) if "bedrock:InvokeModel" in each["Action"]] == [
        {"Sid": "AskClaude", "Effect": "Allow", "Action": ["bedrock:InvokeModel"], "Resource": arn},
        {
            "Sid": "AskClaudeInItsRegions",
            "Effect": "Allow",
            "Action": ["bedrock:InvokeModel"],
            "Resource": "arn:aws:bedrock:*::foundation-model/anthropic.*",
            "Condition": {"ArnLike": {"bedrock:InferenceProfileArn": arn}},
        },
    ]
    assert not any("bedrock:InvokeModel" in each["Action"] for each in statements(without, role))
    assert stack.properties("BedrockProfileParameter")["Value"] == profile
    assert profile in get_args(BedrockProfile)
    assert "BedrockProfileParameter" not in without.of_type("AWS::SSM::Parameter")


def test_the_providers_and_profiles_that_can_be_chosen_are_those_that_the_code_knows() -> None:
    """The empty profile is that of the region."""
    assert TEMPLATE["Parameters"]["ModelProvider"]["AllowedValues"] == [*get_args(Provider)]
    assert TEMPLATE["Parameters"]["BedrockProfile"]["AllowedValues"] == ["", *get_args(BedrockProfile)]
    assert {each["Profile"] for each in TEMPLATE["Mappings"]["Geography"].values()} < set(get_args(BedrockProfile))


def test_every_parameter_that_the_code_reads_is_created_or_documented_as_a_secret() -> None:
    """A name that only the code knows would be found missing in production."""
    plain = {
        each["Name"]["Fn::Sub"].removeprefix("/kodiai/${Stage}/") for each in of_type("AWS::SSM::Parameter").values()
    }
    secret = {each["Name"] for each in TEMPLATE["Metadata"]["KodiaiSecureStrings"]}
    settings = (ROOT / "layers/common/kodiai/core/config/settings.py").read_text("utf-8")
    groups = "|".join({*re.findall(r'alias="([a-z]+)/', settings)})
    name = re.compile(rf"""["']((?:{groups})/[a-z-]+)["']""")
    sources = [*ROOT.glob("layers/common/kodiai/**/*.py"), *ROOT.glob("functions/*/*.py")]

    read = {found for source in sources for found in name.findall(source.read_text("utf-8"))}

    assert "webhook/secret" in read
    only_local = {"models/offline", "models/rules-only", "embeddings/offline"}
    lists = {each["Name"] for each in TEMPLATE["Metadata"]["KodiaiOperatorStrings"]}
    assert read <= plain | secret | only_local | lists
    assert not plain & (secret | lists)


def test_logs_are_not_kept_for_ever() -> None:
    """The API and each function write into a group of the template, whose retention is a parameter."""
    groups = [properties(name)["LoggingConfig"]["LogGroup"]["Ref"] for name in FUNCTIONS]
    groups += properties("WebhookApi")["AccessLogSettings"]["DestinationArn"]["Fn::GetAtt"][:1]

    assert sorted(groups) == sorted(of_type("AWS::Logs::LogGroup"))
    assert {properties(group)["RetentionInDays"]["Ref"] for group in groups} == {"LogRetentionDays"}


def test_the_log_of_the_api_names_nobody_and_tells_which_webhooks_were_turned_away() -> None:
    """Each line is JSON; a webhook that was turned away is one that was too large or one of too many."""
    form = json.loads(properties("WebhookApi")["AccessLogSettings"]["Format"])
    turned_away = properties("TurnedAwayWebhooksMetric")

    assert not any(word in json.dumps(form) for word in ("identity", "authorizer", "userAgent", "sourceIp"))
    assert (form["route"], form["status"]) == ("$context.routeKey", "$context.status")
    assert turned_away["LogGroupName"] == {"Ref": "ApiLogs"}
    assert turned_away["FilterPattern"] == (
        '{ ($.route = "POST /webhook") && (($.status = "413") || ($.status = "429")) }'
    )


def test_the_templates_own_values_come_with_an_upgrade() -> None:
    """CloudFormation keeps the old value of a parameter, also an old default.

    So an empty parameter stands for the template's value, now and after each upgrade.
    """
    parameters = ("ReviewerModel", "RepliesModel", "FallbackModel", "ModelTiers")

    assert {TEMPLATE["Parameters"][name]["Default"] for name in (*parameters, "ModelPrices", "ModelRoles")} == {""}
    for name, key in zip(parameters, TEMPLATE["Mappings"]["Models"], strict=True):
        own, theirs, ours = properties(f"{name}Parameter")["Value"]["Fn::If"]
        assert TEMPLATE["Conditions"][own] == {"Fn::Not": [{"Fn::Equals": [{"Ref": name}, ""]}]}
        assert (theirs, ours) == ({"Ref": name}, {"Fn::FindInMap": ["Models", key, "Value"]})


def test_the_saved_file_has_the_choices_of_a_stage_and_nothing_else() -> None:
    """A deployment that fails is rolled back, as by default: `kodiai setup` says the same."""
    saved = tomllib.loads((ROOT / "samconfig.toml").read_text("utf-8"))

    deploys = {stage: saved[stage]["deploy"]["parameters"] for stage in ("default", "prod")}

    assert {stage: each["parameter_overrides"] for stage, each in deploys.items()} == {
        "default": ["Stage=dev", "DataPolicy=Delete"],
        "prod": ["Stage=prod", "DataPolicy=Retain"],
    }
    assert not any("on_failure" in each for each in deploys.values())


def test_a_new_account_leaves_room_for_webhooks() -> None:
    """It may run ten functions at a time, and can reserve none of them."""
    reserved = properties("IngestFunction")["ReservedConcurrentExecutions"]
    at_once = sum(TEMPLATE["Parameters"][f"{each}Concurrency"]["Default"] for each in ("Review", "Mention"))

    assert reserved == {"Fn::If": ["ReservesIngest", {"Ref": "IngestReservedConcurrency"}, {"Ref": "AWS::NoValue"}]}
    assert TEMPLATE["Parameters"]["IngestReservedConcurrency"]["Default"] == 0
    assert at_once <= 10 / 2


def test_no_secret_is_a_parameter_of_the_template() -> None:
    """CloudFormation shows its parameters to everybody who may read the stack."""
    assert not any("NoEcho" in each for each in TEMPLATE["Parameters"].values())
    assert {each["Type"] for each in of_type("AWS::SSM::Parameter").values()} == {"String"}
