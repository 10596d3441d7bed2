"""What a review costs, from the price table."""

from kodiai.core.model.messages import Usage, cost_usd
from kodiai.core.model.prices import Price

PRICE = Price(input=2.0, output=10.0, cache_read=0.2, cache_write=2.5)


def test_each_kind_of_token_has_its_price() -> None:
    """Prices are per million tokens; cached ones are neither counted twice nor free."""
    used = Usage(
        calls=1, input_tokens=500_000, output_tokens=100_000, cache_read_tokens=1_000_000, cache_write_tokens=200_000
    )

    assert cost_usd({"large": used}, {"large": PRICE}) == 1.0 + 1.0 + 0.2 + 0.5


def test_several_models_are_added_up() -> None:
    """Each at its own price."""
    cheap = Price(input=0.1, output=0.5, cache_read=0.01, cache_write=0.125)
    used = Usage(input_tokens=1_000_000)

    assert cost_usd({"large": used, "small": used}, {"large": PRICE, "small": cheap}) == 2.1


def test_a_model_without_a_price_makes_the_cost_unknown_and_no_model_makes_it_nothing() -> None:
    """An unknown cost is not a cost of nothing."""
    assert cost_usd({"new": Usage(input_tokens=1)}, {"large": PRICE}) is None
    assert cost_usd({}, {}) == 0
