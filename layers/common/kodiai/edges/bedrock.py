"""Claude on Amazon Bedrock, by InvokeModel; why by that is in docs/decisions/0055.

API: https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
Errors: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import Any

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ReadTimeoutError,
)

from kodiai.core.errors import Broken, Overloaded, Retry
from kodiai.core.model.messages import ModelAnswer, ModelRequest
from kodiai.core.model.prices import BedrockProfile, bedrock_id
from kodiai.edges.aws import session
from kodiai.edges.calls import CallLog
from kodiai.edges.https import read_retry_after
from kodiai.edges.messages_api import CONNECT_SECONDS, TooLong, as_json, ask, is_too_long, shown

# The only one that all models on Bedrock take.
_VERSION = "bedrock-2023-05-31"
_MOST_CONNECTIONS = 16  # as limits/parallel-calls may be
# Quotas are those of one model, so another one may answer.
_NO_ROOM = frozenset({"ModelNotReadyException", "ServiceUnavailableException", "ThrottlingException"})
_BUSY = frozenset({"ModelErrorException", "ModelTimeoutException"})
_NO_ACCESS = frozenset({"AccessDeniedException", "ResourceNotFoundException"})
# The reasons by a part of AWS's words. Anthropic's models are on the Marketplace, to which an account subscribes with
# the rights of whoever asks first: https://docs.aws.amazon.com/bedrock/latest/userguide/model-access.html
_REASONS = {
    "aws-marketplace:": (
        "the account is not subscribed to it",
        "Somebody who may aws-marketplace:Subscribe runs `kodiai doctor`: its question subscribes the account",
    ),
    "use case details": (
        "Anthropic does not know yet what the account uses it for",
        "Fill in the form in the Bedrock console: Model catalog, any model of Anthropic. It counts after 15 minutes",
    ),
    "": (
        "it is not permitted",
        "Look which policy denies it, the role's or the organization's, and at the stack's BedrockProfile",
    ),
}


class NoAccess(Broken):
    """A refusal of access to a model: `what` is missing, and `remedy` is what a person does about it."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(f"{what}. {remedy}")
        self.what, self.remedy = what, remedy


class Bedrock:
    """The port `Model`: Claude in a profile of Bedrock, with the function's own role; never retries by itself.

    It outlives an event: a client takes a while to make. `connect` makes one by how long it waits for an answer.
    """

    def __init__(self, profile: BedrockProfile, connect: Callable[[float], Any]) -> None:
        self._profile = profile
        self._connect = lru_cache(maxsize=1)(connect)
        self._connecting = Lock()

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        """Name the model that was asked: Bedrock leaves the profile out, on which the price depends."""
        with self._connecting:
            client = self._connect(timeout_seconds)
        answer = ask(question, "bedrock-runtime", lambda request, calls: self._send(client, request, calls))
        return replace(answer, model=question.model)

    def _send(self, client: Any, request: Mapping[str, Any], calls: CallLog) -> bytes:
        """Send a request; the answer's body as it came."""
        model = bedrock_id(request["model"], self._profile)
        body = {"anthropic_version": _VERSION, **{name: each for name, each in request.items() if name != "model"}}
        calls.sent(f"InvokeModel {model}")
        try:
            answer = client.invoke_model(
                modelId=model, body=as_json(body), contentType="application/json", accept="application/json"
            )
            calls.answered(status=answer["ResponseMetadata"]["HTTPStatusCode"])
            read: bytes = answer["body"].read()
        except ClientError as error:
            calls.answered(status=error.response["ResponseMetadata"]["HTTPStatusCode"], error=_code(error))
            raise _translate(error, model, client.meta.region_name) from error
        except (ReadTimeoutError, ConnectTimeoutError) as error:
            raise Retry("the model did not answer in time") from error
        except (NoCredentialsError, PartialCredentialsError, NoRegionError) as error:
            raise Broken(f"Bedrock cannot be asked: {error}") from error
        except BotoCoreError as error:
            raise Retry("the model cannot be reached") from error
        return read


def connect_claude(timeout_seconds: float) -> Any:
    """Connect to Bedrock; the edge itself logs its requests."""
    return session().create_client("bedrock-runtime", config=patient(timeout_seconds))


def patient(timeout_seconds: float) -> Config:
    """Wait so long for an answer, have idle connections probed, and do not retry."""
    return Config(
        connect_timeout=min(timeout_seconds, CONNECT_SECONDS),
        read_timeout=timeout_seconds,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=_MOST_CONNECTIONS,
        tcp_keepalive=True,
    )


def _code(error: ClientError) -> str:
    return error.response["Error"]["Code"]


def _translate(error: ClientError, model: str, region: str) -> Exception:
    code, about = _code(error), error.response["ResponseMetadata"]
    status, said = about["HTTPStatusCode"], shown(error.response["Error"].get("Message", ""))
    wait = read_retry_after(about["HTTPHeaders"].get("retry-after", ""))
    if code in _NO_ROOM:
        return Overloaded(f"the model has no room: {code} {said}", after_seconds=wait)
    if code in _BUSY or status in (408, 429) or status >= 500:  # noqa: PLR2004 - HTTP status codes
        return Retry(f"the model is busy: {code} {said}", after_seconds=wait)
    if is_too_long(said):
        return TooLong()
    if code in _NO_ACCESS:  # AWS's words name the account
        why, remedy = next(reason for part, reason in _REASONS.items() if part in said)
        return NoAccess(f"Bedrock gives no access to {model} in {region}: {why} ({code})", remedy)
    return Broken(
        f"Bedrock refused the request to {model} in {region}: {code} {said}. "
        "If it does not know the model, look at the stack's BedrockProfile and at the parameters models/…"
    )
