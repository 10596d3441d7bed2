"""Requests that the stand-in refuses, because the real API would, or because the SDK's own types do not have it."""

from __future__ import annotations

from typing import Any

import anthropic
import pytest

from local.model import ModelStandIn
from tests.local.model.conversation import MODEL, READ_FILES, THINKER
from tests.tables import each_row

HELLO: dict[str, Any] = {"role": "user", "content": "Hello."}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "read_files", "input": {"files": [{"path": "a.py"}]}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "text"}
MARK = {"cache_control": {"type": "ephemeral"}}
FORM = {"type": "json_schema", "schema": {"type": "object", "properties": {}, "additionalProperties": False}}


def asked(*messages: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A sound request with some of it replaced."""
    return {"model": MODEL, "max_tokens": 50, "messages": list(messages) or [HELLO], **fields}


def turn(role: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "content": list(blocks)}


def block(words: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **fields}


REFUSED = {
    "temperature is no field any more": (
        asked(temperature=0.2),
        "Additional properties are not allowed ('temperature' was unexpected)",
    ),
    "a field of a block is misspelt": (
        asked(turn("user", block("a", cache={}))),
        "messages.0.content.0: Additional properties are not allowed ('cache' was unexpected)",
    ),
    "a block is of no kind": (
        asked(turn("user", {"type": "txt", "text": "a"})),
        (
            'messages.0.content.0: {"text":"a","type":"txt"} is not valid under any of the schemas listed in '
            "the 'anyOf' keyword"
        ),
    ),
    "max_tokens is missing": (
        {"model": MODEL, "messages": [HELLO]},
        '"max_tokens" is a required property',
    ),
    "no message": ({**asked(), "messages": []}, "messages: at least one message is required"),
    "the assistant begins": (
        asked(turn("assistant", block("a")), HELLO),
        "messages.0: the first message must use the user role",
    ),
    "the assistant ends": (
        asked(HELLO, turn("assistant", block("a"))),
        "messages: the conversation must end with a user message; this model does not support prefill",
    ),
    "a tool call without result": (
        asked(HELLO, turn("assistant", CALL), HELLO, tools=[READ_FILES]),
        "messages: tool_use ids without tool_result blocks in the turn after them: toolu_1",
    ),
    "a result that nobody asked for": (
        asked(turn("user", RESULT), tools=[READ_FILES]),
        "messages: tool_result blocks for ids that the turn before does not ask for: toolu_1",
    ),
    "two results for one call": (
        asked(HELLO, turn("assistant", CALL), turn("user", RESULT, RESULT), tools=[READ_FILES]),
        "messages: more than one tool_result for a tool_use id",
    ),
    "a text before the results": (
        asked(HELLO, turn("assistant", CALL), turn("user", block("a"), RESULT), tools=[READ_FILES]),
        "messages: tool_result blocks must come first in their turn",
    ),
    "two calls with one id": (
        asked(HELLO, turn("assistant", CALL, CALL), turn("user", RESULT), tools=[READ_FILES]),
        "messages: tool_use ids must be unique",
    ),
    "an empty text": (
        asked(turn("user", block(" \n"))),
        "messages: text content blocks must hold more than white space",
    ),
    "tool results without tools": (
        asked(HELLO, turn("assistant", CALL), turn("user", RESULT)),
        "tools: requests with tool_use, tool_result or tool_choice must define tools",
    ),
    "five breakpoints": (
        asked(turn("user", *(block(str(number), **MARK) for number in range(5)))),
        "at most 4 blocks may have cache_control; found 5",
    ),
    "structured output": (
        asked(output_config={"format": FORM}),
        "output_config.format: Extra inputs are not permitted",
    ),
    "an effort for a model without one": (
        asked(output_config={"effort": "low"}),
        "This model does not support the effort parameter.",
    ),
}


@each_row(("request_body", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_a_bad_request_is_refused_and_named(
    stand_in: ModelStandIn, client: anthropic.Anthropic, request_body: dict[str, Any], why: str
) -> None:
    """It is a 400 in Anthropic's shape, the reason names the place, and the stand-in remembers it."""
    with pytest.raises(anthropic.BadRequestError) as caught:
        client.post("/v1/messages", body=request_body, cast_to=anthropic.types.Message)

    assert (caught.value.type, caught.value.api_message) == ("invalid_request_error", why)
    assert caught.value.request_id
    assert stand_in.violations == [f"POST /v1/messages: {why}"]
    assert stand_in.requests[-1].status == 400
    stand_in.violations.clear()


SOUND = {
    "a plain question": asked(),
    "system as text": asked(system="Be brief."),
    "turns of one side in a row": asked(HELLO, HELLO),
    "a tool conversation": asked(
        HELLO, turn("assistant", block("a"), CALL), turn("user", RESULT, block("b", **MARK)), tools=[READ_FILES]
    ),
    "tools that may not be used any more": asked(tools=[READ_FILES], tool_choice={"type": "none"}),
    "thinking and effort": asked(model=THINKER, thinking={"type": "adaptive"}, output_config={"effort": "high"}),
    "one breakpoint for the whole request": asked(**MARK),
}


@each_row("request_body", SOUND.values(), ids=SOUND.keys())
def test_a_sound_request_is_answered(
    stand_in: ModelStandIn, client: anthropic.Anthropic, request_body: dict[str, Any]
) -> None:
    """Nothing that the API allows is held against a client."""
    client.post("/v1/messages", body=request_body, cast_to=anthropic.types.Message)

    assert stand_in.violations == []


def test_a_prompt_beyond_the_window_is_refused(stand_in: ModelStandIn, client: anthropic.Anthropic) -> None:
    """A million tokens, by the stated model, is all that a request may hold."""
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: 1000001 tokens > 1000000 maximum"):
        client.messages.create(**asked(turn("user", block("abcd" * 1_000_001))))
    stand_in.violations.clear()


@each_row("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_json_object_is_refused(
    stand_in: ModelStandIn, client: anthropic.Anthropic, body: bytes
) -> None:
    """Nothing that is sent brings the stand-in down."""
    with pytest.raises(anthropic.BadRequestError, match="The request body is not a JSON object"):
        client.post("/v1/messages", content=body, cast_to=anthropic.types.Message)
    stand_in.violations.clear()
