"""DynamoDB, CloudWatch Logs and S3: moto's own server applications, one request at a time."""

import asyncio
import copy
import json
import re
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.aws.clock import Clock
from local.aws.protocol import REGION, AwsError, Json, json_error, read_json
from local.aws.tables import Tables

_TOKEN_LIFETIME = 600  # seconds in which DynamoDB remembers a ClientRequestToken
_OK = 200

Service = Literal["dynamodb", "logs", "s3"]
_TARGETS: Mapping[str, Service] = {"DynamoDB": "dynamodb", "Logs": "logs"}
_PREFIXES: Mapping[Service, str] = {"dynamodb": "DynamoDB_20120810", "logs": "Logs_20140328"}
_JSON_VERSION: Mapping[Service, str] = {"dynamodb": "1.0", "logs": "1.1"}

# The partition key that is queried, None where all items of a table are looked at.
_QUERIED: ContextVar[Any] = ContextVar("queried", default=None)
# The keys that the transaction under way writes to, None where everything may be.
_WRITTEN: ContextVar[frozenset[str] | None] = ContextVar("written", default=None)


class Moto:
    """An ASGI application that passes requests to moto in the server's thread: its transactions are not thread-safe.

    Moto keeps its state in the process, by account; an account of its own keeps one `Moto` apart from the next.
    With a `file` the items of tables outlast it.
    """

    def __init__(self, clock: Clock, file: Path | None = None) -> None:
        self._clock = clock
        self._tables = Tables(file, clock, self._pass_on) if file else None
        self._loading = asyncio.Lock()
        self._clients: dict[Service, Any] = {}
        self._account = str(10**11 + secrets.randbelow(9 * 10**11))
        self._transactions: dict[str, tuple[float, Json, Response]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the first one waits about two seconds until moto is loaded."""
        request = Request(scope, receive)
        target = request.headers.get("x-amz-target")
        service = _service(target) if target else "s3"
        try:
            body = await read_json(request) if target else {}
            await self._load(service)
            response = self._answer(target, body) if target else self._pass_on_unread(request, await request.body())
        except AwsError as error:
            response = json_error(error)
        await response(scope, receive, send)

    async def ask(self, service: Service, operation: str, body: Json) -> Json:
        """Answer a request of the JSON protocol. Raises AwsError."""
        await self._load(service)
        response = self._answer(f"{_PREFIXES[service]}.{operation}", body)
        answer: Json = json.loads(bytes(response.body) or b"{}")
        if response.status_code != _OK:
            message = answer.get("message") or answer.get("Message") or ""
            raise AwsError(str(answer["__type"]).rpartition("#")[2], message, response.status_code)
        return answer

    async def _load(self, service: Service) -> None:
        async with self._loading:
            if service not in self._clients:
                self._clients[service] = await run_in_threadpool(_load, service)

    def close(self) -> None:
        """Forget what this account held; the server has stopped by then."""
        if self._clients:
            from moto.backends import get_backend  # noqa: PLC0415 - moto takes a second to load

            for service in self._clients:
                get_backend(service).pop(self._account, None)
        if self._tables is not None:
            self._tables.close()

    def _answer(self, target: str, body: Json) -> Response:
        operation = target.partition(".")[2]
        response = self._transact(target, body) if operation == "TransactWriteItems" else self._pass_on(target, body)
        if self._tables is not None and response.status_code == _OK:
            self._tables.keep(operation, body)
        return response

    def _transact(self, target: str, body: Json) -> Response:
        """Apply a transaction once for each ClientRequestToken, which moto does not look at.

        Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
        """
        now, writes, token = self._clock.now(), body["TransactItems"], str(body.get("ClientRequestToken", ""))
        remembered = self._transactions
        while (oldest := next(iter(remembered), None)) and remembered[oldest][0] <= now - _TOKEN_LIFETIME:
            del remembered[oldest]
        if token in remembered:
            _, known, response = remembered[token]
            if known != writes:
                message = "A request with this ClientRequestToken was made with other parameters."
                raise AwsError("IdempotentParameterMismatchException", message)
            return response
        written = _WRITTEN.set(_keys(writes))
        try:
            response = self._pass_on(target, body)
        finally:
            _WRITTEN.reset(written)
        if token and response.status_code == _OK:
            remembered[token] = (now, writes, response)
        return response

    def _pass_on(self, target: str, body: Json) -> Response:
        service = _service(target)
        headers = {
            "content-type": f"application/x-amz-json-{_JSON_VERSION[service]}",
            "x-amz-target": target,
            "x-moto-account-id": self._account,
            "authorization": f"AWS4-HMAC-SHA256 Credential=local/20260101/{REGION}/{service}/aws4_request",
        }
        answer = self._clients[service].post("/", headers=headers, data=json.dumps(body))
        return Response(answer.data, answer.status_code, media_type=headers["content-type"])

    def _pass_on_unread(self, request: Request, body: bytes) -> Response:
        """Pass on a request to S3 as it came: what it asks for is in its method, its path and its headers."""
        headers = {**request.headers, "x-moto-account-id": self._account}
        path = request.scope["raw_path"].decode()
        query = request.scope["query_string"].decode()
        answer = self._clients["s3"].open(path, method=request.method, query_string=query, headers=headers, data=body)
        kept = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
        return Response(answer.data, answer.status_code, kept)


def _service(target: str) -> Service:
    """The service of a JSON protocol that a request is for, by its header X-Amz-Target."""
    return _TARGETS[re.split("[_.]", target)[0]]


def _load(service: Service) -> Any:
    """Load moto, which takes a second or two, as a client of a service: its dispatcher lists folders per request."""
    from moto.moto_server.werkzeug_app import create_backend_app  # noqa: PLC0415
    from werkzeug.test import Client  # noqa: PLC0415

    _copy_only_what_is_written()
    _query_only_one_partition()
    return Client(create_backend_app(service))


def _keys(writes: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The values of every key in a transaction, and more: any attribute of an item that is put."""
    requests = [request for write in writes for request in write.values()]
    attributes = [request.get("Key") or request.get("Item") or {} for request in requests]
    return frozenset(str(value) for each in attributes for typed in each.values() for value in typed.values())


def _copy_only_what_is_written() -> None:
    """Keep moto from copying a whole table for each write of a transaction, in case it has to be taken back.

    With 300 pull requests in a table that took half a second for each transaction.
    """
    from moto.dynamodb.models.table import Table  # noqa: PLC0415 - moto takes a second to load

    def copied(table: Any, memo: dict[int, Any]) -> Any:
        written, twin = _WRITTEN.get(), copy.copy(table)
        twin.items = defaultdict(dict)
        for key, items in table.items.items():
            if written is None:
                twin.items[key] = copy.deepcopy(items, memo)
            elif str(key.value) in written:
                # Of the items with one partition key, those that the transaction writes to, by their sort keys.
                twin.items[key] = {
                    range_key: copy.deepcopy(item, memo)
                    if range_key is None or str(range_key.value) in written
                    else item
                    for range_key, item in items.items()
                }
            else:
                twin.items[key] = items
        return twin

    setattr(Table, "__deepcopy__", copied)  # noqa: B010 - the class has none, so the type checker knows of none


@cache
def _query_only_one_partition() -> None:
    """Keep moto from sorting the items of a whole table for each query of a partition.

    With 1,000 pull requests in a table that took most of the time of everything.
    """
    from moto.dynamodb.models.table import Table  # noqa: PLC0415 - moto takes a second to load

    every, query = Table.all_items, Table.query

    def all_items(table: Any) -> list[Any]:
        key = _QUERIED.get()
        return every(table) if key is None else list(table.items.get(key, {}).values())

    def query_partition(table: Any, hash_key: Any, *given: Any, **more: Any) -> Any:
        queried = _QUERIED.set(None if table.all_indexes() else hash_key)
        try:
            return query(table, hash_key, *given, **more)
        finally:
            _QUERIED.reset(queried)

    setattr(Table, "all_items", all_items)  # noqa: B010 - the type checker does not let a method be replaced
    setattr(Table, "query", query_partition)  # noqa: B010
