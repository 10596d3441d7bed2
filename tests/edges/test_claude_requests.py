"""What the edge to Claude sends, next to what Anthropic's own SDK sends for the same question."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anthropic
import pytest
from pydantic import BaseModel, SecretStr
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kodiai.core.conversation.reading import Reading
from kodiai.core.findings.report import Findings, FollowUpReport, Report
from kodiai.core.model.messages import Message, ModelRequest, OpaqueBlock, Text, Tool, ToolResult, ToolUse, user_message
from kodiai.edges.claude import Claude
from kodiai.edges.strict_schema import strict_schema
from local.server import Server
from tests.tables import each_row

ANSWER = {"model": "m", "content": [], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}
TOOL = Tool("look", "Look “there”.", {"type": "object", "properties": {"path": {"type": "string"}}})
QUESTION = ModelRequest("claude-sonnet-5-5", "Review.", (user_message("Here is the change."),), 1_000)
TALK = (
    Message("user", (Text("Grüße 😀\u2028\x00 </a>", ends_prefix=True),)),
    Message(
        "assistant",
        (OpaqueBlock({"type": "thinking", "thinking": "Hm.", "signature": "é"}), ToolUse("u1", "look", {"n": 1.5})),
    ),
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


def by_the_sdk(listener: Listener, question: ModelRequest, body: Mapping[str, Any]) -> Sent:
    """Ask the same by the SDK, whose own function makes the schema."""
    given = dict(body)
    if question.schema is not None:
        form = {"type": "json_schema", "schema": anthropic.transform_schema(dict(question.schema))}
        given["output_config"] = {**given["output_config"], "format": form}
    with anthropic.Anthropic(api_key="key", base_url=listener.url, max_retries=0) as client:
        client.messages.create(**given, timeout=5)
    return listener.sent[-1]


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        ModelRequest("m", "“System”", TALK, 5, tools=(TOOL,)),
        ModelRequest("m", "", TALK, 5, tools=(TOOL,), tools_allowed=False, effort="high"),
        ModelRequest("m", "S", TALK, 5, schema=Report.model_json_schema(mode="serialization"), effort="low"),
    ],
)
def test_the_sdk_sends_the_same_bytes(listener: Listener, question: ModelRequest) -> None:
    """To the same address, with the same headers but for those in which a client speaks of itself."""
    with Claude(SecretStr("key"), listener.url) as claude:
        claude.answer(question, 5)
    [ours] = listener.sent

    theirs = by_the_sdk(listener, question, json.loads(ours.body))

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


@pytest.mark.parametrize("form", [Findings, Report, FollowUpReport, Reading])
def test_the_sdk_makes_the_same_of_our_schemas(form: type[BaseModel]) -> None:
    """To the order of their members, which a model reads too."""
    for mode in ("serialization", "validation"):
        schema = form.model_json_schema(mode=mode)

        assert json.dumps(strict_schema(schema)) == json.dumps(anthropic.transform_schema(schema))


@each_row(
    "schema",
    [
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "integer", "minimum": 1, "description": "A number."}}},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"], "additionalProperties": True},
        {"type": "object", "maxProperties": 2, "title": "T", "description": "D"},
        {
            "type": "array",
            "items": {"type": "string", "format": "email", "pattern": "^a"},
            "minItems": 1,
            "maxItems": 3,
        },
        {"type": "array", "minItems": 2},
        {"type": "array", "minItems": 0, "uniqueItems": True, "title": "T"},
        {"type": "string", "format": "color", "maxLength": 3, "default": None},
        {"type": "string", "enum": ["a", "b"], "format": "email", "title": "E"},
        {"type": "string", "enum": []},
        {"type": "array", "enum": [["a"]], "items": {"type": "string"}},
        {"const": 1, "description": "One."},
        {"const": None, "enum": [None, True, 1.5]},
        {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None, "description": "Maybe."},
        {"oneOf": [{"type": "number", "exclusiveMinimum": 0}, {"$ref": "#/$defs/A"}]},
        {"allOf": [{"type": "object", "properties": {}}], "type": "object", "properties": {"b": {"type": "boolean"}}},
    ],
)
def test_the_sdk_makes_the_same_of_any_schema(schema: dict[str, Any]) -> None:
    """Every rule that the API does not take is in the description, in the same words."""
    before = json.dumps(schema)

    assert json.dumps(strict_schema(schema)) == json.dumps(anthropic.transform_schema(schema))
    assert json.dumps(schema) == before


@pytest.mark.parametrize("schema", [{}, {"description": "Anything."}, {"type": "array", "items": {}}, {"const": [1]}])
def test_a_schema_that_allows_anything_is_refused_by_both(schema: dict[str, Any]) -> None:
    """The API would refuse it too."""
    for make in (strict_schema, anthropic.transform_schema):
        with pytest.raises(ValueError, match=r"(?i)schema"):
            make(schema)
