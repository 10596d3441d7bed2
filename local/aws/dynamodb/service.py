"""DynamoDB: the operations on tables and their items."""

from collections.abc import Callable
from pathlib import Path

from local.aws.clock import Clock
from local.aws.dynamodb.items import Items
from local.aws.dynamodb.pages import Pages
from local.aws.dynamodb.tables import Tables
from local.aws.dynamodb.transactions import Transactions
from local.aws.protocol import AwsError, Json, invalid
from local.aws.shapes import check_request

_WRITE = {
    "TableName",
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValuesOnConditionCheckFailure",
}
_SHOWN = {"ProjectionExpression", "ExpressionAttributeNames", "ConsistentRead"}
_PAGE = {
    "TableName",
    "ExpressionAttributeValues",
    "Limit",
    "ExclusiveStartKey",
    *_SHOWN,
}
_DEFINITION = {"TableName", "AttributeDefinitions", "KeySchema", "BillingMode", "DeletionProtectionEnabled"}


class DynamoDb:
    """Every table of one account, kept in a file or in memory.

    Requests are answered one after the other. It has what the product, its tools and their tests ask for, and refuses
    everything else by name: indexes, streams, capacities, the parameters from before expressions.
    """

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._tables = tables = Tables(file, clock)
        items, pages, transactions = Items(tables), Pages(tables), Transactions(tables, clock)
        self._operations: dict[str, tuple[Callable[[Json], Json], set[str]]] = {
            "BatchGetItem": (items.batch_get, {"RequestItems"}),
            "BatchWriteItem": (items.batch_write, {"RequestItems"}),
            "CreateTable": (tables.create, _DEFINITION),
            "DeleteItem": (items.delete, {"Key", *_WRITE}),
            "DeleteTable": (tables.delete, {"TableName"}),
            "DescribeTable": (tables.describe, {"TableName"}),
            "DescribeTimeToLive": (tables.lifetime, {"TableName"}),
            "GetItem": (items.get, {"TableName", "Key", *_SHOWN}),
            "ListTables": (tables.list_names, set()),
            "PutItem": (items.put, {"Item", *_WRITE}),
            "Query": (pages.query, {"KeyConditionExpression", "FilterExpression", "ScanIndexForward", *_PAGE}),
            "Scan": (pages.scan, {"FilterExpression", *_PAGE}),
            "TransactWriteItems": (transactions.write, {"TransactItems", "ClientRequestToken"}),
            "UpdateItem": (items.update, {"Key", "UpdateExpression", "ReturnValues", *_WRITE}),
            "UpdateTable": (tables.update, {"TableName", "DeletionProtectionEnabled"}),
            "UpdateTimeToLive": (tables.set_lifetime, {"TableName", "TimeToLiveSpecification"}),
        }

    def ask(self, operation: str, request: Json) -> Json:
        """Answer a request. Raises AwsError."""
        if operation not in self._operations:
            raise AwsError("UnknownOperationException", f"DynamoDB has no operation {operation} here.")
        answer, known = self._operations[operation]
        check_request("dynamodb", operation, request)
        if strange := request.keys() - known:
            raise invalid(f"{operation} is answered without {', '.join(sorted(strange))} here.")
        return answer(request)

    def close(self) -> None:
        """Close the file; the server has stopped by then."""
        self._tables.close()
