"""An index of values by the ranges of lines that they cover."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class LineRanges(Generic[T]):
    """Values with their first and last lines, both included, in any order; an empty range ends before it begins."""

    def __init__(self, values: Iterable[tuple[int, int, T]]) -> None:
        solid = ((at, each) for at, each in enumerate(values) if each[0] <= each[1])
        self._values = sorted(solid, key=lambda each: each[1][0])
        self._firsts = [first for _, (first, _, _) in self._values]
        # How far any of them reaches, up to each: they may overlap.
        self._reach = list(accumulate((last for _, (_, last, _) in self._values), max))

    def on(self, first: int, last: int) -> list[T]:
        """The values that have any of these lines, in the order in which they were given."""
        around = self._values[bisect_left(self._reach, first) : bisect_right(self._firsts, last)]
        found = [(at, value) for at, (_, end, value) in around if first <= end and first <= last]
        return [value for _, value in sorted(found, key=lambda each: each[0])]
