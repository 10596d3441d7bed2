"""The Messages API without its HTTP: check a request, answer it, account for it, record it."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from local.model.answers import Answer, Answers, Block, Failure, Reply, failure
from local.model.cache import PromptCache, Usage
from local.model.request_rules import broken_rules
from local.model.request_types import count_request, message_request
from local.model.tokens import BYTES_PER_TOKEN, output_tokens, parts_of

CONTEXT_WINDOW_TOKENS = 1_000_000
LARGEST_BODY_BYTES = 32_000_000
OFFLINE_MODEL = "offline-reviewer"
MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5")
_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "cookie"})


@dataclass(frozen=True)
class Recorded:
    """One request and what became of it.

    `body` is empty where it was not a JSON object. `status` is 0 where the connection was cut before the answer.
    `usage` is None for all but answered messages. `milliseconds` run from the read request to the ready answer.
    """

    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    status: int
    usage: Usage | None
    milliseconds: float


@dataclass(frozen=True)
class Response:
    """What goes back over HTTP, as events if it is `streaming`.

    `lost` means that the connection is closed instead, `halved` that it is closed half-way.
    """

    status: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: Usage | None = None
    delay_seconds: float = 0.0
    lost: bool = False
    halved: bool = False
    streaming: bool = False


class MessagesApi:
    """Answers `POST /v1/messages` and `/v1/messages/count_tokens` and `GET /v1/models`; safe to call at once."""

    def __init__(self, answers: Answers, clock: Callable[[], float]) -> None:
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self._answers = answers
        self._cache = PromptCache(clock)
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def respond(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Response:
        """Answer one request; `headers` have lower-case names."""
        began = time.perf_counter()
        body = _json_object(raw) if method == "POST" else {}
        refused = self._refusal(method, path, headers, raw, body)
        if refused:
            self.violations.append(f"{method} {path}: {refused.message}")
            response = _as_response(refused)
        else:
            response = self._route(path, body or {})
        response = self._numbered(response)
        shown = {name: "redacted" if name in _SECRET_HEADERS else value for name, value in headers.items()}
        status = 0 if response.lost else response.status
        spent = (time.perf_counter() - began) * 1000
        self.requests.append(Recorded(path, body or {}, shown, status, response.usage, spent))
        return response

    def _refusal(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes, body: Mapping[str, Any] | None
    ) -> Failure | None:
        """Say why the request is turned away before anybody thinks about it, or None."""
        key = headers.get("authorization", "").removeprefix("Bearer ").strip() or headers.get("x-api-key", "")
        if not key:
            return failure(401, "x-api-key header is required")
        if not headers.get("anthropic-version"):
            return failure(400, "anthropic-version: header is required")
        if (method, path) not in {
            ("POST", "/v1/messages"),
            ("POST", "/v1/messages/count_tokens"),
            ("GET", "/v1/models"),
        }:
            return failure(404, "Not Found")
        if method == "GET":
            return None
        if len(raw) > LARGEST_BODY_BYTES:
            return failure(413, "Request exceeds the maximum size")
        if body is None:
            return failure(400, "The request body is not a JSON object")
        return self._misfit(path, body)

    def _misfit(self, path: str, body: Mapping[str, Any]) -> Failure | None:
        types = (
            count_request() if path.endswith("count_tokens") else message_request(streaming=body.get("stream") is True)
        )
        complaint = types.complaint(body) or next(broken_rules(body), None)
        if complaint:
            return failure(400, complaint)
        if not body["model"].startswith(("claude-", OFFLINE_MODEL)):
            return failure(404, f"model: {body['model']}")
        tokens = sum(part.tokens for part in parts_of(body))
        if tokens > CONTEXT_WINDOW_TOKENS:
            return failure(400, f"prompt is too long: {tokens} tokens > {CONTEXT_WINDOW_TOKENS} maximum")
        return None

    def _route(self, path: str, body: Mapping[str, Any]) -> Response:
        if path.endswith("count_tokens"):
            return Response(200, {"input_tokens": sum(part.tokens for part in parts_of(body))})
        if path.endswith("models"):
            models = [_model(name) for name in MODELS]
            return Response(200, {"data": models, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]})
        return self._message(body)

    def _message(self, body: Mapping[str, Any]) -> Response:
        reading = self._cache.read(body)
        said = self._said(body)
        if isinstance(said, Failure):
            return _as_response(said)
        reply = within(said, body["max_tokens"])
        self._cache.remember(reading)
        content = list(self._with_ids(reply.content))
        usage = replace(reading.usage, output_tokens=output_tokens(reply.content))
        message = {
            "id": self._id("msg"),
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": reply.stop_reason,
            "stop_sequence": None,
            "usage": _as_wire(usage),
        }
        streaming = body.get("stream") is True
        return Response(200, message, {}, usage, reply.delay_seconds, reply.lost, reply.halved, streaming)

    def _said(self, body: Mapping[str, Any]) -> Answer:
        try:
            said = self._answers.answer(body)
        except Exception as error:  # whoever answers is a guest: its mistake must show, not hang a client
            self.violations.append(f"the answer could not be made: {error!r}")
            return failure(500, f"The stand-in could not make its answer: {error!r}")
        if said is None:
            self.violations.append("the script came to its end: no answer is left for a request")
            return failure(500, "The script came to its end: no answer is left for this request")
        return said

    def _with_ids(self, content: tuple[Block, ...]) -> Iterator[Block]:
        for block in content:
            yield {"id": self._id("toolu"), **block} if block["type"] == "tool_use" else block

    def _numbered(self, response: Response) -> Response:
        name = self._id("req")
        body = response.body if response.status == 200 else {**response.body, "request_id": name}  # noqa: PLR2004
        headers = {**response.headers, "request-id": name}
        return replace(response, body=body, headers=headers)

    def _id(self, prefix: str) -> str:
        with self._lock:
            return f"{prefix}_{next(self._numbers):024}"


def within(reply: Reply, max_tokens: int) -> Reply:
    """Stop the reply where the request's `max_tokens` are spent, as the model would, in the middle of its text."""
    if output_tokens(reply.content) <= max_tokens:
        return reply
    kept: list[Block] = []
    for block in reply.content:
        room = max_tokens - output_tokens(kept)
        if output_tokens([block]) <= room:
            kept.append(block)
            continue
        if block["type"] == "text" and room > 0:
            cut = block["text"].encode("utf-8", "surrogatepass")[: room * BYTES_PER_TOKEN]
            kept.append({"type": "text", "text": cut.decode("utf-8", "ignore")})
        break
    return replace(reply, content=tuple(kept), stop_reason="max_tokens")


def _json_object(raw: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _as_response(failed: Failure) -> Response:
    body = {"type": "error", "error": {"type": failed.kind, "message": failed.message}}
    return Response(failed.status, body, failed.headers, None, failed.delay_seconds, failed.lost, failed.halved)


def _as_wire(usage: Usage) -> dict[str, object]:
    return {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.written_5m,
            "ephemeral_1h_input_tokens": usage.written_1h,
        },
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
    }


def _model(name: str) -> dict[str, object]:
    released = datetime.fromtimestamp(0, UTC).isoformat()
    return {"type": "model", "id": name, "display_name": name, "created_at": released, "lifecycle": "active"}
