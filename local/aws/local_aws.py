"""AWS on one machine: one address that answers what the functions ask of AWS, to unmodified boto3."""

import threading
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Self

import boto3
import botocore.session
from botocore.config import Config
from botocore.loaders import Loader, create_loader
from starlette.types import ASGIApp, Receive, Scope, Send

from local.aws.clock import Clock
from local.aws.embeddings import titan
from local.aws.moto import Moto
from local.aws.protocol import REGION, AwsError, json_error
from local.aws.sqs import Sqs
from local.aws.vectors import S3Vectors
from local.folder import locked_folder
from local.server import Server

_SERVICES = ("SQS", "DYNAMODB", "SSM", "S3VECTORS", "BEDROCK_RUNTIME")
_CONFIG = Config(
    connect_timeout=2,
    read_timeout=30,  # longer than the longest wait of ReceiveMessage
    retries={"total_max_attempts": 1},
    max_pool_connections=64,
)


@cache
def _loader() -> Loader:
    """The descriptions of the services, read once for a process: that takes a second."""
    return create_loader()


def _session() -> Any:
    session = botocore.session.Session()
    session.register_component("data_loader", _loader())
    return boto3.Session("local", "local", region_name=REGION, botocore_session=session)


class LocalAws:
    """SQS, DynamoDB, SSM, S3 Vectors and Bedrock embeddings on a loopback port; a context manager.

    `data` is a folder in which messages, vectors and the items of tables survive, whatever ends the process: a queue
    and a table have them again once they are created again, and a message in flight can be received at once.
    Without it everything is in memory. Parameters always are: each start sets them again.
    `clock` is what visibility, deduplication and retention go by; tests advance it.
    Entering raises UnusableFolder and OSError.
    """

    def __init__(self, data: Path | None = None, *, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self._data = data
        self._lock = threading.Lock()
        self._clients: dict[str, Any] = {}
        self._tables: Any = None
        self._session = _session()

    def __enter__(self) -> Self:
        """Open the files and the port; requests are answered from here on."""
        with ExitStack() as opened:
            folder = opened.enter_context(locked_folder(self._data)) if self._data else None
            self._sqs = Sqs(folder and folder / "queues.sqlite", self.clock)
            opened.callback(self._sqs.close)
            self._moto = Moto(self.clock, folder and folder / "tables.sqlite")
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
    def endpoints(self) -> dict[str, str]:
        """The environment that makes boto3, in any process, speak to this instead of AWS."""
        return {
            **{f"AWS_ENDPOINT_URL_{service}": self.address for service in _SERVICES},
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

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
        """Pass a request to the service that it is for: JSON services name it in a header, REST ones do not."""
        target = dict(scope["headers"]).get(b"x-amz-target", b"").decode()
        await self._service(target, scope["path"])(scope, receive, send)

    def _service(self, target: str, path: str) -> ASGIApp:
        name = target.partition(".")[0].partition("_")[0]
        if not name:
            return titan if path.startswith("/model/") else self._vectors
        services: dict[str, ASGIApp] = {"AmazonSQS": self._sqs, "DynamoDB": self._moto, "AmazonSSM": self._moto}
        return services.get(name) or json_error(AwsError("UnknownOperationException", f"{name} is not here.", 404))

    def _close_clients(self) -> None:
        for client in self._clients.values():
            client.close()
        if self._tables is not None:
            self._tables.meta.client.close()
