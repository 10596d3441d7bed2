"""The input budget: which batches a review can pay for, in tokens of input, before anything is asked."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kodiai.core.model.messages import Usage, weighted_input
from kodiai.core.model.prices import Price

T = TypeVar("T")


class InputBudget:
    """The tokens of input that one review may take; those of the cache are weighted by their price."""

    def __init__(self, tokens: int, price: Price) -> None:
        self._tokens = tokens
        self._price = price
        self.reason = f"over the budget of {tokens:,} input tokens"

    def fitting(self, each: Iterable[T], usage: Callable[[T], Usage]) -> Iterator[T]:
        """The first of them, which come in order of risk, as far as the budget goes; one is always taken."""
        spent = 0.0
        for one in each:
            cost = weighted_input(usage(one), self._price)
            if spent and spent + cost > self._tokens:
                return
            spent += cost
            yield one
