"""What a model is asked and what it answers, in our own terms: an edge turns them into those of its API."""

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from kodiai.core.json_object import JsonObject
from kodiai.core.model.usage import Usage
from kodiai.core.settings import Effort


@dataclass(frozen=True)
class Text:
    """A text. `ends_prefix` is whether what comes up to here is sent again, and so is worth caching."""

    text: str
    ends_prefix: bool = False
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class ToolUse:
    """The model wants to use a tool; `id` names this use."""

    id: str
    name: str
    input: JsonObject
    kind: Literal["tool_use"] = "tool_use"


@dataclass(frozen=True)
class ToolResult:
    """What a use of a tool gave, or why it gave nothing (`is_error`)."""

    use: str
    text: str
    is_error: bool = False
    ends_prefix: bool = False
    kind: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True)
class Unknown:
    """A block that only the API understands, as its JSON: it goes back to the model as it came."""

    data: JsonObject
    kind: Literal["unknown"] = "unknown"


Block = Annotated[Text | ToolUse | ToolResult | Unknown, Field(discriminator="kind")]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Tool:
    """A tool that the model may use; `schema` is the JSON schema of its input."""

    name: str
    description: str
    schema: JsonObject


@dataclass(frozen=True)
class ModelRequest:
    """One request to a model.

    `schema` is a JSON schema that the answer must fill, None for free text.
    `tools_allowed` is False for the last turn of a conversation that has used its tools up.
    `effort` is how much the model thinks, None for its own default.
    `not_in_key` are texts of the first message that may be others without making it another request.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    tools: tuple[Tool, ...] = ()
    tools_allowed: bool = True
    schema: JsonObject | None = None
    effort: Effort | None = None
    not_in_key: tuple[str, ...] = ()


StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "model_context_window_exceeded"]


@dataclass(frozen=True)
class ModelAnswer:
    """What a model said, why it stopped, and what that took."""

    model: str
    blocks: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage = field(default_factory=Usage)

    @property
    def text(self) -> str:
        """Its texts, joined."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The tools that it wants to use."""
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))


def user_message(*texts: str) -> Message:
    """A turn of ours, of these texts."""
    return Message("user", tuple(map(Text, texts)))


def answer_to_json(answer: ModelAnswer) -> JsonObject:
    """Write an answer as JSON, to be kept."""
    written: JsonObject = _ANSWER.dump_python(answer, mode="json")
    return written


def answer_from_json(kept: JsonObject) -> ModelAnswer | None:
    """Read a kept answer, None where it cannot be read: then it is asked for again."""
    try:
        return _ANSWER.validate_python(kept)
    except ValidationError:
        return None


_ANSWER = TypeAdapter(ModelAnswer)
