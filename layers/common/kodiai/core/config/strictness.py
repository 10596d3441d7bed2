"""The stricter of two values of a key: of the base branch's and of the default branch's.

Each function takes the two values and the name of the base branch, and gives a value that allows what both allow.
"""

from collections.abc import Callable
from typing import Any

from kodiai.core.changes.globs import matches_branch

Stricter = Callable[[Any, Any, str], Any]

Names = tuple[str, ...]


def off_wins(base: bool, default: bool, _: str) -> bool:
    """On only if both are."""
    return base and default


def union(base: Names, default: Names, _: str) -> Names:
    """The entries that either excludes."""
    return tuple(dict.fromkeys((*base, *default)))


def intersection(base: Names | None, default: Names | None, _: str) -> Names | None:
    """The common entries, None if neither has a list. Capitals do not matter, as in GitHub's logins and labels."""
    if base is None or default is None:
        return default if base is None else base
    included = {each.casefold() for each in default}
    return tuple(each for each in base if each.casefold() in included)


def minimum(base: float | None, default: float | None, _: str) -> float | None:
    """The smaller limit, None if there is none."""
    return min((each for each in (base, default) if each is not None), default=None)


def first_of(*strictest_first: object) -> Stricter:
    """The value that comes first among these."""
    return lambda base, default, _: min(base, default, key=strictest_first.index)


def both_allow(base: Names | None, default: Names | None, branch: str) -> Names | None:
    """The base's patterns of branches if the default branch's match the base branch too, else none."""
    if default is None or any(matches_branch(branch, each) for each in default):
        return base
    return ()
