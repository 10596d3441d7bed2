"""Counts what the functions ask of AWS, and what that is billed as: a wire in front of the local AWS.

Units: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.aws import LocalAws
from local.aws.call import AwsCall, read_call
from local.aws.dynamodb.values import item_bytes
from local.server import Server

Json = Mapping[str, Any]

_KB = 1024
_READ_BYTES, _WRITE_BYTES, _MESSAGE_BYTES = 4 * _KB, _KB, 64 * _KB
_SINGLE = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_SECURE = "SecureString"


@dataclass(frozen=True)
class Billed:
    """One call: who made it ("ReviewRole"), the operation ("SQS SendMessage"), and in how many units it is billed.

    Units are requests; for DynamoDB they are read units or write units, for parameters the secrets to decrypt.
    """

    role: str
    name: str
    units: float


class AwsWire:
    """Passes each call of the functions on and counts it; `url` is where they find AWS.

    Items of DynamoDB are looked up before and after each write, as an operator: that counts nothing. What a read leaves
    out of its answer is billed and not counted; only items far below 4 KB are read so.
    """

    def __init__(self) -> None:
        self.aws: LocalAws | None = None
        self._target = ""
        self._lock = threading.Lock()
        self._billed: list[Billed] = []
        self._server = Server(self._serve)

    @contextmanager
    def running(self) -> Iterator["AwsWire"]:
        """Serve until the end."""
        self._server.start()
        try:
            yield self
        finally:
            self._server.stop()

    def before(self, address: str) -> str:
        """Pass calls on to that address; the address at which they are to be made instead."""
        self._target = address
        return self._server.url

    def take(self) -> list[Billed]:
        """Return the items billed since the last call."""
        with self._lock:
            taken, self._billed = self._billed, []
        return taken

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        answer = await run_in_threadpool(self._pass_on, request, read_call(request), body)
        await answer(scope, receive, send)

    def _pass_on(self, request: Request, call: AwsCall, body: bytes) -> Response:
        asked: Json = json.loads(body or b"{}")
        before = self._sizes(call, asked)
        kept = [(name, value) for name, value in request.headers.raw if name not in (b"host", b"accept-encoding")]
        with httpx.Client(trust_env=False, timeout=60) as client:
            url = self._target + request.scope["raw_path"].decode()
            answer = client.request(request.method, url, content=body, headers=kept)
        written = [max(sizes) for sizes in zip(before, self._sizes(call, asked), strict=True)]
        units = billed_units(call, asked, answer.json() if answer.content else {}, written)
        with self._lock:
            self._billed.append(Billed(call.who.rpartition("-")[0], call.name, units))
        headers = {name: value for name, value in answer.headers.items() if name.startswith(("x-amz", "content-type"))}
        return Response(answer.content, answer.status_code, headers)

    def _sizes(self, call: AwsCall, asked: Json) -> list[int]:
        """The bytes of each item that a call writes or checks, as it is now."""
        if call.service != "dynamodb":
            return []
        assert self.aws is not None
        dynamodb = self.aws.client("dynamodb")
        found = []
        for write in _writes(call.operation, asked):
            # Tables have the keys pk and sk.
            key = write.get("Key") or {name: write["Item"][name] for name in ("pk", "sk")}
            found.append(dynamodb.get_item(TableName=write["TableName"], Key=key, ConsistentRead=True).get("Item", {}))
        return [item_bytes(item) for item in found]


def _writes(operation: str, asked: Json) -> list[Json]:
    """Each write of a call and each check, with its TableName and its Key or Item."""
    if operation in _SINGLE:
        return [asked]
    if operation == "TransactWriteItems":
        return [part for write in asked["TransactItems"] for part in write.values()]
    if operation == "BatchWriteItem":
        return [
            {"TableName": table, **part}
            for table, writes in asked["RequestItems"].items()
            for write in writes
            for part in write.values()
        ]
    return []


def billed_units(call: AwsCall, asked: Json, answer: Json, written: Sequence[int]) -> float:
    """In how many units a call is billed; `written` are the larger sizes of written items, before or after."""
    if call.service == "sqs":
        return _parts(len(asked.get("MessageBody", "")), _MESSAGE_BYTES)
    if call.service == "ssm":
        found: list[Json] = answer.get("Parameters") or [answer.get("Parameter", {})]
        return len([parameter for parameter in found if parameter.get("Type") == _SECURE])
    if call.service != "dynamodb":
        return 1
    if written:
        each = 2 if call.operation.startswith("Transact") else 1
        return each * sum(_parts(size, _WRITE_BYTES) for size in written)
    return _read_units(call.operation, asked, answer)


def _read_units(operation: str, asked: Json, answer: Json) -> float:
    if operation == "BatchGetItem":
        return sum(
            _parts(size, _READ_BYTES) * _consistency(asked["RequestItems"][table])
            for table, wanted in asked["RequestItems"].items()
            for size in _batch_sizes(wanted, answer.get("Responses", {}).get(table, []))
        )
    items = answer.get("Items") or [answer.get("Item", {})]
    return _parts(sum(map(item_bytes, items)), _READ_BYTES) * _consistency(asked)


def _batch_sizes(wanted: Json, items: Sequence[Json]) -> list[int]:
    """The sizes of the items that were asked for; one that is not there is billed as the smallest."""
    return [*map(item_bytes, items), *[0] * (len(wanted["Keys"]) - len(items))]


def _consistency(asked: Json) -> float:
    return 1 if asked.get("ConsistentRead") else 0.5


def _parts(size: int, of: int) -> int:
    return max(1, -(-size // of))


def totals(billed: Sequence[Billed]) -> dict[str, float]:
    """Units of "SQS", "DynamoDB reads", "DynamoDB writes" and "KMS", and how often each other operation was called.

    "calls" are all of them, whatever each is billed as.
    """
    counted: defaultdict[str, float] = defaultdict(float, calls=len(billed))
    for each in billed:
        service, operation = each.name.split()
        match service:
            case "SQS":
                counted["SQS"] += each.units
            case "DynamoDB":
                is_write = operation in _SINGLE or operation.endswith(("WriteItem", "WriteItems"))
                counted["DynamoDB writes" if is_write else "DynamoDB reads"] += each.units
            case "SSM":
                counted["KMS"] += each.units
            case _:
                counted[each.name] += 1
    return dict(counted)
