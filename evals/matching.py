"""Matching: which finding tells which expected problem, each at most once, as many as can be."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from evals.sheet import Lines

NEAR_LINES = 10
_Left = TypeVar("_Left", bound=Hashable)
_Right = TypeVar("_Right", bound=Hashable)


def distance(one: Lines, other: Lines) -> int:
    """How many lines lie between two ranges and one end of them, 0 where they overlap."""
    return max(0, one[0] - other[1], other[0] - one[1])


def match(wishes: Mapping[_Left, Sequence[_Right]]) -> dict[_Left, _Right]:
    """Pair each left one with one of those that it could have, so that most of them get one.

    The first left ones keep theirs whatever comes later, and each would rather have what it names first.
    """
    holder: dict[_Right, _Left] = {}
    for left in wishes:
        _seat(left, wishes, holder, set())
    return {left: right for right, left in holder.items()}


def _seat(
    left: _Left, wishes: Mapping[_Left, Sequence[_Right]], holder: dict[_Right, _Left], tried: set[_Right]
) -> bool:
    """Find a place for one, where need be by moving others to another place of theirs."""
    for right in wishes[left]:
        if right in tried:
            continue
        tried.add(right)
        if right not in holder or _seat(holder[right], wishes, holder, tried):
            holder[right] = left
            return True
    return False
