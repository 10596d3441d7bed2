"""The local DynamoDB answers as moto does, which knows it too: each of them is the other's witness."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.aws.clock import Clock
from local.aws.dynamodb import DynamoDb
from local.aws.moto import Moto
from local.aws.protocol import AwsError
from tests.local.aws.dynamodb_requests import (
    CREATE,
    ITEMS,
    TABLE,
    Request,
    batch,
    check,
    get,
    key,
    number,
    on_table,
    put,
    query,
    text,
    transact,
    update,
    values,
)

Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
NEW: dict[str, Any] = {"ReturnValues": "ALL_NEW"}
SEEN: dict[str, Any] = {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}

SAME: list[Request] = [
    ("CreateTable", CREATE),
    get(),
    get(key("none")),
    get(ProjectionExpression="n, m.a, l[1]"),
    get(ProjectionExpression="m.#c, absent", ExpressionAttributeNames={"#c": "c"}),
    get(key("", "x")),
    put({"pk": text("a")}),
    put({"pk": text("a"), "sk": number(1)}),
    put({**key(), "e": {"SS": []}}),
    put({**key(), "e": number("abc")}),
    put({**key(), "big": text("x" * 420_000)}),
    put(key("x" * 2_049)),
    put(key("x", "s" * 1_025)),
    put(key(), ConditionExpression="attribute_not_exists(pk)"),
    put(key(), ConditionExpression="attribute_not_exists(pk)", **SEEN),
    put(key("new")),
    on_table("DeleteItem", Key=key(), ConditionExpression="c = :c", ExpressionAttributeValues=values(c=4)),
    update("SET n = n + :one, c = c - :one", one=1, **NEW),
    update("SET q = nothing"),
    update("SET q = nothing + :one", one=1),
    update("SET q = if_not_exists(n, :z) - :one", one=1, z=0, **NEW),
    update("SET h = list_append(if_not_exists(h, :none), :x), l = list_append(l, :x)", none={"L": []}, x={"L": [{"S": "1"}]}, **NEW),
    update("ADD c :one, s :set, d :one", one=5, set={"SS": ["c"]}, **NEW),
    update("ADD c :one", Key=key("made"), one=5, **NEW),
    update("ADD a :one", one=5),
    *(update("DELETE s :set, absent :set", set={"SS": each}, **NEW) for each in (["c", "z"], ["a", "b"])),
    update("DELETE c :set", set={"SS": ["c"]}),
    update("SET x = :x", "contains(digits, :x)", x=1),
    update("SET status = :x", x="new"),
    update("SET #s = :x", names={"#s": "status"}, x="new", **NEW),
    update("SET a = :x, a = :x", x="new"),
    update("SET pk = :x", x="new"),
    update("SET a = :x", x="new", y=1),
    update("SET a = :x", names={"#unused": "b"}, x="new"),
    update("SET a :x", x="new"),
    update("SET a = :x SET b = :x", x="new"),
    update(""),
    update("SET a = :x", "c > :four AND NOT attribute_exists(absent)", x="new", four=4, **NEW),
    update("SET a = :x", "c > :nine", x="new", nine=9, **SEEN),
    update("SET a = :x", "size(a) = :three AND contains(s, :b) AND contains(a, :l) AND contains(l, :x1)", x="new", three=3, b="b", l="l", x1="x", **NEW),
    update("SET a = :x", "begins_with(a, :o) AND a <> :x", x="new", o="o", **NEW),
    update("SET a = :x", "m.c = :c AND l[1] = :one AND (absent <> :c OR t = :c)", x="new", c=100, one=1, **NEW),
    update("SET a = :x", "NOT (a = :x OR a < :x) AND n >= :two AND n <= :three", x="a", two=2, three=3, **NEW),
    query("pk = :p", {"p": "q"}),
    query("pk = :p", {"p": "q"}, ProjectionExpression="sk, i"),
    query("(pk = :p AND begins_with(sk, :s))", {"p": "q", "s": "s"}, ScanIndexForward=False, Limit=2),
    query("pk = :p", {"p": "q"}, Limit=2, ExclusiveStartKey=key("q", "s1")),
    query("pk = :p", {"p": "q"}, ScanIndexForward=False, ExclusiveStartKey=key("q", "s1")),
    query("pk = :p AND begins_with(sk, :s)", {"p": "q", "s": ""}),
    query("pk = :p", {"p": "q", "i": 2}, FilterExpression="i > :i"),
    query("pk = :p", {"p": "a", "n": 1}, FilterExpression="size(l) > :n", ProjectionExpression="n"),
    on_table("Scan", FilterExpression="i > :i", ExpressionAttributeValues=values(i=2)),
    ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [key(), key("no"), key("q", "s1")], "ProjectionExpression": "pk, i"}}}),
    ("BatchGetItem", {"RequestItems": {TABLE: {"Keys": [key(), key()]}}}),
    ("BatchGetItem", {"RequestItems": {"nope": {"Keys": [key()]}}}),
    batch("BatchWriteItem", {"PutRequest": {"Item": key("put")}}, {"DeleteRequest": {"Key": key("q", "s0")}}),
    transact(("Put", put(key("t1"))), ("Update", update("ADD n :o", Key=key("t2"), o=1)), ("Delete", on_table("", Key=key("q", "s4"))), check("attribute_exists(pk)")),
    transact(("Put", put(key("t3"))), check("attribute_exists(pk)", key("none"))),
    transact(("Put", put(key("t3"))), check("attribute_not_exists(pk)", **SEEN)),
    transact(("Put", put(key("t3"))), ("Delete", on_table("", Key=key("t3")))),
    on_table("DescribeTimeToLive"),
    on_table("UpdateTimeToLive", TimeToLiveSpecification={"Enabled": True, "AttributeName": "e"}),
    ("ListTables", {}),
    ("GetItem", {"TableName": "nope", "Key": key()}),
    ("DescribeTable", {"TableName": "nope"}),
]  # fmt: skip
"""Requests that both answer alike. Where moto is wrong or lax, `test_dynamodb_rules.py` says what is right."""


@pytest.fixture(scope="module")
def moto() -> Iterator[Ask]:
    """A moto in an account of its own."""
    service = Moto()

    def ask(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        headers = {"content-type": "application/x-amz-json-1.0", "x-amz-target": f"DynamoDB_20120810.{operation}"}
        _, _, answer = service.ask("dynamodb", "POST", "/", headers, json.dumps(request).encode())
        return dict(json.loads(answer))

    yield ask
    service.close()


@pytest.fixture
def ours() -> Ask:
    service = DynamoDb(None, Clock())

    def ask(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return service.ask(operation, request)
        except AwsError as error:
            return {"__type": error.code, "message": error.message, **error.details}

    return ask


@pytest.fixture
def both(ours: Ask, moto: Ask) -> Iterator[tuple[Ask, Ask]]:
    """Both with the same table and the same items."""
    for ask in (ours, moto):
        ask("CreateTable", CREATE)
        for item in ITEMS:
            ask("PutItem", {"TableName": TABLE, "Item": item})
    yield ours, moto
    moto("DeleteTable", {"TableName": TABLE})


def comparable(answer: dict[str, Any], *, in_order: bool) -> dict[str, Any]:
    """An answer without what only moto says, and without the order of a scan, which is nobody's."""
    kept = {name: value for name, value in answer.items() if name not in ("ConsumedCapacity", "ItemCollectionMetrics")}
    if "__type" in kept:
        message = kept.pop("message", None) or kept.pop("Message")
        kept |= {
            "__type": kept["__type"].rpartition("#")[2],
            # Moto puts this before some errors, and not before others of the same kind.
            "message": message.removeprefix("1 validation error detected: "),
        }
    if "Items" in kept and not in_order:
        kept["Items"] = sorted(kept["Items"], key=json.dumps)
    return {name: value for name, value in kept.items() if name != "Attributes" or value}


def state(ask: Ask) -> list[dict[str, Any]]:
    return sorted(ask("Scan", {"TableName": TABLE})["Items"], key=json.dumps)


@pytest.mark.parametrize(("operation", "request_body"), SAME, ids=[f"{at}-{name}" for at, (name, _) in enumerate(SAME)])
def test_a_request_is_answered_as_by_moto(both: tuple[Ask, Ask], operation: str, request_body: dict[str, Any]) -> None:
    """Refusals have the same message, and the stored items are the same too."""
    ours, moto = both

    answer, expected = (comparable(ask(operation, request_body), in_order=operation != "Scan") for ask in both)

    assert answer == expected
    assert state(ours) == state(moto)


CONDITIONS = (
    "a = :x", "a <> :x", "a < :x OR b >= :y", "a > :x AND b <= :y", "NOT a < :x", "attribute_exists(a)", "attribute_not_exists(b) OR b > :x", "(a = :x OR b = :y) AND NOT attribute_exists(d)",
)  # fmt: skip
UPDATES = (
    "SET a = :x, b = :y", "SET a = :x REMOVE b", "ADD a :x", "SET a = a + :x", "REMOVE a, d",
    "SET b = if_not_exists(a, :y)", "SET d = if_not_exists(d, :y) - :x", "ADD a :x SET b = :y",
)  # fmt: skip


def some_request(chance: random.Random) -> Request:
    """Any request, of few keys and attributes, so that they meet."""
    place = key(f"p{chance.randrange(2)}", f"s{chance.randrange(4)}")
    condition, expression = chance.choice(CONDITIONS), chance.choice(UPDATES)
    x, y = chance.randrange(10), chance.randrange(10)

    def given(texts: str) -> dict[str, Any]:
        used = {name: value for name, value in {"x": x, "y": y}.items() if f":{name}" in texts}
        return {"ExpressionAttributeValues": values(**used)} if used else {}

    match chance.randrange(6):
        case 0:
            return put({**place, **{name: number(chance.randrange(10)) for name in chance.sample("abd", 2)}})
        case 1 | 2:
            asked = {"UpdateExpression": expression, "ConditionExpression": condition, **given(expression + condition)}
            return on_table("UpdateItem", Key=place, **asked, **NEW, **SEEN)
        case 3:
            # Moto gives no reasons where it is an update that cannot be made: this one always can.
            added = update("ADD a :x", Key=key("p0", f"t{x}"), x=1)
            return transact(check(condition, place, **given(condition)), ("Update", added))
        case 4:
            return query("pk = :p", {"p": place["pk"]["S"]}, ScanIndexForward=x > y)
    return on_table("DeleteItem", Key=place)


def test_a_long_run_of_random_requests_is_answered_as_by_moto(both: tuple[Ask, Ask]) -> None:
    """Writes, conditions, transactions and queries over a few items, always the same ones."""
    ours, moto = both
    chance = random.Random(7)
    requests = [some_request(chance) for _ in range(250)]

    for operation, request in requests:
        answer, expected = (comparable(ask(operation, request), in_order=operation != "Scan") for ask in both)
        assert answer == expected, (operation, request)

    assert state(ours) == state(moto)
