"""Claude on Bedrock: InvokeModel, answered by a Messages API.

Source: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html and
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.aws.protocol import AwsError, Json, read_json, replayed, rest_error

_PATH = re.compile(r"/model/((?:[a-z-]+\.)?anthropic\.[^/]+)/invoke")
_VERSION = "bedrock-2023-05-31"
_OK = 200
# Bedrock's errors for errors of the model; it has no status 529.
_ERRORS = {
    400: ("ValidationException", 400),
    408: ("ModelTimeoutException", 408),
    413: ("ValidationException", 400),
    429: ("ThrottlingException", 429),
    503: ("ServiceUnavailableException", 503),
    529: ("ServiceUnavailableException", 503),
}
_OTHER = ("InternalServerException", 500)


def is_claude(path: str) -> bool:
    """Whether a request is for a model of Anthropic, by itself or in an inference profile."""
    return _PATH.fullmatch(path) is not None


_NO_FORM = AwsError(
    "ResourceNotFoundException",
    "Model use case details have not been submitted for this account. Fill out the Anthropic use case details form "
    "before using the model. If you have already filled out the form, try again in 15 minutes.",
    404,
)
_NOT_SUBSCRIBED = AwsError(
    "AccessDeniedException",
    "Model access is denied due to IAM user or service role is not authorized to perform the required AWS Marketplace "
    "actions (aws-marketplace:ViewSubscriptions, aws-marketplace:Subscribe) to enable access to this model. Refer to "
    "the Amazon Bedrock documentation for further details. Your AWS Marketplace subscription for this model cannot be "
    "completed at this time. If you recently fixed this issue, try again after 5 minutes.",
    403,
)


@dataclass
class ModelAccess:
    """The account's access to Anthropic's models: their form was sent, and it is subscribed.

    The first caller with rights on the Marketplace subscribes it.
    Sources: https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html and, for the words of a refusal,
    https://github.com/ministryofjustice/modernisation-platform-environments/pull/18323
    """

    has_form: bool = True
    is_subscribed: bool = True

    def check(self, may_subscribe: Callable[[], bool]) -> None:
        """Raise AwsError where something is missing."""
        if not self.has_form:
            raise _NO_FORM
        self.is_subscribed = self.is_subscribed or may_subscribe()
        if not self.is_subscribed:
            raise _NOT_SUBSCRIBED


class Claude:
    """Hands requests to a Messages API, and words its errors as Bedrock does; an ASGI application."""

    def __init__(self, messages_api: ASGIApp) -> None:
        self._messages_api = messages_api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer InvokeModel. Raises AwsError."""
        found = _PATH.fullmatch(scope["path"])
        assert found is not None  # noqa: S101 -- others are not routed here
        request = _messages_request(found[1], read_json(await Request(scope, receive).body()))
        headers = [(b"x-api-key", b"bedrock"), (b"anthropic-version", b"2023-06-01")]
        messages = {**scope, "path": "/v1/messages", "raw_path": b"/v1/messages", "headers": headers}
        await self._messages_api(messages, replayed(request, receive), _in_the_words_of_bedrock(scope, receive, send))


async def no_claude(*_: object) -> None:
    """Refuse as for an account that has no access to the models. Raises AwsError."""
    raise AwsError("AccessDeniedException", "You don't have access to the model with the specified model ID.", 403)


def _messages_request(model: str, body: Json) -> bytes:
    """The request to the Messages API. Raises AwsError for a body that Bedrock would not pass on."""
    if body.pop("anthropic_version", None) != _VERSION:
        raise AwsError("ValidationException", f'anthropic_version: the value must be "{_VERSION}"')
    if extra := sorted({"model", "stream"} & set(body)):
        raise AwsError("ValidationException", f"{extra[0]}: Extra inputs are not permitted")
    return json.dumps({**body, "model": model}).encode()


def _in_the_words_of_bedrock(scope: Scope, receive: Receive, send: Send) -> Send:
    """Return a `send` that passes an answer on and translates an error into Bedrock's form."""
    refused: list[Message] = []

    async def translated(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] != _OK:
            refused.append(message)
        elif not refused:
            await send(message)
        else:
            [start] = refused
            code, status = _ERRORS.get(start["status"], _OTHER)
            answer = rest_error(AwsError(code, json.loads(message["body"])["error"]["message"], status))
            waits = [value for name, value in start["headers"] if name == b"retry-after"]
            if waits:
                answer.headers["retry-after"] = waits[0].decode()
            await answer(scope, receive, send)

    return translated
