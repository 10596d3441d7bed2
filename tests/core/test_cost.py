"""The cost of a review, from the price table."""

from kodiai.core.model.messages import Usage, cost_usd
from kodiai.core.model.prices import Price

PRICE = Price(input=2.0, output=10.0, cache_read=0.2, cache_write=2.5)


def test_each_kind_of_token_of_each_model_has_its_price() -> None:
    """Per million tokens; cached ones are neither counted twice nor free, and an unknown cost is not one of nothing."""
    cheap, read = Price(input=0.1, output=0.5, cache_read=0.01, cache_write=0.125), Usage(input_tokens=1_000_000)
    used = Usage(
        calls=1, input_tokens=500_000, output_tokens=100_000, cache_read_tokens=1_000_000, cache_write_tokens=200_000
    )

    assert cost_usd({"large": used}, {"large": PRICE}) == 1.0 + 1.0 + 0.2 + 0.5
    assert cost_usd({"large": read, "small": read}, {"large": PRICE, "small": cheap}) == 2.1
    assert cost_usd({"new": read}, {"large": PRICE}) is None
    assert cost_usd({}, {}) == 0
