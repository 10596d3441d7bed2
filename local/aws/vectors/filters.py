"""Metadata filters: which vectors a query may answer with. Of the operators it has those that the memory uses.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-metadata-filtering.html
"""

from typing import Any

from local.aws.protocol import Json, invalid


def check_filter(condition: Any, hidden: frozenset[str]) -> None:
    """Refuse a filter that is malformed, asks for a key that was declared non-filterable, or is not known here."""
    if not isinstance(condition, dict) or not condition:
        raise invalid("Invalid query filter: a filter must be a JSON object that is not empty")
    for key, wanted in condition.items():
        if key == "$and":
            if not isinstance(wanted, list) or not wanted:
                raise invalid("Invalid query filter: $and needs an array that is not empty")
            for part in wanted:
                check_filter(part, hidden)
        elif key.startswith("$"):
            raise invalid(f"Invalid query filter: {key} is not a logical operator that is known here")
        elif key in hidden:
            raise invalid(f"Invalid query filter: {key} is a non-filterable metadata key")
        elif not isinstance(wanted, dict) or not wanted:
            raise invalid(f"Invalid query filter: {key} needs an object of tests that is not empty")
        else:
            _check_tests(wanted)


def matches(condition: Json, metadata: Json) -> bool:
    """Tell whether metadata meets a filter that `check_filter` has passed."""
    return all(
        all(matches(part, metadata) for part in wanted)
        if key == "$and"
        else all(_is_among(metadata.get(key), operand) for operand in wanted.values())
        for key, wanted in condition.items()
    )


def _check_tests(tests: Json) -> None:
    for name, operand in tests.items():
        if not (_is_primitive(operand) if name == "$eq" else name == "$in" and _is_list_of_primitives(operand)):
            raise invalid(f"Invalid query filter: {name} cannot be compared with {operand!r}")


def _is_among(value: Any, operand: Any) -> bool:
    """Whether a value is one of those of a test; a list in the metadata has each of its elements as a value."""
    values = value if isinstance(value, list) else [value]
    candidates = operand if isinstance(operand, list) else [operand]
    return any(_same(each, candidate) for each in values for candidate in candidates)


def _same(one: Any, other: Any) -> bool:
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _is_list_of_primitives(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_primitive, value))


def _is_primitive(value: Any) -> bool:
    return isinstance(value, str | int | float | bool)
