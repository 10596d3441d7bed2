"""DynamoDB and SSM: moto's own server application, one request at a time."""

import copy
import io
import secrets
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from local.aws.clock import Clock
from local.aws.protocol import Answer, AwsError, Json, Request, json_error
from local.aws.tables import Tables

_TOKEN_LIFETIME = 600  # seconds in which DynamoDB remembers a ClientRequestToken
_STANDARD_PARAMETER = 4096  # bytes

# The keys that the transaction under way writes to, None where everything may be.
_WRITTEN: ContextVar[frozenset[str] | None] = ContextVar("written", default=None)

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class Moto:
    """Pass requests to moto, serialised: its transactions are not atomic when threads meet in them.

    Moto keeps its state in the process, by account; an account of its own keeps one `Moto` apart from the next.
    With a `file` the items of tables outlast it.
    """

    def __init__(self, clock: Clock, file: Path | None = None) -> None:
        self._clock = clock
        self._tables = Tables(file, clock, self._pass_on) if file else None
        self._lock = threading.Lock()
        self._application: Wsgi | None = None
        self._account = str(10**11 + secrets.randbelow(9 * 10**11))
        self._transactions: dict[str, tuple[float, Json, Answer]] = {}

    def answer(self, request: Request) -> Answer:
        """Answer one request; the first one waits about two seconds until moto is loaded."""
        operation = request.headers.get("x-amz-target", "").rpartition(".")[2]
        with self._lock:
            try:
                if operation == "PutParameter":
                    _check_parameter(request.json())
                ask = self._transact if operation == "TransactWriteItems" else self._pass_on
                return self._tables.answer(operation, request, ask) if self._tables else ask(request)
            except AwsError as error:
                return json_error(error)

    def close(self) -> None:
        """Forget what this account held."""
        with self._lock:
            if self._application is not None:
                from moto.backends import get_backend  # noqa: PLC0415 - moto takes a second to load

                for name in ("dynamodb", "ssm"):
                    get_backend(name).pop(self._account, None)
                self._application = None
            if self._tables is not None:
                self._tables.close()

    def _transact(self, request: Request) -> Answer:
        """Apply a transaction once for each ClientRequestToken, which moto does not look at.

        Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
        """
        body, now = request.json(), self._clock.now()
        token = str(body.pop("ClientRequestToken", ""))
        remembered = {key: kept for key, kept in self._transactions.items() if kept[0] > now - _TOKEN_LIFETIME}
        self._transactions = remembered
        if token in remembered:
            _, items, answer = remembered[token]
            if items != body["TransactItems"]:
                message = "A request with this ClientRequestToken was made with other parameters."
                raise AwsError("IdempotentParameterMismatchException", message)
            return answer
        written = _WRITTEN.set(_keys(body["TransactItems"]))
        try:
            answer = self._pass_on(request)
        finally:
            _WRITTEN.reset(written)
        if token and answer.status == 200:  # noqa: PLR2004 - HTTP's own number
            remembered[token] = (now, body["TransactItems"], answer)
        return answer

    def _pass_on(self, request: Request) -> Answer:
        if self._application is None:
            from moto.moto_server.werkzeug_app import (  # noqa: PLC0415 - moto takes a second to load
                DomainDispatcherApplication,
                create_backend_app,
            )

            self._application = DomainDispatcherApplication(create_backend_app)
            _copy_only_what_is_written()
        return _run(self._application, _environment(request, self._account))


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
            may_change = written is None or str(key.value) in written
            twin.items[key] = copy.deepcopy(items, memo) if may_change else items
        return twin

    setattr(Table, "__deepcopy__", copied)  # noqa: B010 - the class has none, so the type checker knows of none


def _check_parameter(body: Json) -> None:
    """Refuse what a standard parameter cannot hold, which moto accepts.

    Source: https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
    """
    standard = body.get("Tier", "Standard") == "Standard"
    if standard and len(str(body.get("Value", "")).encode()) > _STANDARD_PARAMETER:
        message = f"Standard tier parameters support a maximum parameter value of {_STANDARD_PARAMETER} characters."
        raise AwsError("ValidationException", message)


def _environment(request: Request, account: str) -> dict[str, Any]:
    """Describe a request as WSGI does (PEP 3333)."""
    headers = {**request.headers, "x-moto-account-id": account}
    host, _, port = headers.get("host", "127.0.0.1:80").partition(":")
    return {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(request.path, "latin-1"),
        "QUERY_STRING": request.query,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "SERVER_NAME": host,
        "SERVER_PORT": port or "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(request.body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
    }


def _run(application: Wsgi, environment: dict[str, Any]) -> Answer:
    head: list[tuple[int, dict[str, str]]] = []

    def start(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
        kept = {name: value for name, value in headers if name.lower() not in _HOP}
        head.append((int(status.split(" ", 1)[0]), kept))

    parts = application(environment, start)
    try:
        body = b"".join(parts)
    finally:
        close = getattr(parts, "close", None)
        if close is not None:
            close()
    return Answer(head[-1][0], body, head[-1][1])


_HOP = frozenset({"content-length", "transfer-encoding", "connection"})
