"""Claude through the anthropic SDK, imported late because it takes a second.

API: https://platform.claude.com/docs/en/api/messages
"""

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import AfterValidator, BaseModel, SecretStr, ValidationError

from kodiai.core.errors import Broken, Overloaded, Retry
from kodiai.core.model.messages import (
    Block,
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
from kodiai.edges.calls import CallLog
from kodiai.edges.retry_after import read_retry_after
from kodiai.edges.tls import trusted

if TYPE_CHECKING:
    import anthropic

_CONNECT_SECONDS = 5.0
_CACHED = {"cache_control": {"type": "ephemeral"}}
_NO_ROOM = "overloaded_error"
_STOP_REASONS: dict[str, StopReason] = {reason: reason for reason in get_args(StopReason)}


class Claude:
    """The Messages API, one request at a time; never retries by itself."""

    def __init__(self, api_key: SecretStr, base_url: str) -> None:
        self._api_key = api_key
        self._base_url = base_url

    def __enter__(self) -> "Claude":
        return self

    def __exit__(self, *why: Any) -> None:
        if "_client" in vars(self):  # it was asked something
            self._client.close()

    @cached_property
    def _client(self) -> "anthropic.Anthropic":
        import anthropic  # noqa: PLC0415 - a second of import that a skipped event need not pay

        return anthropic.Anthropic(
            api_key=self._api_key.get_secret_value(),
            base_url=self._base_url,
            max_retries=0,
            http_client=anthropic.DefaultHttpxClient(verify=trusted()),
        )

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Ask. Raises Overloaded where the model has no room, another Retry where the API is busy, slow or cut off.

        Raises Broken where the request or the key is wrong. One that is more than the model holds has an empty answer.
        """
        request = _request(question)
        try:
            with CallLog("model") as calls:
                said = _read(self._send(request, timeout_seconds, calls))
                calls.answered(model=said.model or question.model, stop_reason=said.stop_reason, **said.usage.tokens)
        except _TooLong:
            return ModelAnswer(question.model, (), "model_context_window_exceeded", Usage(calls=1))
        sent = _characters([request.get("system"), request["messages"], request.get("tools")])
        return ModelAnswer(
            model=said.model or question.model,
            blocks=tuple(map(_block, said.content)),
            stop_reason=_STOP_REASONS.get(said.stop_reason, "end_turn"),
            usage=Usage(calls=1, prompt_characters=sent, **said.usage.tokens),
        )

    def _send(self, request: Mapping[str, Any], timeout_seconds: float, calls: CallLog) -> bytes:
        """Send a request; the answer's body as it came, because the SDK takes whatever has the form of JSON."""
        import anthropic  # noqa: PLC0415 - see above

        timeout = anthropic.Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS))
        messages = self._client.messages
        calls.sent("POST /v1/messages", model=request["model"])
        try:
            response = messages.with_raw_response.create(**request, timeout=timeout).http_response
        except anthropic.APITimeoutError as error:
            raise Retry("the model did not answer in time") from error
        except anthropic.APIConnectionError as error:
            raise Retry("the model cannot be reached") from error
        except anthropic.APIStatusError as error:
            calls.answered(status=error.status_code)
            raise _translate(error) from error
        calls.answered(status=response.status_code)
        return response.content


class _TooLong(Exception):
    """The request is more than the model holds, or the API takes."""


class _Usage(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    @property
    def tokens(self) -> dict[str, int]:
        """As we name them."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cache_read_tokens": self.cache_read_input_tokens or 0,
            "cache_write_tokens": self.cache_creation_input_tokens or 0,
        }


# What is read of the blocks that we know; the others only travel back to the model.
_READ_OF: dict[str, dict[str, type]] = {"text": {"text": str}, "tool_use": {"id": str, "name": str, "input": dict}}


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    needed = {"type": str, **_READ_OF.get(str(block.get("type")), {})}
    if not all(isinstance(block.get(name), kind) for name, kind in needed.items()):
        raise ValueError("the block lacks what blocks of its type have")
    return block


class _Message(BaseModel):
    """What is read of a message: https://platform.claude.com/docs/en/api/messages ."""

    model: str | None = None
    content: list[Annotated[dict[str, Any], AfterValidator(_whole)]]
    stop_reason: str
    usage: _Usage


def _read(body: bytes) -> _Message:
    try:
        told = json.loads(body)
    except ValueError as error:
        raise Retry("the model's answer broke off") from error
    try:
        return _Message.model_validate(told)
    except ValidationError as error:
        if _told(told, "type") == _NO_ROOM:
            raise Overloaded("the model has no room") from error
        raise Retry("the model's answer is no message") from error


def _request(question: ModelRequest) -> dict[str, Any]:
    import anthropic  # noqa: PLC0415 - see above

    request: dict[str, Any] = {
        "model": question.model,
        "system": [{"type": "text", "text": question.system}],
        "messages": [_message(message) for message in question.messages],
        "max_tokens": question.max_tokens,
    }
    if question.tools:
        request["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.schema)}
            for tool in question.tools
        ]
        if not question.tools_allowed:
            request["tool_choice"] = {"type": "none"}
    output: dict[str, Any] = {}
    if question.schema is not None:
        output["format"] = {"type": "json_schema", "schema": anthropic.transform_schema(dict(question.schema))}
    if question.effort is not None:
        output["effort"] = question.effort
    return {**request, "output_config": output} if output else request


def _message(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": list(map(_sent, message.blocks))}


def _sent(block: Block) -> dict[str, Any]:
    """A block in the API's JSON; behind what ends a prefix the API keeps that prefix in its cache."""
    match block:
        case OpaqueBlock():
            return dict(block.data)
        case ToolUse():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": dict(block.input)}
        case ToolResult():
            error = {"is_error": True} if block.is_error else {}
            sent = {"type": "tool_result", "tool_use_id": block.use, "content": block.text, **error}
        case Text():
            sent = {"type": "text", "text": block.text}
    return {**sent, **_CACHED} if block.ends_prefix else sent


def _block(data: dict[str, Any]) -> Block:
    match data:
        case {"type": "text", "text": text}:
            return Text(text)
        case {"type": "tool_use", "id": use, "name": name, "input": given}:
            return ToolUse(use, name, given)
    return OpaqueBlock(data)


def _translate(error: "anthropic.APIStatusError") -> Exception:
    status, said, wait = error.status_code, _told(error.body, "message"), _wait_seconds(error.response.headers)
    if status == 529 or _told(error.body, "type") == _NO_ROOM:  # noqa: PLR2004 - HTTP status codes
        return Overloaded(f"the model has no room: {status} {said}", after_seconds=wait)
    if status in (408, 409, 429) or status >= 500:  # noqa: PLR2004
        return Retry(f"the model is busy: {status} {said}", after_seconds=wait)
    if status == 413 or "prompt is too long" in said:  # noqa: PLR2004
        return _TooLong()
    if status in (401, 403):
        return Broken("the Anthropic key is not accepted: look at the parameter anthropic/api-key")
    return Broken(f"the model refused the request: {status} {said}")


def _told(body: object, field: str) -> str:
    """Read a field of the error that a body tells: https://platform.claude.com/docs/en/api/errors ."""
    error = body.get("error") if isinstance(body, dict) else None
    return str(error.get(field, "")) if isinstance(error, dict) else ""


def _wait_seconds(headers: Mapping[str, str]) -> float | None:
    """How long the API asks us to wait, None where it does not."""
    return read_retry_after(headers.get("retry-after-ms", ""), unit=0.001) or read_retry_after(
        headers.get("retry-after", "")
    )


def _characters(parts: object) -> int:
    """Count what was sent, as text: strings as they are, everything else by its JSON."""
    match parts:
        case str():
            return len(parts)
        case dict():
            return sum(_characters(value) for name, value in parts.items() if name not in _NOT_PROMPT)
        case list():
            return sum(_characters(part) for part in parts)
        case None:
            return 0
    return len(json.dumps(parts))


_NOT_PROMPT = frozenset({"type", "role", "cache_control", "id", "tool_use_id"})
