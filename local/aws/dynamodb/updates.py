"""The result of an update on an item, and of a projection; items are never changed in place.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from collections.abc import Collection, Sequence

from local.aws.dynamodb.expressions import Path, Steps, Values, assigned, element
from local.aws.dynamodb.parser import Change
from local.aws.dynamodb.values import Item, Value, as_set, total
from local.aws.protocol import invalid

_WRONG_TYPE = "An operand in the update expression has an incorrect data type"


def updated(changes: Sequence[Change], item: Item, values: Values) -> Item:
    """Apply an update, whose values are those from before it. Raises AwsError."""
    new = {change.name: _new_value(change, item, values) for change in changes}
    return {name: value for name, value in {**item, **new}.items() if value is not None}


def _new_value(change: Change, item: Item, values: Values) -> Value | None:
    """The next value of an attribute; None removes it."""
    if change.value is None:
        return None
    given, old = assigned(change.value, item, values), item.get(change.name)
    if change.action == "SET" or (change.action == "ADD" and old is None):
        return given
    if old is None:
        return None
    [kind] = given
    if kind not in old:
        raise invalid(_WRONG_TYPE)
    if change.action == "DELETE":
        left = {*old[kind]} - {*given[kind]}
        return as_set(left) if left else None
    return total(old, given) if kind == "N" else as_set({*old[kind], *given[kind]})


def projected(item: Item, paths: Collection[Path]) -> Item:
    """Keep only what is at these paths."""
    left = _kept({"M": item}, [path.steps for path in paths])
    return left["M"] if left else {}


def _kept(value: Value, paths: Collection[Steps]) -> Value | None:
    if () in paths:
        return value
    [(kind, content)] = value.items()
    found = {}
    steps = dict.fromkeys(path[0] for path in paths if isinstance(path[0], int) == (kind == "L"))
    for step in sorted(steps, key=lambda step: step if isinstance(step, int) else 0):
        inside = element(content, step) if kind in ("L", "M") else None
        rests = [path[1:] for path in paths if path[0] == step]
        if inside is not None and (kept := _kept(inside, rests)) is not None:
            found[step] = kept
    return {kind: [*found.values()] if kind == "L" else found} if found else None
