"""Values of attributes as DynamoDB has them in JSON, such as {"S": "text"}: what is refused, and how large they are.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

import base64
import re
from collections.abc import Collection, Iterable, Mapping
from decimal import Context, Decimal
from typing import Any

from local.aws.dynamodb.errors import invalid_value
from local.aws.protocol import invalid

Value = Mapping[str, Any]
Item = Mapping[str, Value]

SCALARS = ("S", "N", "B")
SETS = ("SS",)
KINDS = (*SCALARS, *SETS, "BOOL", "NULL", "L", "M")

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,9})?", re.ASCII)
_MOST_DIGITS = 38
_LARGEST, _SMALLEST = 125, -130  # powers of ten
_EXACT = Context(prec=_LARGEST - _SMALLEST + _MOST_DIGITS)
_MOST_LEVELS = 32
_OF_LISTS = 3  # bytes, also of maps


def checked_item(attributes: Item) -> Item:
    """Return attributes with their values as DynamoDB keeps them. Raises AwsError."""
    return {name: checked(value) for name, value in attributes.items()}


def checked(value: Value, level: int = 0) -> Value:
    """Return a value as DynamoDB keeps it: with plain numbers, and sets in order. Raises AwsError."""
    if len(value) != 1:
        some = "has more than one datatypes set" if value else "is empty"
        raise invalid(f"Supplied AttributeValue {some}, must contain exactly one of the supported datatypes")
    if level > _MOST_LEVELS:
        raise invalid("Nesting Levels have exceeded supported limits")
    [(kind, content)] = value.items()
    match kind:
        case "S" | "B" | "BOOL":
            return value
        case "N":
            return {"N": plain_number(content)}
        case "SS":
            return _checked_set(content)
        case "NS" | "BS":
            raise invalid("Only sets of strings are here.")
        case "L":
            return {"L": [checked(each, level + 1) for each in content]}
        case "M":
            return {"M": {name: checked(each, level + 1) for name, each in content.items()}}
        case "NULL" if content is True:
            return value
    if kind == "NULL":
        raise invalid_value("Null attribute value types must have the value of true")
    raise invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")


def _checked_set(members: Collection[str]) -> Value:
    if not members:
        raise invalid_value("An string set  may not be empty")
    if len(set(members)) < len(members):
        raise invalid_value(f"Input collection [{', '.join(members)}] contains duplicates.")
    return as_set(members)


def as_set(members: Iterable[str]) -> Value:
    """Return a set with its members in order, so that equal sets are equal values."""
    return {"SS": sorted(members)}


def plain_number(text: str) -> str:
    """Write a number as DynamoDB does: without an exponent and needless zeros. Raises AwsError."""
    if not _NUMBER.fullmatch(text):
        message = "The parameter cannot be converted to a numeric value"
        raise invalid(f"{message}: {text}" if text else message)
    number = Decimal(text)
    if not number:
        return "0"
    if number.adjusted() > _LARGEST:
        raise invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
    if number.adjusted() < _SMALLEST:
        raise invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
    if len("".join(map(str, number.as_tuple().digits)).strip("0")) > _MOST_DIGITS:
        raise invalid("Attempting to store more than 38 significant digits in a Number")
    plain = f"{number:f}".lstrip("+")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def total(first: Value, second: Value, sign: int = 1) -> Value:
    """Add two numbers, or subtract the second. Raises AwsError."""
    result = _EXACT.fma(Decimal(second["N"]), sign, Decimal(first["N"]))
    return {"N": plain_number(str(result))}


def rank(value: Value) -> Any:
    """The sort key of a scalar among others of its kind: text by its code points, as by its bytes in UTF-8."""
    [(kind, content)] = value.items()
    match kind:
        case "N":
            return Decimal(content)
        case "B":
            return base64.b64decode(content)
    return content


def item_bytes(item: Item) -> int:
    """The bytes of an item as DynamoDB counts them; binary values may be bytes or base64."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: Value) -> int:
    [(kind, content)] = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            digits: str = content.lstrip("-").replace(".", "").strip("0")
            return -(-len(digits) // 2) + (2 if content.startswith("-") else 1)
        case "B":
            return len(content if isinstance(content, bytes) else base64.b64decode(content))
        case "M":
            return _OF_LISTS + item_bytes(content) + len(content)
        case "L":
            return _OF_LISTS + sum(_value_bytes(each) + 1 for each in content)
        case "SS":
            return sum(len(each.encode()) for each in content)
        case _:
            return 1
