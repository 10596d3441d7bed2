"""Compares the lines of two texts, also of very long ones."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from itertools import pairwise
from typing import TypeVar

# What difflib does takes at most half a second up to here: it looks through the lines once for each change.
_MOST_LINES = 2_000
_MOST_LOOKS = 2_000_000
T = TypeVar("T", bound=Hashable)
_Pairs = list[tuple[int, int]]


class LineMatcher(SequenceMatcher[T]):
    """Matches lines as difflib does; of long texts with many changes, those that both have as often are matched first.

    Only what is between these is then left to difflib, so that the time does not grow with the square of the lines.
    """

    def __init__(self, old: Sequence[T], new: Sequence[T]) -> None:
        self._old, self._new = old, new
        super().__init__(None, old, new)

    def get_matching_blocks(self) -> list[Match]:
        """The runs of equal lines, in their order; the last one is empty and at the ends."""
        start = common(self._old, self._new)
        end = common(self._old[start:][::-1], self._new[start:][::-1])
        lines = max(len(self._old), len(self._new))
        if lines - start - end <= _MOST_LINES:
            return super().get_matching_blocks()
        anchors = [*_in_common(self._old, self._new, as_often=True), (len(self._old), len(self._new))]
        between = pairwise([(-1, -1), *anchors])
        changes = sum(self._old[a + 1 : b] != self._new[c + 1 : d] for (a, c), (b, d) in between)
        if changes * lines <= _MOST_LOOKS:
            return super().get_matching_blocks()
        blocks: list[Match] = []
        for at, other, size in self._pieces(anchors):
            last = blocks[-1] if blocks else Match(0, 0, 0)
            if (last.a + last.size, last.b + last.size) == (at, other):
                blocks[-1:] = [Match(last.a, last.b, last.size + size)]
            else:
                blocks.append(Match(at, other, size))
        return [*blocks, Match(len(self._old), len(self._new), 0)]

    def _pieces(self, anchors: _Pairs) -> Iterator[tuple[int, int, int]]:
        at = other = 0
        for anchor in anchors:
            old, new = self._old[at : anchor[0]], self._new[other : anchor[1]]
            for first, second, size in _matched(old, new):
                yield at + first, other + second, size
            if anchor[0] < len(self._old):
                yield *anchor, 1
            at, other = anchor[0] + 1, anchor[1] + 1


def _matched(old: Sequence[T], new: Sequence[T]) -> Iterator[tuple[int, int, int]]:
    if not old or not new:
        return
    if max(len(old), len(new)) > _MOST_LINES:
        yield from ((*pair, 1) for pair in _in_common(old, new, as_often=False))
    else:
        yield from SequenceMatcher(None, old, new).get_matching_blocks()[:-1]


def _in_common(old: Sequence[T], new: Sequence[T], *, as_often: bool) -> _Pairs:
    """The longest row of pairs of equal lines in which the first of a line goes with the first, and so on.

    `as_often` takes only lines that both have the same number of times.
    """
    there = _places(new)
    rows = ((at, there.get(line, [])) for line, at in _places(old).items())
    pairs = sorted(
        pair for at, other in rows if not as_often or len(at) == len(other) for pair in zip(at, other, strict=False)
    )
    ends: list[int] = []  # the last line of the best row of each length, and the pair that it is from
    last: list[int] = []
    before: list[int] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [number]
        before.append(last[length - 1] if length else -1)
    row: _Pairs = []
    number = last[-1] if last else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _places(lines: Sequence[T]) -> dict[T, list[int]]:
    places: dict[T, list[int]] = defaultdict(list)
    for at, line in enumerate(lines):
        places[line].append(at)
    return places


def common(one: Sequence[T], other: Sequence[T]) -> int:
    """The number of lines that two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
