"""The expressions of a request, held to the rules that tie them to its names and values.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeNames.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ExpressionAttributeValues.html
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local.aws.dynamodb.expressions import Values
from local.aws.dynamodb.parser import parse
from local.aws.dynamodb.updates import projected
from local.aws.dynamodb.values import Item, checked
from local.aws.protocol import AwsError, Json, invalid

_NAMES, _VALUES = "ExpressionAttributeNames", "ExpressionAttributeValues"
_PLACEHOLDERS = {_NAMES: re.compile(r"#\w+", re.ASCII), _VALUES: re.compile(r":\w+", re.ASCII)}
_PROJECTION = "ProjectionExpression"


@dataclass(frozen=True)
class Asked:
    """Expressions by their kinds ("ConditionExpression"), with the values of the request."""

    trees: Mapping[str, Any]
    values: Values

    def holds(self, kind: str, item: Item) -> bool:
        """Whether a condition holds for an item; one that is not there holds."""
        return kind not in self.trees or bool(self.trees[kind].find(item, self.values))

    def seen(self, item: Item) -> Item:
        """The part of an item that a projection leaves."""
        return projected(item, self.trees[_PROJECTION]) if _PROJECTION in self.trees else item


def read(request: Json, *kinds: str) -> Asked:
    """Read the expressions of a request, which can have these kinds. Raises AwsError."""
    given = [kind for kind in kinds if kind in request]
    names, values = request.get(_NAMES, {}), request.get(_VALUES, {})
    for placeholders in (_NAMES, _VALUES):
        if placeholders in request:
            _check_placeholders(placeholders, request[placeholders], given, kinds)
    values = {name: _checked(name, value) for name, value in values.items()}
    types = tuple((name, *value) for name, value in values.items())
    parsed = {kind: parse(kind, request[kind], tuple(names.items()), types) for kind in given}
    used: set[str] = set().union(*(each.used for each in parsed.values()))
    for placeholders, defined in ((_NAMES, names), (_VALUES, values)):
        if unused := [name for name in defined if name not in used]:
            raise invalid(f"Value provided in {placeholders} unused in expressions: keys: {{{', '.join(unused)}}}")
    return Asked({kind: each.tree for kind, each in parsed.items()}, values)


def _check_placeholders(what: str, defined: Json, given: list[str], kinds: tuple[str, ...]) -> None:
    usable = [kind for kind in kinds if what == _NAMES or kind != _PROJECTION]
    if not set(given) & set(usable):
        missing = f": {' and '.join(usable)} {'are' if len(usable) > 1 else 'is'} null" if what == _VALUES else ""
        raise invalid(f"{what} can only be specified when using expressions{missing}")
    if not defined:
        raise invalid(f"{what} must not be empty")
    for name in defined:
        if not _PLACEHOLDERS[what].fullmatch(name):
            raise invalid(f'{what} contains invalid key: Syntax error; key: "{name}"')


def _checked(name: str, value: Any) -> Any:
    try:
        return checked(value)
    except AwsError as error:
        raise invalid(f"{_VALUES} contains invalid value: {error.message} for key {name}") from error
