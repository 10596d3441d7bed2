"""AWS on one machine: one address that answers what the functions ask of AWS, to unmodified boto3."""

import asyncio
import secrets
import threading
from collections import Counter
from concurrent.futures import Future
from contextlib import ExitStack
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any, Self

import boto3
import botocore.session
from botocore.config import Config
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from local.aws.call import AwsCall, read_call
from local.aws.claude import Claude, ModelAccess, is_claude, no_claude
from local.aws.clock import Clock
from local.aws.dynamodb import DynamoDb
from local.aws.embeddings import titan
from local.aws.failures import AwsFailure, AwsFailures
from local.aws.iam import Iam
from local.aws.moto import Moto
from local.aws.permissions import Permissions
from local.aws.protocol import (
    ACCOUNT,
    REGION,
    AwsError,
    Json,
    invalid,
    json_error,
    json_response,
    read_json,
    replayed,
    rest_error,
)
from local.aws.query import query_error, query_response, read_query
from local.aws.shapes import descriptions
from local.aws.sqs import Sqs
from local.aws.ssm import Ssm
from local.aws.vectors import LARGEST_REQUEST, S3Vectors
from local.folder import locked_folder
from local.server import Server

_UNKNOWN = "The security token included in the request is invalid."
_QUERY = ("cloudformation", "iam", "sts")
_CONFIG = Config(
    connect_timeout=2,
    read_timeout=30,  # longer than the longest wait of ReceiveMessage
    retries={"total_max_attempts": 1},
    max_pool_connections=64,
)


def local_session(access_key: str, region: str = REGION) -> Any:
    """A session with that key of an AWS on this machine."""
    session = botocore.session.Session()
    session.register_component("data_loader", descriptions())
    return boto3.Session(access_key, "local", region_name=region, botocore_session=session)


class LocalAws:
    """SQS, DynamoDB, SSM, S3, S3 Vectors, log groups, alarms, rules and Bedrock's models on a port; a context manager.

    `data` is a folder in which messages, vectors and the items of tables survive, whatever ends the process: a queue
    and a table have them again once they are created again, and a message in flight can be received at once.
    Without it everything is in memory. Parameters, log groups and objects of S3 always are: each start sets them again.
    `clock` is what visibility, deduplication and retention go by; tests advance it.
    `permissions` are those of the roles that were given a policy. `messages_api` answers for Claude on Bedrock; without
    it this account has no access to Claude, and `model_access` is what else it needs. `calls` counts
    the requests of each operation.
    Only requests with a key of this one are answered: it holds the App's private key, and any program on the machine,
    or a page in a browser, can reach the port.
    Entering raises UnusableFolder and OSError.
    """

    def __init__(
        self, data: Path | None = None, *, clock: Clock | None = None, messages_api: ASGIApp | None = None
    ) -> None:
        self._claude = Claude(messages_api) if messages_api else no_claude
        self.clock = clock or Clock()
        self.permissions = Permissions()
        self.model_access = ModelAccess()
        self._failures = AwsFailures()
        self.calls: Counter[str] = Counter()
        self._data = data
        self._added: dict[str, ASGIApp] = {}
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._tables: Any = None
        self._secret = secrets.token_hex(16)
        self._session = local_session(self.access_key())

    def __enter__(self) -> Self:
        """Open the files and the port; requests are answered from here on."""
        with ExitStack() as opened:
            folder = opened.enter_context(locked_folder(self._data)) if self._data else None
            self._sqs = Sqs(folder and folder / "queues.sqlite", self.clock)
            opened.callback(self._sqs.close)
            self._ssm = Ssm(self.clock)
            self._dynamodb = DynamoDb(folder and folder / "tables.sqlite", self.clock)
            opened.callback(self._dynamodb.close)
            self._moto = Moto()
            opened.callback(self._moto.close)
            self._vectors = S3Vectors(folder and folder / "vectors.sqlite")
            opened.callback(self._vectors.close)
            self._server = Server(self._answer)
            opened.callback(self._server.stop)
            opened.callback(self._close_clients)
            self._server.start()
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End every connection and close the files."""
        self._opened.close()

    @property
    def address(self) -> str:
        """The URL that every service here is reached at."""
        return self._server.url

    @property
    def access_url(self) -> str:
        """The address with a key that may do everything, for an operator's commands."""
        return self.access_url_of("operator")

    def access_url_of(self, role: str) -> str:
        """The address with the key of a role."""
        return self.address.replace("://", f"://{self.access_key(role)}@")

    def access_key(self, role: str = "operator") -> str:
        """The access key id of a role; it is what opens this AWS, whatever secret signs.

        Signatures are not checked: they are of the host that a client sees, and a proxy may be in front of this.
        """
        return f"{role}-{self._secret}"

    @property
    def endpoints(self) -> dict[str, str]:
        """The environment that makes boto3, in any process, speak to this instead of AWS."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_ACCESS_KEY_ID": self.access_key(),
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def add(self, service: str, application: ASGIApp) -> None:
        """Have another application answer the requests to a service, by the name in their signatures."""
        self._added[service] = application

    def fail_next(self, operation: str, failure: AwsFailure, times: int = 1) -> None:
        """Let the next requests of an operation ("S3Vectors QueryVectors", "Bedrock InvokeModel") fail.

        This process asks it too: plan failures only for operations that nothing but the functions calls.
        """
        self._failures.add(operation, failure, times)

    def ask(self, service: str, operation: str, hung_up: Future[None] | None = None, **request: Any) -> Json:
        """Have a JSON service answer an operation ("sqs", "CreateQueue"), as boto3's client would, without HTTP.

        A wait for a message ends with `hung_up`. Raises AwsError.
        """
        waits = hung_up or Future()

        async def ask() -> Json:
            return await self._ask(service, operation, request, asyncio.wrap_future(waits))

        return self._server.run(ask())

    def end_waits(self, receives: int) -> None:
        """Give the queues back at once what is in flight, as if it had been received so often already."""
        self._server.run(self._sqs.end_waits(receives))

    async def _ask(
        self, service: str, operation: str, request: Json, hung_up: asyncio.Future[Any], host: str = ""
    ) -> Json:
        """Have a JSON service answer; `host` is what the caller knows it by. Raises AwsError."""
        match service:
            case "sqs":
                return await self._sqs.ask(operation, request, host or self.address.partition("://")[2], hung_up)
            case "s3vectors":
                return await self._vectors.ask(operation, request)
            case "ssm":
                return self._ssm.ask(operation, request)
            case "dynamodb":
                return self._dynamodb.ask(operation, request)
        raise ValueError(f"{service} cannot be asked")

    def client(self, service: str) -> Any:
        """Return a boto3 client of this AWS; one for each service, shared, closed in the end."""
        with self._lock:
            if service not in self._clients:
                self._clients[service] = self._session.client(service, endpoint_url=self.address, config=_CONFIG)
            return self._clients[service]

    def table(self, name: str) -> Any:
        """Return a DynamoDB table of this AWS as boto3's resource, whether it exists or not."""
        with self._lock:
            if self._tables is None:
                self._tables = self._session.resource("dynamodb", endpoint_url=self.address, config=_CONFIG)
            return self._tables.Table(name)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, unless its sender may not make it or it was planned to fail."""
        request = Request(scope, receive)
        call = read_call(request)
        self.calls[call.name] += 1
        try:
            body = await request.body()
            role = self._role(call)
            if self.permissions.binds(role):
                self.permissions.check(role, call.actions(body), call.context)
            if call.service == "bedrock" and is_claude(call.path):
                self.model_access.check(lambda: self.permissions.allows(role, "aws-marketplace:Subscribe"))
            if failure := self._failures.take(call.name):
                await asyncio.sleep(failure.seconds)
                if failure.error is not None:
                    raise failure.error
            application = await self._application(request, call, role, body)
            await application(scope, replayed(body, receive), send)
        except AwsError as error:
            by_protocol = query_error if call.service in _QUERY else rest_error if call.is_rest else json_error
            await by_protocol(error)(scope, receive, send)

    async def _application(self, request: Request, call: AwsCall, role: str, body: bytes) -> ASGIApp:
        """The answer to a request, or who answers it. Raises AwsError."""
        if call.service in self._added:
            return self._added[call.service]
        match call.service:
            case "sqs" | "dynamodb" | "ssm" | "s3vectors":
                if call.service == "s3vectors" and len(body) > LARGEST_REQUEST:
                    raise invalid("The request is larger than 20 MiB")
                hung_up = asyncio.ensure_future(request.receive())  # nothing else can come after the body
                try:
                    given, host = read_json(body), request.headers["host"]
                    return json_response(await self._ask(call.service, call.operation, given, hung_up, host))
                finally:
                    hung_up.cancel()
            case "iam" | "sts":
                form = read_query(body)
                ask = Iam(self.permissions).ask if call.service == "iam" else partial(_identity, role)
                response = query_response(form["Action"], ask(form["Action"], form))
                response.headers["Date"] = formatdate(self.clock.now(), usegmt=True)
                return response
            case "bedrock":
                return self._claude if is_claude(call.path) else titan(call.path, read_json(body))
            case "events" | "logs" | "monitoring" | "s3":
                return self._moto
        raise AwsError("UnknownOperationException", f"{call.service} is not here.", 404)

    def _role(self, call: AwsCall) -> str:
        """The role whose key a request is signed with. Raises AwsError where it is none of ours."""
        role, _, secret = call.who.rpartition("-")
        if not secrets.compare_digest(secret.encode(), self._secret.encode()):
            raise AwsError("UnrecognizedClientException", _UNKNOWN, 403)
        return role

    def _close_clients(self) -> None:
        for client in self._clients.values():
            client.close()
        if self._tables is not None:
            self._tables.meta.client.close()


def _identity(role: str, operation: str, _: Json) -> Json:
    """STS: whose key a request is signed with. Raises AwsError."""
    if operation != "GetCallerIdentity":
        raise AwsError("InvalidAction", f"STS has no operation {operation} here.", 404)
    return {"Arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/{role}/local", "UserId": role, "Account": ACCOUNT}
