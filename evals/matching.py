"""Matching: pairs findings and expected problems, each at most once, as many as possible."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from evals.case_files import Lines

NEAR_LINES = 10
_Left = TypeVar("_Left", bound=Hashable)
_Right = TypeVar("_Right", bound=Hashable)


def distance(one: Lines, other: Lines) -> int:
    """Return the distance of two ranges in lines: 1 for neighbors, 0 if they overlap."""
    return max(0, one[0] - other[1], other[0] - one[1])


def match(options: Mapping[_Left, Sequence[_Right]]) -> dict[_Left, _Right]:
    """Find a maximum matching: pair each left item with one of its options, no option twice.

    A left item that once has a match keeps one. Each prefers its first option.
    """
    holder: dict[_Right, _Left] = {}
    for left in options:
        _assign(left, options, holder, set())
    return {left: right for right, left in holder.items()}


def _assign(
    left: _Left, options: Mapping[_Left, Sequence[_Right]], holder: dict[_Right, _Left], tried: set[_Right]
) -> bool:
    """Find an option for an item; others may move to another option of theirs."""
    for right in options[left]:
        if right in tried:
            continue
        tried.add(right)
        if right not in holder or _assign(holder[right], options, holder, tried):
            holder[right] = left
            return True
    return False
