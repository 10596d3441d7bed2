"""The stricter of two values of a key: of the base branch's and of the default branch's.

Each function takes the two values and the name of the base branch, and gives a value that allows what both allow.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kodiai.core.changes.globs import matches_whole

if TYPE_CHECKING:
    from kodiai.core.config.keys import TeamRule

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
    if default is None or any(matches_whole(branch, each) for each in default):
        return base
    return ()


def stricter_rules(base: "tuple[TeamRule, ...]", default: "tuple[TeamRule, ...]", _: str) -> "tuple[TeamRule, ...]":
    """The rules of both; of two with one id the text of the default branch, for the files of both, at the higher level.

    Rules of the default branch come first.
    """
    own = {rule.id: rule for rule in base}
    both = [_stricter_rule(own.pop(rule.id, rule), rule) for rule in default]
    return (*both, *own.values())


def _stricter_rule(own: "TeamRule", rule: "TeamRule") -> "TeamRule":
    paths = union(own.paths, rule.paths, "")
    level = min(own.level, rule.level, key=("error", "warning", "note").index)
    return rule.model_copy(update={"paths": paths, "level": level})
