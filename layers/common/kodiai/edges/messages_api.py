"""Requests and answers of the Messages API, whatever carries them; the edges to Claude share it.

API: https://platform.claude.com/docs/en/api/messages
"""

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any, get_args

from pydantic import BaseModel, PlainValidator, ValidationError

from kodiai.core.errors import Overloaded, Retry
from kodiai.core.model.messages import (
    Block,
    CacheLifetime,
    Message,
    ModelAnswer,
    ModelRequest,
    OpaqueBlock,
    StopReason,
    Text,
    ToolResult,
    ToolUse,
    Usage,
)
from kodiai.core.words.secrets import masked, masked_for_model
from kodiai.edges.calls import CallLog
from kodiai.edges.strict_schema import strict_schema

CONNECT_SECONDS = 5.0
NO_ROOM = "overloaded_error"
_SAID = 500  # characters of an error
# The Messages API words it in the first way, Bedrock in both.
_TOO_LONG = ("prompt is too long", "Input is too long")
_CACHED: Mapping[CacheLifetime, dict[str, Any]] = {
    "5m": {"cache_control": {"type": "ephemeral"}},
    "1h": {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
}
# More than 16,000 tokens of prose or code; what is longer repeats something.
_LONGEST_TEXT = 200_000
_STOP_REASONS: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}


class TooLong(Exception):
    """The request is more than the model holds, or the API takes."""


def ask(question: ModelRequest, to: str, send: Callable[[dict[str, Any], CallLog], bytes]) -> ModelAnswer:
    """Send a question and read its answer; one that is more than the model holds has an empty answer.

    `send` sends the request to the system `to`, and gives the body of the answer as it came. Raises what `send` raises
    but for TooLong; Overloaded and Retry where the answer is none.
    """
    request = _request(question)
    try:
        with CallLog(to) as calls:
            answer = _read(send(request, calls))
            model, tokens = answer.model or question.model, answer.usage.tokens
            calls.answered(model=model, stop_reason=answer.stop_reason, **tokens)
    except TooLong:
        return ModelAnswer(question.model, (), "model_context_window_exceeded", Usage(calls=1))
    return ModelAnswer(
        model=model,
        blocks=answer.content,
        stop_reason=_STOP_REASONS.get(answer.stop_reason, "end_turn"),
        usage=Usage(
            calls=1,
            prompt_characters=_characters(question),
            hour_write_tokens=answer.usage.cache_creation.ephemeral_1h_input_tokens,
            **tokens,
        ),
    )


def as_json(request: Mapping[str, Any]) -> bytes:
    """A request as it is sent."""
    return json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def shown(said: str) -> str:
    """What an API says of an error, short and without secrets."""
    return masked(said[:_SAID])


def is_too_long(said: str) -> bool:
    """Whether an API says that a request is more than the model holds."""
    return any(each in said for each in _TOO_LONG)


class _CacheCreation(BaseModel):
    ephemeral_1h_input_tokens: int = 0


class _Usage(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: _CacheCreation = _CacheCreation()

    @property
    def tokens(self) -> dict[str, int]:
        """As we name them."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cache_read_tokens": self.cache_read_input_tokens or 0,
            "cache_write_tokens": self.cache_creation_input_tokens or 0,
        }


def _block(data: dict[str, Any]) -> Block:
    """A block of an answer; what we do not know only travels back to the model."""
    match data:
        case {"type": "text", "text": str(text)}:
            return Text(text[:_LONGEST_TEXT])
        case {"type": "tool_use", "id": str(use), "name": str(name), "input": dict(given)}:
            return ToolUse(use, name, given)
        case {"type": str(kind)} if kind not in ("text", "tool_use"):
            return OpaqueBlock(data)
    raise ValueError("the block lacks what blocks of its type have")


class _Message(BaseModel):
    """What is read of a message: https://platform.claude.com/docs/en/api/messages ."""

    model: str | None = None
    content: tuple[Annotated[Block, PlainValidator(_block)], ...]
    stop_reason: str
    usage: _Usage


def _read(body: bytes) -> _Message:
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise Retry("the model's answer broke off") from error
    try:
        return _Message.model_validate(answer)
    except ValidationError as error:
        if error_field(answer, "type") == NO_ROOM:
            raise Overloaded("the model has no room") from error
        raise Retry("the model's answer is no message") from error


def _request(question: ModelRequest) -> dict[str, Any]:
    request: dict[str, Any] = {
        "max_tokens": question.max_tokens,
        "messages": [_message(message, question.cached_for) for message in question.messages],
        "model": question.model,
    }
    output: dict[str, Any] = {}
    if question.schema is not None:
        output["format"] = {"type": "json_schema", "schema": strict_schema(question.schema)}
    if question.effort is not None:
        output["effort"] = question.effort
    if output:
        request["output_config"] = output
    mark = _CACHED[question.cached_for] if question.tools else {}
    request["system"] = [{"type": "text", "text": question.system, **mark}]
    if question.tools and not question.tools_allowed:
        request["tool_choice"] = {"type": "none"}
    if question.tools:
        request["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
            for tool in question.tools
        ]
    return request


def _message(message: Message, cached_for: CacheLifetime) -> dict[str, Any]:
    return {"role": message.role, "content": [_sent(block, cached_for) for block in message.blocks]}


def _sent(block: Block, cached_for: CacheLifetime) -> dict[str, Any]:
    """A block in the API's JSON, without secrets: every text that a model is shown passes here.

    Behind what ends a prefix the API keeps that prefix in its cache: what tools showed is of no use to other questions,
    so it is kept for the shorter time.
    """
    match block:
        case OpaqueBlock():
            return dict(block.data)
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": dict(block.input)}
        case ToolResult():
            error = {"is_error": True} if block.is_error else {}
            sent = {"type": "tool_result", "tool_use_id": block.use, "content": masked_for_model(block.text), **error}
            cached_for = "5m"
        case Text():
            sent = {"type": "text", "text": masked_for_model(block.text)}
    return {**sent, **_CACHED[cached_for]} if block.ends_prefix else sent


def error_field(body: object, field: str) -> str:
    """Read a field of the error in a body: https://platform.claude.com/docs/en/api/errors ."""
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get(field, "")) if isinstance(error, dict) else ""


def _characters(question: ModelRequest) -> int:
    """Count what is sent as text: the system prompt, the texts and the results of tools."""
    blocks = [block for message in question.messages for block in message.blocks]
    return len(question.system) + sum(len(block.text) for block in blocks if isinstance(block, Text | ToolResult))
