"""The result of an update on an item, and of a projection; items are never changed in place.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html
"""

from collections.abc import Callable, Collection, Sequence

from local.aws.dynamodb.errors import invalid
from local.aws.dynamodb.expressions import Path, Steps, Values, assigned, element
from local.aws.dynamodb.parser import Change
from local.aws.dynamodb.values import Item, Value, as_set, total

_NOT_THERE = "The document path provided in the update expression is invalid for update"
_WRONG_TYPE = "An operand in the update expression has an incorrect data type"


def updated(changes: Sequence[Change], item: Item, values: Values) -> Item:
    """Apply an update, whose values are those from before it. Raises AwsError."""
    planned = [(change, _new_value(change, item, values)) for change in changes]
    whole: Value = {"M": item}
    # Elements are set in order, since new ones are appended, and removed from the last one on.
    for change, new in sorted(planned, key=lambda each: each[0].path.steps):
        if change.action != "REMOVE":
            whole = _placed(whole, change.path.steps, new)
    for change, new in sorted(planned, key=lambda each: each[0].path.steps, reverse=True):
        if change.action == "REMOVE":
            whole = _placed(whole, change.path.steps, new)
    result: Item = whole["M"]
    return result


def _new_value(change: Change, item: Item, values: Values) -> Callable[[Value | None], Value | None]:
    """The function from the old value to the new one; None removes it."""
    if change.value is None:
        return lambda _: None
    given = assigned(change.value, item, values)
    match change.action:
        case "ADD":
            return lambda old: given if old is None else _added(old, given)
        case "DELETE":
            return lambda old: old and _without(old, given)
    return lambda _: given


def _added(old: Value, given: Value) -> Value:
    [kind] = given
    if kind not in old:
        raise invalid(_WRONG_TYPE)
    return total(old, given) if kind == "N" else as_set(kind, {*old[kind], *given[kind]})


def _without(old: Value, given: Value) -> Value | None:
    [kind] = given
    if kind not in old:
        raise invalid(_WRONG_TYPE)
    left = {*old[kind]} - {*given[kind]}
    return as_set(kind, left) if left else None


def _placed(whole: Value, steps: Steps, new: Callable[[Value | None], Value | None]) -> Value:
    """A copy of a map or list with another element at a path."""
    step, rest = steps[0], steps[1:]
    kind = "L" if isinstance(step, int) else "M"
    if kind not in whole:
        raise invalid(_NOT_THERE)
    inside = whole[kind].copy()
    old = element(inside, step)
    if rest and old is None:
        raise invalid(_NOT_THERE)
    value = _placed(old, rest, new) if rest else new(old)
    if value is None:
        if old is not None:
            del inside[step]
    elif isinstance(step, int) and step >= len(inside):
        inside.append(value)
    else:
        inside[step] = value
    return {kind: inside}


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
