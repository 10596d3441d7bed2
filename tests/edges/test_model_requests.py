"""The requests of the edges to Claude, next to those of Anthropic's own clients for the same question."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import anthropic
import pytest
from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kodiai.core.model.messages import Message, ModelRequest, Text, Tool, ToolResult, ToolUse, user_message
from kodiai.edges.bedrock import Bedrock
from kodiai.edges.claude import Claude
from local.server import Server
from tests.edges.test_bedrock import to

ANSWER = {"model": "m", "content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}
TOOL = Tool("look", "Look “there”.", {"type": "object", "properties": {"path": {"type": "string"}}})
QUESTION = ModelRequest("claude-sonnet-5-5", "Review.", (user_message("Here is the change."),), 1_000, "low")
TALK = (
    Message("user", (Text("Grüße 😀\u2028\x00 </a>", ends_prefix=True),)),
    Message("assistant", (ToolUse("u1", "look", {"n": 1.5}),)),
    Message("user", (ToolResult("u1", "nothing", is_error=True),)),
)
# What the SDK says of itself, and what our requests say of themselves instead.
OWN = ("user-agent", "x-stainless-")


@dataclass(frozen=True)
class Sent:
    """A request as it arrived, from a port; whether the system will probe its connection."""

    address: str
    headers: Mapping[str, str]
    body: bytes
    port: int
    is_probed: bool


@dataclass
class Listener:
    """Takes requests, and answers each with nothing."""

    url: str = ""
    sent: list[Sent] = field(default_factory=list)

    async def take(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        port = request.client.port if request.client else 0
        address = f"{request.method} {request.url.path}"
        self.sent.append(Sent(address, dict(request.headers), body, port, _is_probed(port)))
        await Response(json.dumps(ANSWER), media_type="application/json")(scope, receive, send)


def _is_probed(port: int) -> bool:
    """Whether the system will probe the connection that has this port at its other end, as far as it says so."""
    table = Path("/proc/net/tcp")
    if not table.exists():
        return True
    rows = [line.split() for line in table.read_text().splitlines()[1:]]
    return any(row[1].endswith(f":{port:04X}") and row[5].startswith("02:") for row in rows)


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    server = Server(listening.take)
    server.start()
    listening.url = server.url
    yield listening
    server.stop()


def by_the_sdk(listener: Listener, body: Mapping[str, Any]) -> Sent:
    """Ask the same by the SDK."""
    with anthropic.Anthropic(api_key="key", base_url=listener.url, max_retries=0) as client:
        client.messages.create(**body, timeout=5)
    return listener.sent[-1]


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        ModelRequest("claude-haiku-4-5", "“System”", TALK, 5, "low", tools=(TOOL,)),
        ModelRequest("m", "", TALK, 5, "high", tools=(TOOL,), tools_allowed=False),
    ],
)
def test_the_sdk_sends_the_same_bytes(listener: Listener, question: ModelRequest) -> None:
    """To the same address, with the same headers but for those in which a client speaks of itself."""
    with Claude(SecretStr("key"), listener.url) as claude:
        claude.answer(question, 5)
    [ours] = listener.sent

    theirs = by_the_sdk(listener, json.loads(ours.body))

    assert ours.address == theirs.address == "POST /v1/messages"
    assert ours.body == theirs.body
    assert ours.is_probed
    assert theirs.is_probed
    plain = [{name: text for name, text in each.headers.items() if not name.startswith(OWN)} for each in (ours, theirs)]
    assert plain[0] == plain[1]
    assert plain[0]["authorization"] == "Bearer key"
    assert not any(name.startswith("x-stainless-") for name in ours.headers)


def test_a_connection_serves_all_questions_of_an_event(listener: Listener) -> None:
    """Each new one would take two round trips more."""
    with Claude(SecretStr("key"), f"{listener.url}/") as claude:
        for _ in range(3):
            claude.answer(QUESTION, 5)

    assert len({each.port for each in listener.sent}) == 1


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
