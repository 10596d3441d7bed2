"""Short forms of requests to DynamoDB, and a table with some items."""

from typing import Any

TABLE = "ledger"
CREATE: dict[str, Any] = {
    "TableName": TABLE,
    "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def text(content: str) -> dict[str, Any]:
    return {"S": content}


def number(content: object) -> dict[str, Any]:
    return {"N": str(content)}


def key(pk: str = "a", sk: str = "b") -> dict[str, Any]:
    return {"pk": text(pk), "sk": text(sk)}


def values(**given: Any) -> dict[str, Any]:
    """Values of expressions by their names, texts and numbers as Python has them."""
    typed = {str: text, int: number}
    return {f":{name}": typed.get(type(value), dict)(value) for name, value in given.items()}


RICH = {
    **key(),
    "n": number("2.5"),
    "c": number(5),
    "a": text("old"),
    "s": {"SS": ["a", "b"]},
    "digits": {"SS": ["1"]},
    "l": {"L": [text("x"), number(1)]},
    "m": {"M": {"a": text("q"), "c": number(100)}},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "by": {"B": "AAEC"},
}
ITEMS: list[dict[str, Any]] = [RICH, *({**key("q", f"s{at}"), "i": number(at)} for at in range(5))]

Request = tuple[str, dict[str, Any]]


def on_table(operation: str, **request: Any) -> Request:
    return operation, {"TableName": TABLE, **request}


def get(item_key: dict[str, Any] | None = None, **request: Any) -> Request:
    return on_table("GetItem", Key=item_key or key(), **request)


def put(item: dict[str, Any], **request: Any) -> Request:
    return on_table("PutItem", Item=item, **request)


def update(expression: str, condition: str = "", *, names: dict[str, str] | None = None, **given: Any) -> Request:
    """An update of the rich item; what is written in capitals belongs to the request, the rest are values."""
    request = {name: value for name, value in given.items() if name[0].isupper()}
    if typed := values(**{name: value for name, value in given.items() if name not in request}):
        request["ExpressionAttributeValues"] = typed
    if names:
        request["ExpressionAttributeNames"] = names
    if condition:
        request["ConditionExpression"] = condition
    return on_table("UpdateItem", **{"Key": key(), "UpdateExpression": expression, **request})


def query(condition: str, given: dict[str, Any], **request: Any) -> Request:
    return on_table("Query", KeyConditionExpression=condition, ExpressionAttributeValues=values(**given), **request)


def transact(*parts: tuple[str, Request], **request: Any) -> Request:
    """A transaction of requests, each with its kind ("Put")."""
    return "TransactWriteItems", {"TransactItems": [{kind: part} for kind, (_, part) in parts], **request}


def check(condition: str, item_key: dict[str, Any] | None = None, **request: Any) -> tuple[str, Request]:
    """A part of a transaction that looks at an item."""
    part = on_table("ConditionCheck", Key=item_key or key(), ConditionExpression=condition, **request)
    return "ConditionCheck", part


def batch(operation: str, *parts: Any) -> Request:
    return operation, {"RequestItems": {TABLE: list(parts)}}
