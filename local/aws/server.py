"""AWS on one machine: one address that answers what the functions ask of AWS, to unmodified boto3."""

import threading
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local.aws.clock import Clock
from local.aws.door import Door
from local.aws.embeddings import Titan
from local.aws.moto import Moto
from local.aws.protocol import REGION, Answer, AwsError, Request, json_error
from local.aws.sqs.emulator import Sqs
from local.aws.vectors.emulator import S3Vectors
from local.folder import held

SERVICES = ("SQS", "DYNAMODB", "SSM", "S3VECTORS", "BEDROCK_RUNTIME")


class LocalAws:
    """SQS, DynamoDB, SSM, S3 Vectors and Bedrock embeddings on a loopback port that the system chooses.

    `data` is a folder in which queues, vectors and the items of tables survive, whatever ends the process: a table
    has them again once it is created again, and a message in flight can be received at once. Without it all of it
    lives in memory, as parameters always do: whoever deploys puts them each time.
    `clock` is what visibility, deduplication and retention go by; tests turn it.
    """

    def __init__(self, data: Path | None = None, *, clock: Clock | None = None, port: int = 0) -> None:
        self.clock = clock or Clock()
        self._data = data
        self._port = port
        self._parts: _Parts | None = None

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop."""
        self.stop()

    def start(self) -> None:
        """Open the files and the port; requests are answered from here on. Raises UnusableFolder and OSError."""
        if self._parts is None:
            self._parts = _Parts(self._data, self.clock, self._port)

    def stop(self) -> None:
        """Send waiting receivers home at once, hang up, and close the files; stopping twice is no error."""
        parts, self._parts = self._parts, None
        if parts is not None:
            parts.close()

    @property
    def address(self) -> str:
        """Return the URL that every service here is reached at."""
        return self._running.door.url

    @property
    def endpoints(self) -> dict[str, str]:
        """Return the environment that makes boto3, in any process, speak to this instead of AWS."""
        return {
            **{f"AWS_ENDPOINT_URL_{service}": self.address for service in SERVICES},
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    def client(self, service: str) -> Any:
        """Return a boto3 client of this AWS; one for each service, shared, closed by `stop`."""
        return self._running.client(service)

    def table(self, name: str) -> Any:
        """Return a DynamoDB table of this AWS as boto3's resource, whether it exists or not."""
        return self._running.dynamodb().Table(name)

    @property
    def _running(self) -> "_Parts":
        if self._parts is None:
            raise RuntimeError("The local AWS is not started.")
        return self._parts


class _Parts:
    """What exists between start and stop."""

    def __init__(self, data: Path | None, clock: Clock, port: int) -> None:
        self._clients: dict[str, Any] = {}
        self._dynamodb: Any = None
        self._guard = threading.Lock()
        self.titan = Titan()
        with ExitStack() as opened:
            folder = opened.enter_context(held(data)) if data else None
            opened.callback(self._close_clients)
            self.moto = Moto(clock, folder and folder / "tables.sqlite")
            opened.callback(self.moto.close)
            self.vectors = S3Vectors(folder and folder / "vectors.sqlite", clock)
            opened.callback(self.vectors.close)
            self.door = Door(self.answer, port)
            opened.callback(self.door.stop)
            self.sqs = Sqs(folder and folder / "queues.sqlite", clock)
            opened.callback(self.sqs.close)
            self.door.start()
            self._opened = opened.pop_all()

    def answer(self, request: Request) -> Answer:
        """Pass a request to the service that it is for: JSON services name it in a header, REST ones do not."""
        service = request.headers.get("x-amz-target", "").split(".")[0].split("_")[0]
        if service == "AmazonSQS":
            return self.sqs.answer(request)
        if service in {"DynamoDB", "AmazonSSM"}:
            return self.moto.answer(request)
        if service:
            return json_error(AwsError("UnknownOperationException", f"{service} is not here.", 404))
        if request.path.startswith("/model/"):
            return self.titan.answer(request)
        return self.vectors.answer(request)

    def client(self, service: str) -> Any:
        """Return the one client of a service, made when first asked for."""
        with self._guard:
            if service not in self._clients:
                self._clients[service] = _session().client(service, endpoint_url=self.door.url, config=_config())
            return self._clients[service]

    def dynamodb(self) -> Any:
        """Return the one resource of DynamoDB, made when first asked for."""
        with self._guard:
            if self._dynamodb is None:
                self._dynamodb = _session().resource("dynamodb", endpoint_url=self.door.url, config=_config())
            return self._dynamodb

    def close(self) -> None:
        """Close everything, the queues first: that answers the receivers that wait."""
        self._opened.close()

    def _close_clients(self) -> None:
        for client in self._clients.values():
            client.close()
        if self._dynamodb is not None:
            self._dynamodb.meta.client.close()


def _config() -> Any:
    from botocore.config import Config  # noqa: PLC0415 - a server without clients need not pay for it

    return Config(
        connect_timeout=2,
        read_timeout=30,  # longer than the longest wait of ReceiveMessage
        retries={"total_max_attempts": 1},
        max_pool_connections=64,
    )


def _session() -> Any:
    import boto3  # noqa: PLC0415 - a fifth of a second that a server without clients need not pay

    return boto3.Session(
        aws_access_key_id="local",
        aws_secret_access_key="local",  # noqa: S106 - opens nothing
        region_name=REGION,
    )
