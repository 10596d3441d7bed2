"""What a model is asked and what it answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kodiai.core.json_object import JsonObject
from kodiai.core.model.usage import Usage
from kodiai.core.settings import Effort


@dataclass(frozen=True)
class ModelRequest:
    """One request to the model, in the Messages API's JSON.

    `schema` is a JSON schema that the answer must fill, None for free text.
    `tools_allowed` is False for the last turn of a conversation that has used its tools up.
    `effort` is how much the model thinks, None for its own default.
    `passing` are texts of the first message that may be others without making it another question.
    Source: https://platform.claude.com/docs/en/api/messages
    """

    model: str
    system: Sequence[JsonObject]
    messages: Sequence[JsonObject]
    max_tokens: int
    tools: Sequence[JsonObject] = ()
    tools_allowed: bool = True
    schema: JsonObject | None = None
    effort: Effort | None = None
    passing: tuple[str, ...] = ()


CACHED: JsonObject = {"cache_control": {"type": "ephemeral"}}
"""Marks the end of a prefix that is cached."""

StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "model_context_window_exceeded"]


@dataclass(frozen=True)
class ModelAnswer:
    """What a model said: content blocks in the Messages API's JSON, why it stopped, what it cost in tokens."""

    model: str
    content: Sequence[JsonObject]
    stop_reason: StopReason
    usage: Usage

    @property
    def text(self) -> str:
        """Its text blocks, joined."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def tool_uses(self) -> Sequence[JsonObject]:
        """The tools that it wants to use."""
        return [block for block in self.content if block["type"] == "tool_use"]
