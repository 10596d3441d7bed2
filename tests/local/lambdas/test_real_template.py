"""Everything that template.yaml declares is there in the local AWS, as it would be after a deployment."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config.settings import EmbeddingSettings
from kodiai.edges.parameters import SsmParameters
from local.aws import LocalAws
from local.lambdas import description
from local.lambdas.resources import creators, describe
from local.lambdas.stack import Stack
from local.lambdas.template import read_template

ROOT = Path(__file__).resolve().parents[3]
PREFIX = "/kodiai/whole"


@pytest.fixture(scope="module")
def aws() -> Iterator[LocalAws]:
    with LocalAws() as aws:
        yield aws


def a_stack(aws: LocalAws, **parameters: str) -> Stack:
    pseudo = {"AWS::Region": "us-east-1", "AWS::AccountId": "123456789012", "AWS::Partition": "aws"}
    return Stack(
        read_template(ROOT / "template.yaml"),
        {"Stage": "whole", **parameters},
        {**pseudo, "AWS::URLSuffix": "amazonaws.com"},
        creators(aws),
        describe,
        {},
    )


@pytest.fixture(scope="module")
def stack(aws: LocalAws) -> Stack:
    stack = a_stack(aws)
    stack.make_all()
    return stack


def attributes(aws: LocalAws, url: str) -> dict[str, str]:
    answer = aws.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
    found: dict[str, str] = answer["Attributes"]
    return found


@pytest.mark.parametrize("name", ["Reviews", "Mentions"])
def test_each_queue_has_its_attributes_and_its_dead_letter_queue(aws: LocalAws, stack: Stack, name: str) -> None:
    """Order for each group, no deduplication by content, 660 seconds, six receives."""
    found = attributes(aws, stack.attributes(f"{name}Queue")["Ref"])
    dead = attributes(aws, stack.attributes(f"{name}DeadQueue")["Ref"])

    assert {key: found[key] for key in ("FifoQueue", "ContentBasedDeduplication", "DeduplicationScope")} == {
        "FifoQueue": "true",
        "ContentBasedDeduplication": "false",
        "DeduplicationScope": "messageGroup",
    }
    assert (found["FifoThroughputLimit"], found["VisibilityTimeout"]) == ("perMessageGroupId", "660")
    redrive = json.loads(found["RedrivePolicy"])
    assert (redrive["deadLetterTargetArn"], int(redrive["maxReceiveCount"])) == (dead["QueueArn"], 6)
    assert dead["MessageRetentionPeriod"] == "1209600"
    assert json.loads(dead["RedriveAllowPolicy"]) == {
        "redrivePermission": "byQueue",
        "sourceQueueArns": [found["QueueArn"]],
    }


def test_the_table_has_its_keys_and_its_lifetime(aws: LocalAws, stack: Stack) -> None:
    """On demand, pk and sk, items end at expires_at."""
    dynamodb = aws.client("dynamodb")
    name = stack.attributes("LedgerTable")["Ref"]

    table = dynamodb.describe_table(TableName=name)["Table"]
    lifetime = dynamodb.describe_time_to_live(TableName=name)["TimeToLiveDescription"]

    assert [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]] == [("pk", "HASH"), ("sk", "RANGE")]
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert (lifetime["AttributeName"], lifetime["TimeToLiveStatus"]) == ("expires_at", "ENABLED")


def test_the_index_is_the_one_that_the_functions_look_for(aws: LocalAws, stack: Stack) -> None:
    """Its bucket comes from the environment of the review function, its name from the settings."""
    review = {each.name: each for each in description.functions(stack, ROOT)}["ReviewFunction"]
    parameters = SsmParameters(aws.client("ssm"), PREFIX)
    settings = parameters.settings(EmbeddingSettings.from_parameters)

    index = aws.client("s3vectors").get_index(
        vectorBucketName=review.environment["KODIAI_VECTOR_BUCKET"], indexName=settings.index
    )["index"]

    assert (index["dataType"], index["dimension"], index["distanceMetric"]) == ("float32", 1024, "cosine")
    assert index["metadataConfiguration"] == {"nonFilterableMetadataKeys": ["text"]}


@pytest.mark.usefixtures("stack")
def test_every_plain_parameter_is_there(aws: LocalAws) -> None:
    """All settings that are no secrets, with the values that the template gives them."""
    pages = aws.client("ssm").get_paginator("get_parameters_by_path")
    found = {
        each["Name"].removeprefix(f"{PREFIX}/"): each["Value"]
        for page in pages.paginate(Path=PREFIX, Recursive=True)
        for each in page["Parameters"]
    }

    assert found == {
        "github/api-url": "https://api.github.com",
        "github/timeout-seconds": "20",
        "github/publish": "post",
        "anthropic/base-url": "https://api.anthropic.com",
        "models/provider": "anthropic",
        "models/reviewer": "claude-sonnet-5-5",
        "models/extractor": "claude-haiku-5-5",
        "models/fallback": "claude-opus-5-5",
        "models/tiers": '{"trivial": {"effort": "low"}, "lite": {"effort": "medium"}, "full": {"effort": "high"}}',
        "embeddings/model": "titan-embed-text-v2",
        "embeddings/voyage-base-url": "https://api.voyageai.com",
        "limits/batch-tokens": "60000",
        "limits/parallel-calls": "4",
        "limits/tool-turns": "24",
        "limits/input-tokens-per-review": "1500000",
        "limits/tool-tokens-per-batch": "100000",
        "limits/tool-tokens-per-review": "400000",
        "limits/read-files": "400",
        "limits/archive-bytes": "200000000",
        "limits/answer-seconds": "240",
        "limits/publish-seconds": "30",
        "limits/quiet-seconds": "60",
        "limits/retention-days": "400",
        "spending/per-pull-request-usd": "5",
        "spending/per-repository-per-day-usd": "50",
        "spending/per-owner-per-month-usd": "500",
        "spending/tools-share": "0.5",
        "sweep/pull-request-hours": "24",
    }


def test_the_functions_are_wired_as_they_deploy(stack: Stack) -> None:
    """The routes, two event sources with one message at a time, and layers/common behind each function."""
    found = {each.name: each for each in description.functions(stack, ROOT)}
    sources: list[tuple[Any, ...]] = [
        (each.function, each.queue_url.rpartition("/")[2], each.batch_size, each.concurrency, each.reports_failures)
        for each in description.event_sources(stack)
    ]

    assert [(each.function, each.method, each.path) for each in description.routes(stack)] == [
        ("IngestFunction", "POST", "/webhook"),
        ("ProposalsFunction", "ANY", "/proposals"),
        ("ProposalsFunction", "ANY", "/proposals/{proxy+}"),
        ("ProposalsFunction", "ANY", "/mcp"),
        ("ProposalsFunction", "GET", "/openapi.json"),
    ]
    assert sources == [
        ("ReviewFunction", "kodiai-whole-reviews.fifo", 1, 2, True),
        ("MentionFunction", "kodiai-whole-mentions.fifo", 1, 2, True),
    ]
    assert description.scheduled(stack) == ["SweepFunction"]
    assert {name: each.folders for name, each in found.items()} == {
        f"{name.title()}Function": (ROOT / "functions" / name, ROOT / "layers" / "common")
        for name in ("ingest", "proposals", "review", "mention", "sweep")
    }


def test_a_schedule_that_is_disabled_calls_nothing(aws: LocalAws) -> None:
    """The parameter SweepState turns sweeps off."""
    assert description.scheduled(a_stack(aws, SweepState="DISABLED")) == []
