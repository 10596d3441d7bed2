"""The queues and parameters of deployments in the local AWS, and an AWS that answers nothing but one error."""

import itertools
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from starlette.responses import JSONResponse

from local.aws import LocalAws
from local.server import Server

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient

_HELD = socket.socket()
_HELD.bind(("127.0.0.1", 0))

_ARGUMENTS: dict[str, Any] = {
    "aws_access_key_id": "AKIDEXAMPLE",
    "aws_secret_access_key": "example",
    "region_name": "eu-west-1",
    # What the SDK tries again by itself is not ours to test, and it takes seconds.
    "config": Config(retries={"total_max_attempts": 1}),
}


def client_at(service: Any, url: str, **more: Any) -> Any:
    """A client of a service at an address."""
    return boto3.client(service, endpoint_url=url, **{**_ARGUMENTS, **more})


class DeployedAws:
    """A local AWS in which every queue and prefix gets a new name."""

    def __init__(self, aws: LocalAws) -> None:
        self.endpoints = aws.endpoints
        self.sqs: SQSClient = aws.client("sqs")
        self.ssm: SSMClient = aws.client("ssm")
        self._count = itertools.count(1)

    def new_queue(self) -> str:
        """Create a FIFO queue; its URL."""
        name = f"jobs-{next(self._count)}.fifo"
        return self.sqs.create_queue(QueueName=name, Attributes={"FifoQueue": "true"})["QueueUrl"]

    def new_prefix(self, parameters: dict[str, str]) -> str:
        """Put parameters below a new prefix, as secrets."""
        prefix = f"/kodiai/test-{next(self._count)}"
        for name, value in parameters.items():
            self.put(f"{prefix}/{name}", value)
        return prefix

    def put(self, name: str, value: str) -> None:
        self.ssm.put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)

    def messages(self, queue_url: str) -> list[dict[str, Any]]:
        """Receive what waits in a queue, with its attributes."""
        answer = self.sqs.receive_message(QueueUrl=queue_url, AttributeNames=["All"], MaxNumberOfMessages=10)
        return [dict(message) for message in answer.get("Messages", [])]


@contextmanager
def aws_that_says(status: int, code: str) -> Iterator[str]:
    """An AWS that answers every call with this error; its URL."""
    server = Server(JSONResponse({"__type": code, "message": "inside information"}, status))
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


def nobody_there() -> str:
    """A URL at which nothing listens, now or later: the port is held, so no other test is given it."""
    return f"http://127.0.0.1:{_HELD.getsockname()[1]}"
