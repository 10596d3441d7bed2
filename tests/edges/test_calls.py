"""At the level DEBUG each request to the outside is a line in the log; at the level of every day there is none."""

import json
import logging
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr

from kodiai.core.errors import KodiaiError
from kodiai.core.model.messages import ModelRequest, user_message
from kodiai.edges.bedrock import Bedrock
from kodiai.edges.calls import log_calls
from kodiai.edges.claude import Claude
from kodiai.telemetry import logger
from local.aws import LocalAws
from local.github.failures import dropped_connection, server_error
from local.model import ModelStandIn, Script, failure, text, tool_use, tools
from tests.edges.deployed_aws import aws_that_says, client_at, nobody_there
from tests.edges.github_scene import PULL, REVIEWS, SNAPSHOT, TOKEN, Scene, a_review
from tests.edges.raw_github import Said, github_that_says, said

TREES = "GET /repos/{owner}/{repo}/git/trees/{tree_sha}"
TARBALL = "GET /repos/{owner}/{repo}/tarball/{ref}"
ARCHIVE = "GET /{owner}/{repo}/legacy.tar.gz/{ref}"


class Lines(logging.Handler):
    """The lines of the log, as the functions write them."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(logger.registered_formatter)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))

    @property
    def told(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.texts]

    def of(self, *names: str) -> list[tuple[Any, ...]]:
        return [tuple(line.get(name) for name in names) for line in self.told]


@contextmanager
def logged(level: int) -> Iterator[Lines]:
    before, lines = logger.log_level, Lines()
    logger.setLevel(level)
    logger.addHandler(lines)
    try:
        yield lines
    finally:
        logging.getLogger(logger.name).removeHandler(lines)
        logger.setLevel(before)


@pytest.fixture
def lines() -> Iterator[Lines]:
    with logged(logging.DEBUG) as lines:
        yield lines


def aws_client(name: Any, url: str, tries: int = 1) -> Any:
    client = client_at(name, url, config=Config(retries={"mode": "standard", "total_max_attempts": tries}))
    log_calls(client)
    return client


def ask(model: ModelStandIn, *asked: str, timeout: float = 5.0) -> None:
    """Put these questions to the model at the same time."""

    def put(claude: Claude, name: str) -> None:
        question = ModelRequest(name, "The code.", (user_message("The code."),), 1_000, "low")
        with suppress(KodiaiError):
            claude.answer(question, timeout)

    with Claude(SecretStr("key"), model.url) as claude, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: put(claude, name), asked))


def test_requests_to_github_are_told_as_they_are_counted(scene: Scene, lines: Lines) -> None:
    """Tokens, tries and redirects too; one that was not answered has no status."""
    scene.stand_in.fail_next(PULL, server_error(502))
    scene.stand_in.fail_next(PULL, dropped_connection())

    scene.edge.head()
    scene.edge.snapshot()
    assert scene.edge.tree(scene.head, limit_bytes=10_000_000).searchable

    assert lines.of("to", "what", "status", "error") == [
        ("github", TOKEN, 201, None),
        ("github", PULL, 502, None),
        ("github", PULL, None, "RemoteProtocolError"),
        ("github", PULL, 200, None),
        ("github", SNAPSHOT, 200, None),
        ("github", TREES, 200, None),
        ("github", TARBALL, 302, None),
        ("github", ARCHIVE, 200, None),
    ]
    assert Counter(line["what"] for line in lines.told) == scene.edge.calls()


@pytest.mark.parametrize(
    ("answer", "status", "error"),
    [
        (Said(b"", stalls=True), None, "ReadTimeout"),
        (said(body=b"[", missing=5), 200, "RemoteProtocolError"),
        (said(body=b"[", missing=5, stalls=True), 200, "ReadTimeout"),
        (said(404, body=b"{}"), 404, None),
    ],
)
def test_the_end_of_a_request_to_github_is_told(
    lines: Lines, answer: Said, status: int | None, error: str | None
) -> None:
    """Measured to the end of its answer: one that breaks off there has a status and an error."""
    with github_that_says(answer) as (edge, _), suppress(KodiaiError):
        edge.post_review("1" * 40, a_review())

    assert lines.of("what", "status", "error") == [(REVIEWS, status, error)]
    assert (lines.told[0]["seconds"] > 0.2) is (error == "ReadTimeout")


def test_requests_to_the_model_are_told_with_their_tokens(lines: Lines) -> None:
    """And with who answered, from whichever thread; a busy one has no tokens, a slow one no status."""
    script = Script()
    with ModelStandIn(script) as model:
        script.then(text("Good."))
        ask(model, "claude-haiku-5-5")
        script.then(failure(529))
        ask(model, "claude-opus-5-5")
        script.then(text("Late").delayed(0.8))
        ask(model, "claude-sonnet-5-5", timeout=0.2)

    fields = ("to", "what", "status", "error", "model", "stop_reason")
    assert lines.of(*fields) == [
        ("model", "POST /v1/messages", 200, None, "claude-haiku-5-5", "end_turn"),
        ("model", "POST /v1/messages", 529, None, "claude-opus-5-5", None),
        ("model", "POST /v1/messages", None, "ReadTimeout", "claude-sonnet-5-5", None),
    ]
    good, busy, late = lines.told
    assert good["input_tokens"] > 0 < good["output_tokens"]
    assert (good["cache_read_tokens"], good["cache_write_tokens"]) == (0, 0)
    assert "input_tokens" not in busy
    assert 0.2 <= late["seconds"] < 0.8
    assert good["began"] < busy["began"] < late["began"]


def test_requests_to_claude_on_bedrock_are_told_as_those_to_the_model_are(lines: Lines) -> None:
    """Once each, with the id that was asked there, and AWS's name for what went wrong."""
    script = Script()
    question = ModelRequest("claude-sonnet-5-5", "The code.", (user_message("The code."),), 1_000, "low")
    with ModelStandIn(script) as model, LocalAws(messages_api=model.serve) as aws:
        bedrock = Bedrock("eu", lambda _: aws.client("bedrock-runtime"))
        script.then(text("Good."), failure(529))
        bedrock.answer(question, 5)
        with suppress(KodiaiError):
            bedrock.answer(question, 5)

    invoke = "InvokeModel eu.anthropic.claude-sonnet-5-5"
    assert lines.of("to", "what", "status", "error", "stop_reason") == [
        ("bedrock-runtime", invoke, 200, None, "end_turn"),
        ("bedrock-runtime", invoke, 503, "ServiceUnavailableException", None),
    ]
    assert lines.told[0]["input_tokens"] > 0


def test_questions_that_are_put_at_the_same_time_are_told_each_for_itself(lines: Lines) -> None:
    """Each with its own answer."""
    script = Script()
    script.when(lambda request: request["model"] == "claude-haiku-5-5", tools(tool_use("look")).delayed(0.5))
    script.when(lambda request: request["model"] == "claude-opus-5-5", failure(500).delayed(0.5))
    script.then(text("Good.").delayed(0.5))
    with ModelStandIn(script) as model:
        ask(model, "claude-haiku-5-5", "claude-opus-5-5", "claude-sonnet-5-5")

    assert sorted(lines.of("model", "status", "stop_reason")) == [
        ("claude-haiku-5-5", 200, "tool_use"),
        ("claude-opus-5-5", 500, None),
        ("claude-sonnet-5-5", 200, "end_turn"),
    ]
    assert max(line["began"] for line in lines.told) < min(line["began"] + line["seconds"] for line in lines.told)


def test_requests_to_aws_are_told_with_its_name_for_what_went_wrong(aws: LocalAws, table: Any, lines: Lines) -> None:
    """By service and operation; nothing of what was sent."""
    client = aws.client("dynamodb")
    log_calls(client)
    item = {"pk": {"S": "a"}, "sk": {"S": "b"}, "secret": {"S": "swordfish"}}

    client.put_item(TableName=table.name, Item=item)
    with suppress(ClientError):
        client.put_item(TableName=table.name, Item=item, ConditionExpression="attribute_not_exists(pk)")

    assert lines.of("to", "what", "status", "error") == [
        ("dynamodb", "PutItem", 200, None),
        ("dynamodb", "PutItem", 400, "ConditionalCheckFailedException"),
    ]
    assert not any("swordfish" in text for text in lines.texts)


def test_each_try_at_aws_is_told(lines: Lines) -> None:
    """The SDK tries again by itself."""
    with aws_that_says(503, "ServiceUnavailable") as url, suppress(ClientError):
        aws_client("ssm", url, tries=2).get_parameter(Name="/a")
    with suppress(BotoCoreError):
        aws_client("sqs", nobody_there()).list_queues()

    assert lines.of("to", "what", "status", "error") == [
        ("ssm", "GetParameter", 503, "ServiceUnavailable"),
        ("ssm", "GetParameter", 503, "ServiceUnavailable"),
        ("sqs", "ListQueues", None, "EndpointConnectionError"),
    ]


def test_nothing_is_told_at_the_level_of_every_day(scene: Scene) -> None:
    """Nor does an AWS client carry anything for it."""
    with logged(logging.INFO) as lines:
        scene.edge.head()
        client = aws_client("sqs", nobody_there())
        with suppress(BotoCoreError):
            client.list_queues()

    assert lines.texts == []
    with logged(logging.DEBUG) as later, suppress(BotoCoreError):
        client.list_queues()
    assert later.texts == []
