"""Claude by the Messages API, over HTTPS; why without its SDK is in docs/decisions/0046.

API: https://platform.claude.com/docs/en/api/messages
"""

import socket
from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import SecretStr

from kodiai.core.errors import Broken, Overloaded, Retry
from kodiai.core.model.messages import ModelAnswer, ModelRequest
from kodiai.edges.calls import CallLog
from kodiai.edges.https import read_retry_after, trusted
from kodiai.edges.messages_api import CONNECT_SECONDS, NO_ROOM, TooLong, as_json, ask, error_field, is_too_long, shown

_VERSION = "2026-10-21"  # https://platform.claude.com/docs/en/api/versioning
_KEEP_ALIVE = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 60, "TCP_KEEPCNT": 5}  # seconds, seconds, times


class Claude:
    """The port `Model`: the Messages API, one request at a time; never retries by itself."""

    def __init__(self, api_key: SecretStr, base_url: str) -> None:
        self._client = httpx.Client(
            base_url=base_url,
            headers={
                "Accept": "application/json",
                "Authorization": f"Bearer {api_key.get_secret_value()}",
                "anthropic-version": _VERSION,
            },
            verify=trusted(),
            follow_redirects=True,
        )

    def __enter__(self) -> "Claude":
        return self

    def __exit__(self, *why: Any) -> None:
        self._client.close()

    def answer(self, question: ModelRequest, timeout_seconds: float) -> ModelAnswer:
        return ask(question, "model", lambda request, calls: self._send(request, timeout_seconds, calls))

    def _send(self, request: Mapping[str, Any], timeout_seconds: float, calls: CallLog) -> bytes:
        """Send a request; the answer's body as it came."""
        calls.sent("POST /v1/messages", model=request["model"])
        try:
            response = self._client.post(
                "/v1/messages",
                content=as_json(request),
                headers={"Content-Type": "application/json"},
                timeout=httpx.Timeout(timeout_seconds, connect=min(timeout_seconds, CONNECT_SECONDS)),
                extensions={"trace": _keep_alive},
            )
        except httpx.TimeoutException as error:
            raise Retry("the model did not answer in time") from error
        except httpx.RequestError as error:
            raise Retry("the model cannot be reached") from error
        calls.answered(status=response.status_code)
        if not response.is_success:
            raise _translate(response)
        return response.content


def _keep_alive(event: str, known: Mapping[str, Any]) -> None:
    """Have a new connection probed: nothing travels while the model thinks, and what idles is cut on its way.

    Source of the event: https://www.encode.io/httpcore/extensions/#trace
    """
    if event == "connection.connect_tcp.complete":
        connection = known["return_value"].get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in _KEEP_ALIVE.items():
            if hasattr(socket, option):  # macOS lacks some
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _translate(response: httpx.Response) -> Exception:
    try:
        body = response.json()
    except ValueError:
        body = None
    status, said = response.status_code, shown(error_field(body, "message"))
    wait = read_retry_after(response.headers.get("retry-after", ""))
    if status == 529 or error_field(body, "type") == NO_ROOM:  # noqa: PLR2004 - HTTP status codes
        return Overloaded(f"the model has no room: {status} {said}", after_seconds=wait)
    if status in (408, 409, 429) or status >= 500:  # noqa: PLR2004
        return Retry(f"the model is busy: {status} {said}", after_seconds=wait)
    if status == 413 or is_too_long(said):  # noqa: PLR2004
        return TooLong()
    if status in (401, 403):
        return Broken("the Anthropic key is not accepted: look at the parameter anthropic/api-key")
    return Broken(f"the model refused the request: {status} {said}")
