"""Requests to a model, its answers and their cost, in our own types: an edge translates them to its API."""

import operator
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from kodiai.core.json_object import JsonObject
from kodiai.core.model.prices import Effort, Price

CacheLifetime = Literal["5m", "1h"]

# Thinking counts toward max_tokens, and no answer is left where it takes all of them. In tokens, the lowest first.
# Source: https://platform.claude.com/docs/en/build-with-claude/thinking
_THINKING_ROOM: Mapping[Effort, int] = {"low": 4_000, "medium": 8_000, "high": 16_000, "xhigh": 32_000, "max": 48_000}


@dataclass(frozen=True)
class Usage:
    """The consumption of calls to a model, in tokens; prompt characters are those of everything sent.

    `hour_write_tokens` are those among `cache_write_tokens` that the cache keeps for an hour, `thinking_tokens` those
    among `output_tokens` that the model thought with before it answered.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    prompt_characters: int = 0
    hour_write_tokens: int = 0
    thinking_tokens: int = 0

    @property
    def prompt_tokens(self) -> int:
        """All tokens that a model read, including those from the cache and those written to it."""
        return self.input_tokens + self.cache_read_tokens + self.cache_write_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(operator.add, astuple(self), astuple(other)))


def weighted_input(used: Usage, price: Price) -> float:
    """The tokens of input, those that the cache read and wrote weighted by their price."""
    if not price.input:
        return used.prompt_tokens
    return _cost(replace(used, output_tokens=0), price) * 1_000_000 / price.input


def cost_usd(usage: Mapping[str, Usage], prices: Mapping[str, Price]) -> float | None:
    """The cost of the calls in US dollars, None if a model has no price."""
    if any(model not in prices for model in usage):
        return None
    return sum(_cost(used, prices[model]) for model, used in usage.items())


def _cost(used: Usage, price: Price) -> float:
    """A price is in US dollars per million tokens."""
    tokens_and_prices = (
        (used.input_tokens, price.input),
        (used.output_tokens, price.output),
        (used.cache_read_tokens, price.cache_read),
        (used.cache_write_tokens - used.hour_write_tokens, price.cache_write),
        (used.hour_write_tokens, price.hour_write),
    )
    return sum(tokens * dollars for tokens, dollars in tokens_and_prices) / 1_000_000


@dataclass(frozen=True)
class ModelUse:
    """The usage of a run: tokens by model, and US dollars (None: a model has no price).

    `crowded` are the models that a request filled by more than half of their context, with the largest share.
    `reached` are the limits on spending and on tools, by the names of their settings, that ended something.
    """

    by_model: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    crowded: Mapping[str, float] = field(default_factory=dict)
    reached: tuple[str, ...] = ()

    @property
    def total(self) -> Usage:
        """The tokens of all models."""
        return sum(self.by_model.values(), Usage())


@dataclass(frozen=True)
class Text:
    """A text. `ends_prefix` is whether everything up to here is sent again, and so is worth caching."""

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
    """The result of using a tool, or why there is none (`is_error`)."""

    use: str
    text: str
    is_error: bool = False
    ends_prefix: bool = False
    kind: Literal["tool_result"] = "tool_result"


@dataclass(frozen=True)
class OpaqueBlock:
    """A block that only the API understands, as its JSON, such as the model's thinking.

    It goes back to the model as it came, and only behind exactly the content that it came behind: `prefix` is a digest
    of that content.
    """

    data: JsonObject
    prefix: str = ""
    kind: Literal["unknown"] = "unknown"


Block = Annotated[Text | ToolUse | ToolResult | OpaqueBlock, Field(discriminator="kind")]


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

    `answer_tokens` are the most of its answer, next to those that it thinks with.
    `effort` is how much the model thinks.
    `tools_allowed` is False for the last turn of a conversation that has used up its tools.
    `not_in_key` are texts of the first message that may change without making it another request. `cached_for` is how
    long the cache keeps what the request begins with, each time it is read, which makes no other request of it either.
    """

    model: str
    system: str
    messages: tuple[Message, ...]
    answer_tokens: int
    effort: Effort
    tools: tuple[Tool, ...] = ()
    tools_allowed: bool = True
    not_in_key: tuple[str, ...] = ()
    cached_for: CacheLifetime = "5m"

    @property
    def max_tokens(self) -> int:
        """The most tokens of thinking and answer together, as the API counts them."""
        return self.answer_tokens + _THINKING_ROOM[self.effort]


def likely_thinking(effort: Effort) -> int:
    """The tokens that a model may think with before it answers, for an estimate: a quarter of their room."""
    return _THINKING_ROOM[effort] // 4


def less(effort: Effort) -> Effort | None:
    """The next lower effort, None below the lowest."""
    efforts = tuple(_THINKING_ROOM)
    at = efforts.index(effort)
    return efforts[at - 1] if at else None


StopReason = Literal["end_turn", "tool_use", "max_tokens", "refusal", "model_context_window_exceeded"]


@dataclass(frozen=True)
class ModelAnswer:
    """A model's answer, why the model stopped, and its usage.

    `is_short` is whether the short question was asked, by which it looks up nothing more.
    """

    model: str
    blocks: tuple[Block, ...]
    stop_reason: StopReason
    usage: Usage = field(default_factory=Usage)
    is_short: bool = False

    @property
    def text(self) -> str:
        """Its texts, joined."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text))

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The tools that it wants to use."""
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))


def user_message(*texts: str) -> Message:
    """A message of ours with these texts."""
    return Message("user", tuple(map(Text, texts)))


def answer_to_json(answer: ModelAnswer) -> JsonObject:
    """An answer as JSON, to be kept."""
    return dict(_ANSWER.dump_python(answer, mode="json"))


def answer_from_json(kept: JsonObject) -> ModelAnswer | None:
    """A kept answer, None if it cannot be read: then the question is asked again."""
    try:
        return _ANSWER.validate_python(kept)
    except ValidationError:
        return None


_ANSWER = TypeAdapter(ModelAnswer)
