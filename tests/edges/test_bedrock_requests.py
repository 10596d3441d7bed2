"""What the edge to Claude on Bedrock sends, next to what Anthropic's own client of Bedrock sends."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

import anthropic
import pytest

from kodiai.core.model.messages import ModelRequest
from kodiai.edges.bedrock import Bedrock
from local.server import Server
from tests.edges.test_bedrock import to
from tests.edges.test_claude_requests import QUESTION, TALK, TOOL, Listener


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    server = Server(listening.take)
    server.start()
    listening.url = server.url
    yield listening
    server.stop()


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        ModelRequest("claude-haiku-4-5", "“System”", TALK, 5, "low", tools=(TOOL,), cached_for="1h"),
        ModelRequest("claude-opus-5-5", "", TALK, 5, "high", tools=(TOOL,), tools_allowed=False),
    ],
)
def test_anthropics_client_sends_the_same(listener: Listener, question: ModelRequest) -> None:
    """The same JSON to the same address, signed for the same service; the connection is probed in both."""
    Bedrock("eu", to(listener.url)).answer(question, 5)
    [ours] = listener.sent
    given: dict[str, Any] = json.loads(ours.body)
    given["extra_body"] = {"anthropic_version": given.pop("anthropic_version")}
    model = ours.address.split("/")[2]
    with anthropic.AnthropicBedrock(
        aws_access_key="key",
        aws_secret_key="secret",
        aws_region="eu-central-1",
        base_url=listener.url,
        max_retries=0,
    ) as client:
        client.messages.create(model=model, **given, timeout=5)
    theirs = listener.sent[-1]

    assert unquote(ours.address) == unquote(theirs.address)
    assert json.loads(ours.body) == json.loads(theirs.body)
    assert json.loads(ours.body)["anthropic_version"] == "bedrock-2023-05-31"
    assert ours.is_probed
    for each in (ours, theirs):
        scope = each.headers["authorization"].partition(",")[0]
        assert scope.startswith("AWS4-HMAC-SHA256 Credential=key/")
        assert scope.endswith("/eu-central-1/bedrock/aws4_request")
