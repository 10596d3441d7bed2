"""Requests and answers of the Messages API, whatever carries them; the edges to Claude share it.

API: https://platform.claude.com/docs/en/api/messages
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, PlainValidator, ValidationError

from kodiai.core.errors import Overloaded, Retry
from kodiai.core.model.json_answer import without_surrogates
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
from kodiai.core.model.prices import takes_effort
from kodiai.core.text.secrets import masked, masked_for_model
from kodiai.edges.calls import CallLog

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
_MOST_DIGITS = 1_000
_STOP_REASONS: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}


class TooLong(Exception):
    """The request is more than the model holds, or the API takes."""


def ask(question: ModelRequest, to: str, send: Callable[[dict[str, Any], CallLog], bytes]) -> ModelAnswer:
    """Send a question and read its answer; one that is more than the model holds has an empty answer.

    `send` sends the request to the system `to`, and gives the body of the answer as it came. Raises what `send` raises
    but for TooLong; Overloaded and Retry where the answer is none.
    """
    prefix = _Prefix()
    request = _request(question, prefix)
    try:
        with CallLog(to) as calls:
            answer = _read(send(request, calls))
            model, tokens = answer.model or question.model, answer.usage.tokens
            calls.answered(model=model, stop_reason=answer.stop_reason, **tokens)
    except TooLong:
        return ModelAnswer(question.model, (), "model_context_window_exceeded", Usage(calls=1))
    return ModelAnswer(
        model=model,
        blocks=tuple(_bound(answer.content, prefix)),
        stop_reason=_STOP_REASONS.get(answer.stop_reason, "end_turn"),
        usage=Usage(
            calls=1,
            prompt_characters=_characters(question),
            hour_write_tokens=answer.usage.cache_creation.ephemeral_1h_input_tokens,
            **tokens,
        ),
    )


def as_json(request: object) -> bytes:
    """A request as it is sent."""
    return json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def shown(said: str) -> str:
    """The text of an API's error, short and without secrets."""
    return masked(said[:_SAID])


def is_too_long(said: str) -> bool:
    """Whether an API says that a request is more than the model holds."""
    return any(each in said for each in _TOO_LONG)


class _Prefix:
    """A digest of everything that a block of a conversation stands behind.

    The API refuses a thinking block behind another prefix than the one that the model had before it: other tools,
    another system prompt or message, or thinking that was left out between them. Another model cannot read it.
    Source: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()

    def add(self, *parts: object) -> None:
        """Add what comes next; the marks of the cache are no content."""
        self._digest.update(as_json(parts))

    def __str__(self) -> str:
        return self._digest.hexdigest()[:32]


def _bound(content: Iterable[tuple[dict[str, Any], Block]], prefix: _Prefix) -> Iterator[Block]:
    """The blocks of an answer, each that only the API understands with the prefix that it came behind."""
    for data, block in content:
        match block:
            case OpaqueBlock():
                yield OpaqueBlock(data, str(prefix))
                prefix.add("assistant", data)
            case Text():
                yield block
                prefix.add("assistant", {"type": "text", "text": data["text"]})
            case _:
                yield block
                prefix.add("assistant", _sent(block))


_EMPTY_IF_NULL = BeforeValidator(lambda given: {} if given is None else given)


class _CacheCreation(BaseModel):
    ephemeral_1h_input_tokens: int = 0


class _OutputDetails(BaseModel):
    thinking_tokens: int = 0


class _Usage(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation: Annotated[_CacheCreation, _EMPTY_IF_NULL] = _CacheCreation()
    output_tokens_details: Annotated[_OutputDetails, _EMPTY_IF_NULL] = _OutputDetails()

    @property
    def tokens(self) -> dict[str, int]:
        """As we name them."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cache_read_tokens": self.cache_read_input_tokens or 0,
            "cache_write_tokens": self.cache_creation_input_tokens or 0,
            "thinking_tokens": self.output_tokens_details.thinking_tokens,
        }


def _block(data: dict[str, Any]) -> tuple[dict[str, Any], Block]:
    """A block of an answer as it came, and as we have it; what we do not know only travels back to the model."""
    match data:
        case {"type": "text", "text": str(text)}:
            return data, Text(text[:_LONGEST_TEXT])
        case {"type": "tool_use", "id": str(use), "name": str(name), "input": dict(given)}:
            return data, ToolUse(use, name, given)
        case {"type": str(kind)} if kind not in ("text", "tool_use"):
            return data, OpaqueBlock(data)
    raise ValueError("the block lacks what blocks of its type have")


class _Message(BaseModel):
    """The part of a message that is read: https://platform.claude.com/docs/en/api/messages ."""

    model: str | None = None
    content: tuple[Annotated[tuple[dict[str, Any], Block], PlainValidator(_block)], ...]
    stop_reason: str
    usage: _Usage


def _read(body: bytes) -> _Message:
    try:
        answer = without_surrogates(json.loads(body, parse_int=_whole, parse_float=_finite))
    except (ValueError, RecursionError) as error:
        raise Retry("the model's answer broke off") from error
    try:
        return _Message.model_validate(answer)
    except ValidationError as error:
        if error_field(answer, "type") == NO_ROOM:
            raise Overloaded("the model has no room") from error
        raise Retry("the model's answer is no message") from error


def _whole(digits: str) -> int | str:
    """A whole number of an answer; one that Python does not write again stays a text."""
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _finite(digits: str) -> float | str:
    """A number of an answer; one that no JSON can have again stays a text."""
    return number if isfinite(number := float(digits)) else digits


def _request(question: ModelRequest, prefix: _Prefix) -> dict[str, Any]:
    """The request in the API's JSON; all of its content is added to the prefix."""
    tools = [
        {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
        for tool in question.tools
    ]
    prefix.add(question.model, tools, question.system)
    mark = _CACHED[question.cached_for] if tools else {}
    request: dict[str, Any] = {
        "max_tokens": question.max_tokens,
        "messages": [_message(message, question.cached_for, prefix) for message in question.messages],
        "model": question.model,
    }
    if takes_effort(question.model):
        request["output_config"] = {"effort": question.effort}
    request["system"] = [{"type": "text", "text": question.system, **mark}]
    if tools and not question.tools_allowed:
        request["tool_choice"] = {"type": "none"}
    if tools:
        request["tools"] = tools
    return request


def _message(message: Message, cached_for: CacheLifetime, prefix: _Prefix) -> dict[str, Any]:
    """A message without the blocks that came behind something else: leaving them out is always allowed.

    Behind what ends a prefix the API keeps that prefix in its cache: what tools showed is of no use to other questions,
    so it is kept for the shorter time.
    """
    content = []
    for block in message.blocks:
        if isinstance(block, OpaqueBlock) and block.prefix != str(prefix):
            continue
        sent = _sent(block)
        prefix.add(message.role, sent)
        if isinstance(block, Text | ToolResult) and block.ends_prefix:
            sent |= _CACHED["5m" if isinstance(block, ToolResult) else cached_for]
        content.append(sent)
    return {"role": message.role, "content": content}


def _sent(block: Block) -> dict[str, Any]:
    """A block in the API's JSON, without secrets: every text that a model is shown passes here."""
    match block:
        case OpaqueBlock():
            return dict(block.data)
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": dict(block.input)}
        case ToolResult():
            error = {"is_error": True} if block.is_error else {}
            return {"type": "tool_result", "tool_use_id": block.use, "content": masked_for_model(block.text), **error}
        case Text():
            return {"type": "text", "text": masked_for_model(block.text)}


def error_field(body: object, field: str) -> str:
    """Read a field of the error in a body: https://platform.claude.com/docs/en/api/errors ."""
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get(field, "")) if isinstance(error, dict) else ""


def _characters(question: ModelRequest) -> int:
    """Count what is sent as text: the system prompt, the texts and the results of tools."""
    blocks = [block for message in question.messages for block in message.blocks]
    return len(question.system) + sum(len(block.text) for block in blocks if isinstance(block, Text | ToolResult))
