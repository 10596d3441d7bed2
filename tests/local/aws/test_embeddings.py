"""Embeddings in the shape of Titan, through bedrock-runtime."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kodiai.core.config.keys import Config
from local.aws import LocalAws
from local.aws.embeddings import embed

MODEL = "amazon.titan-embed-text-v2:0"
THRESHOLD = Config().knowledge.retrieval.distance_threshold
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def bedrock(aws: LocalAws) -> Any:
    return aws.client("bedrock-runtime")


def invoke(bedrock: Any, model: str = MODEL, **body: Any) -> dict[str, Any]:
    answer = bedrock.invoke_model(modelId=model, body=json.dumps(body))
    value: dict[str, Any] = json.loads(answer["body"].read())
    return value


def distance(one: str, other: str) -> float:
    return 1 - sum(a * b for a, b in zip(embed(one), embed(other), strict=True))


@pytest.mark.parametrize(("asked", "dimensions"), [({}, 1024), ({"dimensions": 256, "normalize": True}, 256)])
def test_an_embedding_has_the_dimensions_asked_for_and_length_one(
    bedrock: Any, asked: dict[str, Any], dimensions: int
) -> None:
    """The answer is like Titan's, with the count of tokens."""
    answer = invoke(bedrock, inputText="SQL injection in the login form", **asked)

    assert len(answer["embedding"]) == dimensions
    assert math.isclose(math.hypot(*answer["embedding"]), 1.0, rel_tol=1e-9)
    assert answer["embeddingsByType"]["float"] == answer["embedding"]
    assert answer["inputTextTokenCount"] > 0


def test_an_embedding_is_the_same_in_another_process() -> None:
    """A vector that was stored yesterday is found today: nothing hangs on Python's own, salted hash."""
    text = "the same words in the same order give the same numbers"
    program = f"import json; from local.aws.embeddings import embed; print(json.dumps(embed({text!r}, 256)))"

    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout

    assert json.loads(printed) == embed(text, 256)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "SQL injection: user input is concatenated into the query string",
            "The query string is built by concatenating user input, which allows SQL injection",
        ),
        (
            "Missing timeout on the HTTP request can hang the worker",
            "requests.get is called without a timeout, so a worker may hang forever",
        ),
        ("parseUserConfig swallows the exception", "Exception swallowed in parse_user_config"),
        ("这个函数没有处理空值", "函数没有处理空值的情况"),
    ],
)
def test_texts_that_share_words_are_nearer_than_others(one: str, other: str) -> None:
    """Any script and either style of names will do."""
    unrelated = "The icon of the settings page is not aligned on small screens"

    assert distance(one, other) < THRESHOLD < distance(one, unrelated)


def test_the_same_meaning_in_other_words_is_as_far_as_anything() -> None:
    """Only words are compared: the recall of a real model cannot be measured with these."""
    assert distance("The loop never ends", "This iteration runs forever") > THRESHOLD


def test_punctuation_alone_still_has_a_direction(bedrock: Any) -> None:
    """A zero vector could not be stored in a cosine index."""
    assert any(invoke(bedrock, inputText="?!")["embedding"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"inputText": ""}, "minLength"),
        ({"inputText": "x" * 50_001}, "maxLength"),
        ({"inputText": "x" * 38_600}, "Too many input tokens"),
        ({"inputText": "語" * 8_193}, "Too many input tokens"),
        ({"inputText": "x", "dimensions": 300}, "not a valid enum value"),
        ({"inputText": "x", "extra": 1}, "extraneous key"),
        ({"inputText": "x", "model": "amazon.titan-embed-text-v9:0"}, "model identifier is invalid"),
    ],
)
def test_an_invalid_request_is_refused(bedrock: Any, body: dict[str, Any], message: str) -> None:
    """boto3 raises ValidationException."""
    with pytest.raises(bedrock.exceptions.ValidationException, match=message):
        invoke(bedrock, **body)
