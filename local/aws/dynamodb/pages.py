"""Queries and scans, page by page.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from local.aws.dynamodb import asked
from local.aws.dynamodb.asked import Asked
from local.aws.dynamodb.errors import empty_key, invalid, invalid_value
from local.aws.dynamodb.expressions import Call, Given, Logic, Node, Path
from local.aws.dynamodb.tables import Key, Table, Tables, hashed
from local.aws.dynamodb.values import Value, checked_item, rank
from local.aws.protocol import Json

_LARGEST = 1024 * 1024  # bytes of what is read for a page, before the filter
_KEYS, _FILTER, _PROJECTION = "KeyConditionExpression", "FilterExpression", "ProjectionExpression"
_TURNED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_ON_KEYS = frozenset({*_TURNED, "BETWEEN", "begins_with"})
_BEYOND = "The provided starting key is outside query boundaries based on provided conditions"


class Pages:
    """Queries and scans of all tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def scan(self, request: Json) -> Json:
        """Read a page of a whole table."""
        table, wanted = self._table(request), asked.read(request, _FILTER, _PROJECTION)
        start = bisect_right(table.order, _start(table, request)) if "ExclusiveStartKey" in request else 0
        return _page(table, range(start, len(table.order)), wanted, request)

    def query(self, request: Json) -> Json:
        """Read a page of the items with a partition key, in the order of their sort keys."""
        if _KEYS not in request:
            message = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            raise invalid(message)
        table, wanted = self._table(request), asked.read(request, _KEYS, _FILTER, _PROJECTION)
        if _FILTER in wanted.trees:
            _check_filter(table, wanted.trees[_FILTER])
        low, high = _range(table, _key_conditions(table, wanted))
        backward = request.get("ScanIndexForward") is False
        if "ExclusiveStartKey" in request:
            start = _start(table, request)
            if not wanted.holds(_KEYS, request["ExclusiveStartKey"]):
                raise invalid(_BEYOND)
            if backward:
                high = bisect_left(table.order, start)
            else:
                low = bisect_right(table.order, start)
        places = range(low, high)
        return _page(table, places[::-1] if backward else places, wanted, request)

    def _table(self, request: Json) -> Table:
        if "IndexName" in request:
            raise invalid(f"The table does not have the specified index: {request['IndexName']}")
        return self._tables.find(request["TableName"])


def _page(table: Table, places: Sequence[int], wanted: Asked, request: Json) -> Json:
    items, room, most = [], _LARGEST, request.get("Limit", len(places) + 1)
    count = 0
    for place in places[:most]:
        stored = table.items[table.order[place]]
        room -= stored.bytes
        if room < 0 and count:
            break
        count += 1
        if wanted.holds(_FILTER, stored.item):
            items.append(wanted.seen(stored.item))
    page: Json = {"Count": len(items), "ScannedCount": count}
    if request.get("Select") != "COUNT":
        page["Items"] = items
    if count == most or count < len(places):
        page["LastEvaluatedKey"] = table.attributes(table.items[table.order[places[count - 1]]].item)
    return page


def _start(table: Table, request: Json) -> Key:
    return table.key(checked_item(request["ExclusiveStartKey"]))


def _range(table: Table, conditions: Mapping[str, tuple[str, list[Value]]]) -> tuple[int, int]:
    """Where in a table the items are that meet the conditions on their keys: the first one, and the one after them."""
    partition, *sort = table.types
    _, [wanted] = conditions[partition]
    place = hashed(wanted)
    low = bisect_left(table.order, place, key=lambda each: each[:2])
    high = bisect_right(table.order, place, key=lambda each: each[:2])
    if not sort or sort[0] not in conditions:
        return low, high
    comparison, values = conditions[sort[0]]
    first, last = rank(values[0]), rank(values[-1])
    size = len(first) if comparison == "begins_with" else None

    def sorts(each: Key) -> Any:
        return each[2] if size is None else each[2][:size]

    if comparison not in ("<", "<="):
        find = bisect_right if comparison == ">" else bisect_left
        low = find(table.order, first, low, high, key=sorts)
    if comparison not in (">", ">="):
        find = bisect_left if comparison == "<" else bisect_right
        high = find(table.order, last, low, high, key=sorts)
    return low, high


def _key_conditions(table: Table, wanted: Asked) -> Mapping[str, tuple[str, list[Value]]]:
    """The comparison of each key attribute, with its values. Raises AwsError."""
    tree = wanted.trees[_KEYS]
    found: dict[str, tuple[str, list[Value]]] = {}
    for each in tree.parts if isinstance(tree, Logic) and tree.word == "AND" else [tree]:
        name, comparison, values = _key_condition(each)
        if name in found:
            raise invalid("KeyConditionExpressions must only contain one condition per key")
        found[name] = comparison, [wanted.values[value] for value in values]
    partition = next(iter(table.types))
    for name in [*table.types][: len(found)]:
        if name not in found:
            raise invalid(f"Query condition missed key schema element: {name}")
    if found[partition][0] != "=" or len(found) > len(table.types):
        raise invalid("Query key condition not supported")
    for name, (_, given) in found.items():
        if any(table.types[name] not in value for value in given):
            raise invalid_value("Condition parameter type does not match schema type")
        if any(not value[table.types[name]] for value in given):
            raise empty_key(name, table.types[name])
    return found


def _key_condition(node: Node) -> tuple[str, str, list[str]]:
    """The key attribute of a condition, the comparison, and the names of its values. Raises AwsError."""
    word = node.word if isinstance(node, Logic) else node.name if isinstance(node, Call) else ""
    if not isinstance(node, Call) or word not in _ON_KEYS:
        raise invalid(f"Invalid operator used in KeyConditionExpression: {word}")
    first, *others = node.operands
    if isinstance(first, Given) and word in _TURNED:
        (first, *others), word = [*others, first], _TURNED[word]
    if not isinstance(first, Path) or not all(isinstance(each, Given) for each in others):
        raise invalid("Invalid condition in KeyConditionExpression: a key attribute has to be compared with values")
    if len(first.steps) > 1:
        raise invalid("KeyConditionExpressions cannot have conditions on nested attributes")
    return str(first.steps[0]), word, [each.name for each in others if isinstance(each, Given)]


def _check_filter(table: Table, condition: Node) -> None:
    for path in _paths(condition):
        if path.steps[0] in table.types:
            message = "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
            raise invalid(f"{message}{path.steps[0]}")


def _paths(node: Node) -> Iterable[Path]:
    if isinstance(node, Path):
        yield node
    elif isinstance(node, Call | Logic):
        for part in node.operands if isinstance(node, Call) else node.parts:
            yield from _paths(part)
