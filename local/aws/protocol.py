"""What a request from boto3 and the answer to it look like, whichever AWS protocol they speak."""

import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

ACCOUNT = "123456789012"
REGION = "us-east-1"


@dataclass(frozen=True)
class Request:
    """One HTTP request; header names are in lower case, `path` is still percent-encoded.

    `connected` tells whether the caller is still there to hear the answer.
    """

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes
    connected: Callable[[], bool] = lambda: True

    def json(self) -> Json:
        """Read the body as a JSON object; an empty body is an empty object."""
        try:
            value = json.loads(self.body or b"{}")
        except ValueError as error:
            raise AwsError("SerializationException", "The request body is not JSON.") from error
        if not isinstance(value, dict):
            raise AwsError("SerializationException", "The request body is not a JSON object.")
        return value


@dataclass(frozen=True)
class Answer:
    """One HTTP answer; the door adds the length and the request id."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)


class AwsError(Exception):
    """An error as an AWS service words it.

    `code` is the name that boto3 raises under, `query_code` the older name that SQS sends beside it.
    """

    def __init__(self, code: str, message: str, status: int = 400, query_code: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status
        self.query_code = query_code or code


def json_answer(value: Json, content_type: str = "application/json") -> Answer:
    """Answer 200 with a JSON body."""
    return Answer(200, json.dumps(value, separators=(",", ":")).encode(), {"Content-Type": content_type})


def json_error(error: AwsError) -> Answer:
    """Word an error for the JSON 1.0 protocol, with the header that keeps the older SQS codes alive.

    Source: https://smithy.io/2.0/aws/protocols/aws-query-protocol.html#awsquerycompatible-trait
    """
    body = json.dumps({"__type": f"com.amazonaws.sqs#{error.code}", "message": error.message})
    side = "Sender" if error.status < 500 else "Receiver"  # noqa: PLR2004 - the HTTP classes themselves
    headers = {
        "Content-Type": "application/x-amz-json-1.0",
        "x-amzn-query-error": f"{error.query_code};{side}",
    }
    return Answer(error.status, body.encode(), headers)


def rest_error(error: AwsError) -> Answer:
    """Word an error for the REST JSON protocol.

    Source: https://smithy.io/2.0/aws/protocols/aws-restjson1-protocol.html#operation-error-serialization
    """
    body = json.dumps({"message": error.message}).encode()
    return Answer(error.status, body, {"Content-Type": "application/json", "x-amzn-errortype": error.code})


def request_id() -> str:
    """Make up the id that every AWS answer carries."""
    return str(uuid.uuid4())
