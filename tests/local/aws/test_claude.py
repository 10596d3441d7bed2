"""Claude on Bedrock, as unmodified boto3 asks for it: what Bedrock itself checks, before a model sees anything."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from local.aws import LocalAws
from local.model import ModelStandIn

MODEL = "eu.anthropic.claude-sonnet-5-5"
BODY = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Hi"}],
}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelStandIn]:
    with ModelStandIn() as running:
        yield running


@pytest.fixture(scope="module")
def bedrock(model: ModelStandIn) -> Iterator[Any]:
    with LocalAws(messages_api=model.serve) as aws:
        yield aws.client("bedrock-runtime")


def test_the_body_is_that_of_the_messages_api_with_the_model_in_the_address(bedrock: Any, model: ModelStandIn) -> None:
    """The answer has the form of the Messages API too."""
    answer = json.loads(bedrock.invoke_model(modelId=MODEL, body=json.dumps(BODY))["body"].read())

    assert (answer["type"], answer["role"], answer["model"]) == ("message", "assistant", MODEL)
    assert model.requests[-1].body == {
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Hi"}],
        "model": MODEL,
    }


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"anthropic_version": "2023-06-01"}, 'anthropic_version: the value must be "bedrock-2023-05-31"'),
        ({"anthropic_version": None}, "anthropic_version: the value must be"),
        ({"model": "claude-sonnet-5-5"}, "model: Extra inputs are not permitted"),
        ({"stream": True}, "stream: Extra inputs are not permitted"),
        ({"max_tokens": "many"}, "max_tokens"),
    ],
)
def test_an_invalid_request_is_refused(bedrock: Any, more: dict[str, Any], message: str) -> None:
    """The message is Bedrock's or the model's."""
    with pytest.raises(bedrock.exceptions.ValidationException, match=message):
        bedrock.invoke_model(modelId=MODEL, body=json.dumps(BODY | more))
