"""Claude by the Messages API, over HTTPS; why without its SDK is in docs/decisions/0046.

API: https://platform.claude.com/docs/en/api/messages
"""

import json
import socket
from collections.abc import Mapping
from typing import Annotated, Any, get_args

import httpx
from pydantic import BaseModel, PlainValidator, SecretStr, ValidationError

from kodiai.core.errors import Broken, Overloaded, Retry
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
from kodiai.edges.https import read_retry_after, trusted
from kodiai.edges.strict_schema import strict_schema

_VERSION = "2026-10-21"  # https://platform.claude.com/docs/en/api/versioning
_CONNECT_SECONDS = 5.0
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}  # seconds, seconds, times
_SAID = 500  # characters of an error
_CACHED: Mapping[CacheLifetime, dict[str, Any]] = {
    "5m": {"cache_control": {"type": "ephemeral"}},
    "1h": {"cache_control": {"type": "ephemeral", "ttl": "1h"}},
}
_NO_ROOM = "overloaded_error"
# More than 16,000 tokens of prose or code; what is longer repeats something.
_LONGEST_TEXT = 200_000
_STOP_REASONS: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}


class Claude:
    """The Messages API, one request at a time; never retries by itself."""

    def __init__(self, api_key: SecretStr, base_url: str) -> None:
        self._client = httpx.Client(
            base_url=base_url,
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {api_key.get_secret_value()}",
                "anthropic-version": _VERSION,
            },
            verify=trusted(),
            follow_redirects=True,
        )

    def __enter__(self) -> "Claude":
        return self

    def __exit__(self, *why: Any) -> None:
        self._client.close()

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Ask. Raises Overloaded where the model has no room, another Retry where the API is busy, slow or cut off.

        Raises Broken where the request or the key is wrong. One that is more than the model holds has an empty answer.
        """
        request = _request(question)
        try:
            with CallLog("model") as calls:
                answer = _read(self._send(request, timeout_seconds, calls))
                model, tokens = answer.model or question.model, answer.usage.tokens
                calls.answered(model=model, stop_reason=answer.stop_reason, **tokens)
        except _TooLong:
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

    def _send(self, request: Mapping[str, Any], timeout_seconds: float, calls: CallLog) -> bytes:
        """Send a request; the answer's body as it came."""
        calls.sent("POST /v1/messages", model=request["model"])
        try:
            response = self._client.post(
                "/v1/messages",
                content=json.dumps(request, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(),
                headers={"Content-Type": "application/json"},
                timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS)),
                extensions={"trace": _keep_alive},
            )
        except httpx.TimeoutException as error:
            raise Retry("the model did not answer in time") from error
        except httpx.RequestError as error:
            raise Retry("the model cannot be reached") from error
        calls.answered(status=response.status_code)
        if not response.is_success:
            raise _translate(response)
        return response.content


def _keep_alive(event: str, known: Mapping[str, Any]) -> None:
    """Have a new connection probed: nothing travels while the model thinks, and what idles is cut on its way.

    Source of the event: https://www.encode.io/httpcore/extensions/#trace
    """
    if event == "connection.connect_tcp.complete":
        connection = known["return_value"].get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEP_ALIVE.items():
            if hasattr(socket, option):  # macOS lacks some
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class _TooLong(Exception):
    """The request is more than the model holds, or the API takes."""


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
        if _error_field(answer, "type") == _NO_ROOM:
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


def _translate(response: httpx.Response) -> Exception:
    try:
        body = response.json()
    except ValueError:
        body = None
    status, said = response.status_code, masked(_error_field(body, "message")[:_SAID])
    wait = read_retry_after(response.headers.get("retry-after", ""))
    if status == 529 or _error_field(body, "type") == _NO_ROOM:  # noqa: PLR2004 - HTTP status codes
        return Overloaded(f"the model has no room: {status} {said}", after_seconds=wait)
    if status in (408, 409, 429) or status >= 500:  # noqa: PLR2004
        return Retry(f"the model is busy: {status} {said}", after_seconds=wait)
    if status == 413 or "prompt is too long" in said:  # noqa: PLR2004
        return _TooLong()
    if status in (401, 403):
        return Broken("the Anthropic key is not accepted: look at the parameter anthropic/api-key")
    return Broken(f"the model refused the request: {status} {said}")


def _error_field(body: object, field: str) -> str:
    """Read a field of the error in a body: https://platform.claude.com/docs/en/api/errors ."""
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get(field, "")) if isinstance(error, dict) else ""


def _characters(question: ModelRequest) -> int:
    """Count what is sent as text: the system prompt, the texts and the results of tools."""
    blocks = [block for message in question.messages for block in message.blocks]
    return len(question.system) + sum(len(block.text) for block in blocks if isinstance(block, Text | ToolResult))
