"""The beginning of a batch's questions is kept for an hour only if that costs less than writing it again."""

from collections import Counter

import pytest

from kodiai.core.model.messages import CacheLifetime, Usage, cost_usd
from kodiai.core.model.prices import Price
from kodiai.core.plan.cache_lifetime import cache_lifetime
from kodiai.core.plan.material import Material
from kodiai.core.plan.plan import Batch
from tests.tables import each_row

PRICE = Price(input=2, output=10, cache_read=0.2, cache_write=2.5)
BATCH = Batch((), ("behavior", "promises", "security"), Material((), (), Counter()), again=False)


@each_row(
    ("batches", "parallel", "price", "lifetime"),
    [
        (1, 4, PRICE, "5m"),
        (6, 4, PRICE, "5m"),
        (7, 4, PRICE, "1h"),
        (7, 16, PRICE, "5m"),
        (300, 4, PRICE, "5m"),
        (7, 4, PRICE.model_copy(update={"cache_write_1h": 5.0}), "5m"),
        (7, 4, Price(input=0, output=0, cache_read=0, cache_write=0), "5m"),
    ],
)
def test_the_lifetime_follows_from_how_long_the_reading_takes_and_from_the_prices(
    batches: int, parallel: int, price: Price, lifetime: CacheLifetime
) -> None:
    """Under five minutes the short one suffices, over an hour neither does."""
    assert cache_lifetime([BATCH] * batches, parallel, price) == lifetime


def test_a_beginning_that_is_kept_for_an_hour_costs_twice_the_input() -> None:
    """It is a part of what was written to the cache."""
    used = Usage(cache_write_tokens=1_000_000, hour_write_tokens=400_000)

    assert cost_usd({"m": used}, {"m": PRICE}) == pytest.approx(0.6 * 2.5 + 0.4 * 4)
