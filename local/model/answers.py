"""The next answer of the stand-in: a reply of the model, or a failure of its service."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, Self

Request = Mapping[str, Any]
"""The body of `POST /v1/messages`."""

Block = Mapping[str, Any]
"""One content block of an answer; a tool_use block needs no id, the stand-in gives it one."""

StopReason = Literal["end_turn", "max_tokens", "tool_use", "refusal", "model_context_window_exceeded", "pause_turn"]

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""The `error.type` of each status; source: https://platform.claude.com/docs/en/api/errors."""


@dataclass(frozen=True)
class _Answer:
    """The way in which an answer travels: after a delay, or not at all (`lost`), or only its first half (`halved`).

    `thinking_tokens` are those that the model thinks with before it, None for as many as its effort makes usual.
    """

    delay_seconds: float = field(default=0.0, kw_only=True)
    lost: bool = field(default=False, kw_only=True)
    halved: bool = field(default=False, kw_only=True)
    thinking_tokens: int | None = field(default=None, kw_only=True)

    def delayed(self, seconds: float) -> Self:
        """Give the same answer, that many seconds later."""
        return replace(self, delay_seconds=seconds)

    def after_thinking(self, tokens: int) -> Self:
        """Give the same answer after that many tokens of thinking."""
        return replace(self, thinking_tokens=tokens)

    def cut(self) -> Self:
        """Work out the same answer, then close the connection instead of sending it."""
        return replace(self, lost=True)

    def torn(self) -> Self:
        """Begin the same answer, and close the connection half-way."""
        return replace(self, halved=True)


@dataclass(frozen=True)
class Reply(_Answer):
    """The model's words, and why it stopped.

    `message` is the whole answer of a real API where it was recorded: it is given as it is, usage included.
    """

    content: tuple[Block, ...]
    stop_reason: StopReason = "end_turn"
    message: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Failure(_Answer):
    """An answer of the service instead of the model, in Anthropic's error shape."""

    status: int
    message: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The `error.type` that goes with the status."""
        return ERROR_TYPES.get(self.status, "api_error")


Answer = Reply | Failure


class Answers(Protocol):
    """Decides the next answer; called from several threads at once."""

    def answer(self, request: Request) -> Answer | None:
        """Answer the request, or return None where there is nothing to say to it."""


def text(words: str, stop_reason: StopReason = "end_turn") -> Reply:
    """Reply with one text block."""
    return Reply(({"type": "text", "text": words},), stop_reason)


def json_reply(value: object, stop_reason: StopReason = "end_turn") -> Reply:
    """Reply with JSON, as to a request that holds a schema; nothing checks it against that schema."""
    return text(json.dumps(value), stop_reason)


def replayed(message: Mapping[str, Any]) -> Reply:
    """Reply with an answer that a real API gave."""
    return Reply(tuple(message["content"]), message["stop_reason"], message)


def tool_use(name: str, /, **arguments: object) -> Block:
    """Build the block that asks for one run of a tool."""
    return {"type": "tool_use", "name": name, "input": arguments}


def tools(*calls: Block, saying: str = "") -> Reply:
    """Reply with several tool_use blocks, after a text if there is one."""
    opening: tuple[Block, ...] = ({"type": "text", "text": saying},) if saying else ()
    return Reply((*opening, *calls), "tool_use")


def refusal() -> Reply:
    """Reply as the model does when it declines: no content, and the reason to stop is `refusal`."""
    return Reply((), "refusal")


def failure(status: int, message: str = "", *, retry_after: float | None = None) -> Failure:
    """Fail with that HTTP status; `retry_after` is in seconds."""
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return Failure(status, message or ERROR_TYPES.get(status, "api_error").replace("_", " "), headers)
