"""Metadata filters: which vectors a query may answer with.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-metadata-filtering.html
"""

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from local.aws.protocol import Json
from local.aws.vectors.errors import invalid

_ORDER: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}
)
_JOIN: Mapping[str, Callable[[list[bool]], bool]] = MappingProxyType({"$and": all, "$or": any})


def check_filter(condition: Any, hidden: frozenset[str]) -> None:
    """Refuse a filter that is malformed or asks for a key that was declared non-filterable."""
    if not isinstance(condition, dict) or not condition:
        raise invalid("Invalid query filter: a filter must be a JSON object that is not empty")
    for key, wanted in condition.items():
        if key in _JOIN:
            if not isinstance(wanted, list) or not wanted:
                raise invalid(f"Invalid query filter: {key} needs an array that is not empty")
            for part in wanted:
                check_filter(part, hidden)
        elif key.startswith("$"):
            raise invalid(f"Invalid query filter: {key} is not a logical operator")
        elif key in hidden:
            raise invalid(f"Invalid query filter: {key} is a non-filterable metadata key")
        else:
            _check_tests(wanted)


def matches(condition: Json, metadata: Json) -> bool:
    """Tell whether metadata meets a filter that `check_filter` has passed."""
    return all(
        _JOIN[key]([matches(part, metadata) for part in wanted]) if key in _JOIN else _meets(metadata.get(key), wanted)
        for key, wanted in condition.items()
    )


def _check_tests(wanted: Any) -> None:
    if not isinstance(wanted, dict):
        wanted = {"$eq": wanted}
    if not wanted:
        raise invalid("Invalid query filter: a condition must not be empty")
    for name, operand in wanted.items():
        if not _fits(name, operand):
            raise invalid(f"Invalid query filter: {name} cannot be compared with {operand!r}")


def _fits(name: str, operand: Any) -> bool:
    if name in {"$eq", "$ne"}:
        return _is_primitive(operand)
    if name in _ORDER:
        return _is_number(operand)
    if name in {"$in", "$nin"}:
        return isinstance(operand, list) and bool(operand) and all(_is_primitive(one) for one in operand)
    return name == "$exists" and isinstance(operand, bool)


def _meets(value: Any, wanted: Any) -> bool:
    tests = wanted if isinstance(wanted, dict) else {"$eq": wanted}
    return all(_passes(value, name, operand) for name, operand in tests.items())


def _passes(value: Any, name: str, operand: Any) -> bool:
    """Run one test; a list in the metadata has each of its elements as a value."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    if name == "$exists":
        return (value is not None) is operand
    if name in _ORDER:
        return any(_is_number(one) and _ORDER[name](one, operand) for one in values)
    among = operand if isinstance(operand, list) else [operand]
    found = any(_same(one, candidate) for one in values for candidate in among)
    return found if name in {"$eq", "$in"} else not found


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_primitive(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
