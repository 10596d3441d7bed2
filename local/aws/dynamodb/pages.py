"""Queries and scans, page by page.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from local.aws.dynamodb import asked
from local.aws.dynamodb.asked import Asked
from local.aws.dynamodb.errors import empty_key, invalid_value
from local.aws.dynamodb.expressions import Call, Given, Logic, Node, Path, attributes
from local.aws.dynamodb.tables import Key, Table, Tables, hashed
from local.aws.dynamodb.values import Value, checked_item, rank
from local.aws.protocol import Json, invalid

_LARGEST = 1024 * 1024  # bytes read for a page, before the filter
_KEYS, _FILTER, _PROJECTION = "KeyConditionExpression", "FilterExpression", "ProjectionExpression"
_ON_KEYS = "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
_BEYOND = "The provided starting key is outside query boundaries based on provided conditions"


class Pages:
    """Queries and scans of all tables."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def scan(self, request: Json) -> Json:
        """Read a page of a whole table."""
        table, wanted = self._tables.find(request["TableName"]), asked.read(request, _FILTER, _PROJECTION)
        start = bisect_right(table.order, _start(table, request)) if "ExclusiveStartKey" in request else 0
        return _page(table, range(start, len(table.order)), wanted, request)

    def query(self, request: Json) -> Json:
        """Read a page of the items with a partition key, in the order of their sort keys."""
        if _KEYS not in request:
            message = "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
            raise invalid(message)
        table, wanted = self._tables.find(request["TableName"]), asked.read(request, _KEYS, _FILTER, _PROJECTION)
        _check_filter(table, wanted)
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


def _check_filter(table: Table, wanted: Asked) -> None:
    """Refuse a filter by keys: a query has conditions on them."""
    for name in attributes(wanted.trees[_FILTER]) if _FILTER in wanted.trees else ():
        if name in table.types:
            raise invalid(f"{_ON_KEYS}{name}")


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
    page: Json = {"Count": len(items), "ScannedCount": count, "Items": items}
    if count == most or count < len(places):
        page["LastEvaluatedKey"] = table.attributes(table.items[table.order[places[count - 1]]].item)
    return page


def _start(table: Table, request: Json) -> Key:
    return table.key(checked_item(request["ExclusiveStartKey"]))


def _range(table: Table, conditions: Mapping[str, Value]) -> tuple[int, int]:
    """The places of the items that meet the conditions on their keys: the first one, and the one after the last."""
    partition, *sort = (conditions[name] for name in table.types if name in conditions)
    prefix = (*hashed(partition), *map(rank, sort))

    def start(each: Key) -> Any:
        return (*each[:2], each[2][: len(prefix[2])]) if sort else each[:2]

    return bisect_left(table.order, prefix, key=start), bisect_right(table.order, prefix, key=start)


def _key_conditions(table: Table, wanted: Asked) -> Mapping[str, Value]:
    """The value of the partition key, and the beginning of the sort key if that is asked for. Raises AwsError."""
    tree = wanted.trees[_KEYS]
    parts = tree.parts if isinstance(tree, Logic) and tree.word == "AND" else (tree,)
    found: dict[str, Value] = {}
    for part, key, comparison in zip_longest(parts, table.types, ("=", "begins_with")):
        match part:
            case Call(name, (Path((step,)), Given(value, kind))) if (name, step) == (comparison, key):
                if kind != table.types[key]:
                    raise invalid_value("Condition parameter type does not match schema type")
                if not wanted.values[value][kind]:
                    raise empty_key(key, kind)
                found[key] = wanted.values[value]
            case Node():
                raise invalid("KeyConditionExpression can only be pk = :a, or pk = :a AND begins_with(sk, :b) here.")
    return found
