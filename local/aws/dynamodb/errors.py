"""The errors of DynamoDB.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
"""

from collections.abc import Mapping
from typing import Any

from local.aws.protocol import AwsError, invalid


def invalid_value(message: str) -> AwsError:
    """Say which value of the request cannot be accepted."""
    return invalid(f"One or more parameter values were invalid: {message}")


def empty_key(name: str, kind: str) -> AwsError:
    """Say that a key attribute is empty."""
    empty = f"an empty {'binary' if kind == 'B' else 'string'} value. Key: {name}"
    return invalid(
        f"One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain {empty}"
    )


def not_found(table: str = "") -> AwsError:
    """Say that there is no such table."""
    named = f": Table: {table} not found" if table else ""
    return AwsError("ResourceNotFoundException", f"Requested resource not found{named}")


def condition_failed(item: Mapping[str, Any] | None) -> AwsError:
    """Say that a condition did not hold, with the item as it is if that is asked for."""
    details = {} if item is None else {"Item": item}
    return AwsError("ConditionalCheckFailedException", "The conditional request failed", details=details)
