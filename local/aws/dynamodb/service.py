"""DynamoDB as boto3 uses it: the AWS JSON protocol in front of tables and their items."""

import json
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.aws.clock import Clock
from local.aws.dynamodb.errors import invalid
from local.aws.dynamodb.items import Items
from local.aws.dynamodb.pages import Pages
from local.aws.dynamodb.tables import Tables
from local.aws.dynamodb.transactions import Transactions
from local.aws.protocol import AwsError, Json, json_response, read_json
from local.aws.shapes import check_request

_WRITE = {
    "TableName",
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValues",
    "ReturnValuesOnConditionCheckFailure",
}
_SHOWN = {"ProjectionExpression", "ExpressionAttributeNames", "ConsistentRead"}
_PAGE = {
    "TableName",
    "IndexName",
    "FilterExpression",
    "ExpressionAttributeValues",
    "Limit",
    "ExclusiveStartKey",
    "Select",
    *_SHOWN,
}
_DEFINITION = {"TableName", "AttributeDefinitions", "KeySchema", "BillingMode", "DeletionProtectionEnabled"}


class DynamoDb:
    """An ASGI application with every table of one account, kept in a file or in memory.

    Requests are answered one after the other. Indexes, streams, capacities and the parameters from before expressions
    are not here: what asks for them is refused by name.
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
            "ListTables": (tables.list_names, {"ExclusiveStartTableName", "Limit"}),
            "PutItem": (items.put, {"Item", *_WRITE}),
            "Query": (pages.query, {"KeyConditionExpression", "ScanIndexForward", *_PAGE}),
            "Scan": (pages.scan, _PAGE),
            "TransactWriteItems": (transactions.write, {"TransactItems", "ClientRequestToken"}),
            "UpdateItem": (items.update, {"Key", "UpdateExpression", *_WRITE}),
            "UpdateTable": (tables.update, {"TableName", "DeletionProtectionEnabled"}),
            "UpdateTimeToLive": (tables.set_lifetime, {"TableName", "TimeToLiveSpecification"}),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        try:
            operation = request.headers.get("x-amz-target", "").rpartition(".")[2]
            response = json_response(self.ask(operation, await read_json(request)))
        except AwsError as error:
            response = _refused(error)
        await response(scope, receive, send)

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


def _refused(error: AwsError) -> Response:
    """Word an error as DynamoDB does.

    Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
    """
    body = {"__type": f"com.amazonaws.dynamodb.v20120810#{error.code}", "message": error.message, **error.details}
    return Response(json.dumps(body), error.status, media_type="application/x-amz-json-1.0")
