"""Everything that template.yaml declares is there in the local AWS, as it would be after a deployment."""

from collections.abc import Iterator
from pathlib import Path

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
        "models/replies": "claude-haiku-5-5",
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


def test_a_schedule_that_is_disabled_calls_nothing(aws: LocalAws) -> None:
    """The parameter SweepState turns sweeps off."""
    assert description.scheduled(a_stack(aws, SweepState="DISABLED")) == []
