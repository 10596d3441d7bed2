"""What the model's work costs."""

from collections.abc import Mapping

from kodiai.core.settings import Price
from kodiai.ports import Usage


def cost_usd(usage: Mapping[str, Usage], prices: Mapping[str, Price]) -> float | None:
    """What the calls cost in US dollars, None where a model has no price."""
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
