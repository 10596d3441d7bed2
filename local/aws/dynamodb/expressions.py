"""The parts of expressions, and the values that they find in an item; a condition finds True or False.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

import base64
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from local.aws.dynamodb.values import SCALARS, SETS, Item, Value, rank, total
from local.aws.protocol import invalid

Values = Mapping[str, Value]
Steps = tuple[str | int, ...]

COMPARATORS = ("=", "<>", "<", "<=", ">", ">=")
_MISSING = "The provided expression refers to an attribute that does not exist in the item"
_WRONG_TYPE = "An operand in the update expression has an incorrect data type"


@runtime_checkable
class Node(Protocol):
    """A part of an expression. What it finds is None where the item has no such attribute."""

    def find(self, item: Item, values: Values) -> Any:
        """Find it in an item, with the values of the request."""


@dataclass(frozen=True)
class Path:
    """A document path: the names of attributes and the numbers of list elements."""

    steps: Steps

    def find(self, item: Item, values: Values) -> Any:  # noqa: ARG002 - a path needs none
        """Find the value at the path."""
        found: Any = {"M": item}
        for step in self.steps:
            inside = found.get("L" if isinstance(step, int) else "M", ())
            found = element(inside, step)
            if found is None:
                return None
        return found

    def __str__(self) -> str:
        return f"[{', '.join(f'[{step}]' if isinstance(step, int) else step for step in self.steps)}]"


def element(inside: Any, step: str | int) -> Any:
    """Find an element of a list or map, None where there is none."""
    if isinstance(step, int):
        return inside[step] if step < len(inside) else None
    return inside.get(step) if inside else None


@dataclass(frozen=True)
class Given:
    """A value of the request by its name, ":v"; `kind` is its type."""

    name: str
    kind: str

    def find(self, item: Item, values: Values) -> Any:  # noqa: ARG002 - it is not in the item
        """Find the value."""
        return values[self.name]


@dataclass(frozen=True)
class Call:
    """A function, a comparison or a sum, with its operands."""

    name: str
    operands: tuple[Node, ...]

    def find(self, item: Item, values: Values) -> Any:
        """Find what it comes to."""
        return _CALLS[self.name](*(each.find(item, values) for each in self.operands))


@dataclass(frozen=True)
class Logic:
    """Conditions combined by "AND", "OR" or "NOT"."""

    word: str
    parts: tuple[Node, ...]

    def find(self, item: Item, values: Values) -> Any:
        """Find whether it holds."""
        each = (part.find(item, values) for part in self.parts)
        return any(each) if self.word == "OR" else all(each) if self.word == "AND" else not any(each)


def attributes(node: Node) -> Iterator[str | int]:
    """The names of the attributes that an expression is about."""
    if isinstance(node, Path):
        yield node.steps[0]
    for part in (*getattr(node, "parts", ()), *getattr(node, "operands", ())):
        yield from attributes(part)


def _ordered(holds: Callable[[Any, Any], bool]) -> Callable[[Value | None, Value | None], bool]:
    """A comparison of scalars, which does not hold between values of two types."""

    def compare(one: Value | None, other: Value | None) -> bool:
        if one is None or other is None or one.keys() != other.keys():
            return False
        return next(iter(one)) in SCALARS and holds(rank(one), rank(other))

    return compare


def _begins_with(value: Value | None, prefix: Value | None) -> bool:
    if value is None or prefix is None or value.keys() != prefix.keys() or not {*value} <= {"S", "B"}:
        return False
    return bool(rank(value).startswith(rank(prefix)))


def _contains(value: Value | None, part: Value | None) -> bool:
    if value is None or part is None:
        return False
    [(kind, content)], [(part_kind, wanted)] = value.items(), part.items()
    if kind == "L":
        return part in content
    if kind in SETS:
        return part_kind == kind[0] and wanted in content
    return kind == part_kind and kind in ("S", "B") and rank(part) in rank(value)


def _size(value: Value | None) -> Value | None:
    if value is None or {*value} & {"N", "BOOL", "NULL"}:
        return None
    [(kind, content)] = value.items()
    return {"N": str(len(base64.b64decode(content) if kind == "B" else content))}


def _sum(sign: int) -> Callable[[Value | None, Value | None], Value]:
    return lambda one, other: total(_present(one, "N"), _present(other, "N"), sign)


def _list_append(one: Value | None, other: Value | None) -> Value:
    return {"L": [*_present(one, "L")["L"], *_present(other, "L")["L"]]}


def _present(value: Value | None, kind: str) -> Value:
    if value is None:
        raise invalid(_MISSING)
    if kind not in value:
        raise invalid(_WRONG_TYPE)
    return value


def assigned(node: Node, item: Item, values: Values) -> Value:
    """Find what SET assigns. Raises AwsError for an attribute that is not there."""
    value: Value | None = node.find(item, values)
    if value is None:
        raise invalid(_MISSING)
    return value


_CALLS: Mapping[str, Callable[..., Any]] = {
    "=": lambda one, other: one is not None and one == other,
    "<>": lambda one, other: one != other,
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "attribute_exists": lambda value: value is not None,
    "attribute_not_exists": lambda value: value is None,
    "begins_with": _begins_with,
    "contains": _contains,
    "size": _size,
    "if_not_exists": lambda value, other: other if value is None else value,
    "list_append": _list_append,
    "+": _sum(1),
    "-": _sum(-1),
}
