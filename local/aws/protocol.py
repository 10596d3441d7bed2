"""The form of a request from boto3 and of the answer to it, in the AWS protocols that are spoken here."""

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from starlette.types import Message, Receive

Json = dict[str, Any]

ACCOUNT = "123456789012"
REGION = "us-east-1"


class AwsError(Exception):
    """An error as an AWS service words it.

    `code` is the name that boto3 raises under, `query_code` the older name that SQS sends with it, `details` what else
    the service says.
    """

    def __init__(
        self, code: str, message: str, status: int = 400, query_code: str = "", *, details: Mapping[str, Any] = {}
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.query_code = query_code or code
        self.details = details


def invalid(message: str) -> AwsError:
    """The error for a request that cannot be accepted."""
    return AwsError("ValidationException", message)


def read_json(body: bytes) -> Json:
    """Read a body as a JSON object. Raises AwsError."""
    try:
        value = json.loads(body)
    except ValueError as error:
        raise AwsError("SerializationException", "The request body is not JSON.") from error
    if not isinstance(value, dict):
        raise AwsError("SerializationException", "The request body is not a JSON object.")
    return value


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that replays a body already read, then continues."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def json_response(value: Json) -> Response:
    """Answer 200 with a JSON body."""
    return Response(json.dumps(value, separators=(",", ":")), media_type="application/json")


def json_error(error: AwsError) -> Response:
    """Word an error for the JSON protocol, with its details, and the header that keeps the older SQS codes alive.

    Source: https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#awsquerycompatible-trait
    """
    body = json.dumps({"__type": error.code, "message": error.message, **error.details})
    headers = {"x-amzn-query-error": f"{error.query_code};Sender"}
    return Response(body, error.status, headers, "application/x-amz-json-1.0")


def rest_error(error: AwsError) -> Response:
    """Word an error for the REST JSON protocol.

    Source: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization
    """
    body = json.dumps({"message": error.message})
    return Response(body, error.status, {"x-amzn-errortype": error.code}, "application/json")
