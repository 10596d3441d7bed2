"""The usage of models, and what it costs."""

import operator
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field

from kodiai.core.settings import Price


@dataclass(frozen=True)
class Usage:
    """What calls to a model consumed, in tokens; prompt characters are those of everything sent."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    prompt_characters: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*map(operator.add, astuple(self), astuple(other)))


def cost_usd(usage: Mapping[str, Usage], prices: Mapping[str, Price]) -> float | None:
    """What the calls cost in US dollars, None if a model has no price."""
    if any(model not in prices for model in usage):
        return None
    return sum(_cost(used, prices[model]) for model, used in usage.items())


def _cost(used: Usage, price: Price) -> float:
    """A price is in US dollars per million tokens."""
    tokens_and_prices = (
        (used.input_tokens, price.input),
        (used.output_tokens, price.output),
        (used.cache_read_tokens, price.cache_read),
        (used.cache_write_tokens, price.cache_write),
    )
    return sum(tokens * dollars for tokens, dollars in tokens_and_prices) / 1_000_000


@dataclass(frozen=True)
class ModelUse:
    """The usage of a run: tokens by model, and US dollars (None: a model has no price).

    `crowded` are the models that a request filled by more than half of their context, with the largest share.
    """

    by_model: Mapping[str, Usage] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    crowded: Mapping[str, float] = field(default_factory=dict)

    @property
    def total(self) -> Usage:
        """The tokens of all models."""
        return sum(self.by_model.values(), Usage())
