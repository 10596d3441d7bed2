"""Transactions: all of their writes or none, and each once for a token.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
"""

import hashlib
import json

from local.aws.clock import Clock
from local.aws.dynamodb.items import ItemWrite, check_apart
from local.aws.dynamodb.tables import Tables
from local.aws.dynamodb.values import item_bytes
from local.aws.protocol import AwsError, Json, invalid

_TOKEN_SECONDS = 600
_LARGEST = 4 * 1024 * 1024  # bytes
_REASONS = {"ConditionalCheckFailedException": "ConditionalCheckFailed", "ValidationException": "ValidationError"}


class Transactions:
    """Writes of up to 100 items; a digest of what was written under a token is remembered for ten minutes.

    boto3 gives each transaction a token.
    """

    def __init__(self, tables: Tables, clock: Clock) -> None:
        self._tables = tables
        self._now = clock.now
        self._remembered: dict[str, tuple[float, bytes]] = {}

    def write(self, request: Json) -> Json:
        """Make all writes, unless that was done under this token before."""
        now, token = self._now(), request.get("ClientRequestToken")
        digest = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).digest()
        while (oldest := next(iter(self._remembered), None)) and self._remembered[oldest][0] <= now - _TOKEN_SECONDS:
            del self._remembered[oldest]
        if token in self._remembered:
            if self._remembered[token][1] != digest:
                message = "A request with this ClientRequestToken was made with other parameters."
                raise AwsError("IdempotentParameterMismatchException", message)
            return {}
        self._write(request)
        if token:
            self._remembered[token] = now, digest
        return {}

    def _write(self, request: Json) -> None:
        if any(len(each) != 1 for each in request["TransactItems"]):
            raise invalid("TransactItems can only contain one of Check, Put, Update or Delete")
        writes = [
            ItemWrite(self._tables, kind, part) for each in request["TransactItems"] for kind, part in each.items()
        ]
        check_apart(writes, "Transaction request cannot include multiple operations on one item")
        made, reasons = [], []
        for write in writes:
            try:
                made.append(write.made())
                reasons.append({"Code": "None"})
            except AwsError as error:
                reasons.append({"Code": _REASONS[error.code], "Message": error.message, **error.details})
        if len(made) < len(writes):
            codes = ", ".join(reason["Code"] for reason in reasons)
            message = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
            raise AwsError("TransactionCanceledException", message, details={"CancellationReasons": reasons})
        if sum(item_bytes(each.item) for each in made if each.item) > _LARGEST:
            raise invalid("The aggregate size of the items in the transaction exceeds 4 MB")
        self._tables.write(made)
