"""Things that are on ranges of lines, found by lines."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import Generic, TypeVar

T = TypeVar("T")


class LineRanges(Generic[T]):
    """Things with their first and last lines, both included, in any order; an empty range ends before it begins."""

    def __init__(self, things: Iterable[tuple[int, int, T]]) -> None:
        solid = ((at, each) for at, each in enumerate(things) if each[0] <= each[1])
        self._things = sorted(solid, key=lambda each: each[1][0])
        self._firsts = [first for _, (first, _, _) in self._things]
        # How far any of them reaches, up to each: they may overlap.
        self._reach = list(accumulate((last for _, (_, last, _) in self._things), max))

    def on(self, first: int, last: int) -> list[T]:
        """The things that have any of these lines, in the order in which they were given."""
        around = self._things[bisect_left(self._reach, first) : bisect_right(self._firsts, last)]
        found = [(at, thing) for at, (_, end, thing) in around if first <= end and first <= last]
        return [thing for _, thing in sorted(found, key=lambda each: each[0])]
