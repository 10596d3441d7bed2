"""Prices, sizes and Bedrock's names of the models, as published when this version was made.

Sources: https://platform.claude.com/docs/en/about-claude/pricing and the model cards of
https://docs.aws.amazon.com/bedrock/latest/userguide/models-at-a-glance.html, on 2026-11-25.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Effort = Literal["low", "medium", "high", "xhigh", "max"]
BedrockProfile = Literal["global", "us", "eu", "jp", "au"]
"""Where Bedrock may answer: anywhere, or in one geography."""

_GEOGRAPHIES: tuple[BedrockProfile, ...] = ("us", "eu", "jp", "au")
# What stays in one geography, or in one region, costs a tenth more on Bedrock.
_IN_GEOGRAPHY = 1.1


class Price(BaseModel):
    """The price of a model, in US dollars per million tokens, and the tokens that it can hold at once.

    Writing to the cache for an hour costs twice the input, unless `cache_write_1h` says otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    input: Dollars
    output: Dollars
    cache_read: Dollars
    cache_write: Dollars
    cache_write_1h: Dollars | None = None
    context: Annotated[int, Field(ge=1_000)] = 200_000

    @property
    def hour_write(self) -> float:
        """The price of a write to the cache for an hour."""
        return 2 * self.input if self.cache_write_1h is None else self.cache_write_1h


class _Model(NamedTuple):
    bedrock_id: str
    input: float
    output: float
    cache_read: float
    cache_write: float
    context: int

    def price(self, factor: float = 1) -> Price:
        tokens = (self.input, self.output, self.cache_read, self.cache_write)
        dollars = dict(zip(("input", "output", "cache_read", "cache_write"), tokens, strict=True))
        return Price(**{name: round(each * factor, 6) for name, each in dollars.items()}, context=self.context)


_MODELS: Mapping[str, _Model] = {
    "claude-fable-5-1": _Model("anthropic.claude-fable-5-1", 10, 50, 0.25, 12.5, 1_000_000),
    "claude-opus-5-5": _Model("anthropic.claude-opus-5-5", 4, 20, 0.2, 5, 1_000_000),
    "claude-opus-5": _Model("anthropic.claude-opus-5", 5, 25, 0.5, 6.25, 1_000_000),
    "claude-opus-4-8": _Model("anthropic.claude-opus-4-8", 5, 25, 0.5, 6.25, 1_000_000),
    "claude-sonnet-5-5": _Model("anthropic.claude-sonnet-5-5", 2, 10, 0.1, 2.5, 1_000_000),
    "claude-sonnet-5": _Model("anthropic.claude-sonnet-5", 2, 10, 0.2, 2.5, 1_000_000),
    "claude-sonnet-4-6": _Model("anthropic.claude-sonnet-4-6", 3, 15, 0.3, 3.75, 1_000_000),
    # Over 100,000 tokens in one request it costs five times as much, which is not counted.
    "claude-haiku-5-5": _Model("anthropic.claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125, 1_000_000),
    "claude-haiku-4-5": _Model("anthropic.claude-haiku-4-5-20251001-v1:0", 1, 5, 0.1, 1.25, 200_000),
}


def takes_effort(model: str) -> bool:
    """Whether a model, by any of its names, lets a request say how much it thinks: all but one of those above do.

    Source: https://platform.claude.com/docs/en/build-with-claude/effort
    """
    return "claude-haiku-4-5" not in model


def bedrock_id(model: str, profile: BedrockProfile) -> str:
    """Bedrock's id of a model in a profile; an id that is Bedrock's own already stays as it is."""
    known = _MODELS.get(model)
    return f"{profile}.{known.bedrock_id}" if known else model


def known_prices(profile: BedrockProfile | None) -> dict[str, Price]:
    """The prices by the names of models, as they are in a profile of Bedrock or (None) outside, and by its own ids."""
    named = _IN_GEOGRAPHY if profile in _GEOGRAPHIES else 1
    prices = {name: model.price(named) for name, model in _MODELS.items()}
    for model in _MODELS.values():
        in_geography = model.price(_IN_GEOGRAPHY)
        prices |= {f"{each}.{model.bedrock_id}": in_geography for each in _GEOGRAPHIES}
        prices |= {model.bedrock_id: in_geography, f"global.{model.bedrock_id}": model.price()}
    return prices
