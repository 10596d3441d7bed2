"""The Messages API without its HTTP: check a request, answer it, account for it, record it."""

import itertools
import json
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from local.model.answers import Answer, Answers, Block, Failure, Reply, Request, failure
from local.model.cache import PromptCache, Usage
from local.model.request_rules import broken_rules
from local.model.request_types import type_error
from local.model.thinking import misplaced_thinking, thinking_tokens, thought
from local.model.tokens import BYTES_PER_TOKEN, output_tokens, parts_of
from local.recent import Recent

CONTEXT_WINDOW_TOKENS = 1_000_000
LARGEST_BODY_BYTES = 32_000_000
OFFLINE_MODEL = "offline-reviewer"
_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "cookie"})
# A review asks up to some hundred times; compressed, a body has a fifth of its bytes.
_MOST_REQUESTS, _MOST_BYTES = 10_000, 16_000_000
_MESSAGES, _MODELS = ("POST", "/v1/messages"), ("GET", "/v1/models")


@dataclass(frozen=True)
class RecordedRequest:
    """One request and what became of it.

    `packed` is the body as it came, compressed. `status` is 0 where the connection was cut before the answer.
    `usage` is None for all but answered messages. `milliseconds` run from the read request to the ready answer.
    """

    path: str
    packed: bytes
    headers: Mapping[str, str]
    status: int
    usage: Usage | None
    milliseconds: float

    @property
    def body(self) -> Mapping[str, Any]:
        """The body; empty where it was not a JSON object."""
        return _json_object(zlib.decompress(self.packed)) or {}


@dataclass(frozen=True)
class Response:
    """The response over HTTP, in the way in which the `answer` travels."""

    status: int
    body: Mapping[str, Any]
    answer: Answer
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: Usage | None = None


class MessagesApi:
    """Answers `POST /v1/messages`, and lists no models; safe to call from several threads.

    While `trusting`, requests are not held against the SDK's types.
    """

    def __init__(self, answers: Answers, *, trusting: bool = False) -> None:
        self._trusting = trusting
        self.requests: Recent[RecordedRequest] = Recent(_MOST_REQUESTS, _MOST_BYTES)
        self.violations: Recent[str] = Recent()
        self._answers = answers
        self._cache = PromptCache()
        self._numbers = itertools.count(1)

    def respond(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Response:
        """Answer one request; `headers` have lower-case names."""
        began = time.perf_counter()
        body = _json_object(raw) if method == "POST" else {}
        refused = _refusal(method, path, headers, raw, body, trusting=self._trusting)
        if refused:
            self.violations.append(f"{method} {path}: {refused.message}")
            response = _failed(refused)
        elif (method, path) == _MODELS:
            response = Response(200, {"data": [], "has_more": False, "first_id": None, "last_id": None}, Reply(()))
        else:
            response = self._message(body or {})
        response = replace(response, headers={**response.headers, "request-id": self._id("req")})
        shown = {name: "redacted" if name in _SECRET_HEADERS else value for name, value in headers.items()}
        status = 0 if response.answer.lost else response.status
        spent = (time.perf_counter() - began) * 1000
        packed = zlib.compress(raw, zlib.Z_BEST_SPEED)
        self.requests.append(RecordedRequest(path, packed, shown, status, response.usage, spent), len(packed))
        return response

    def _message(self, body: Mapping[str, Any]) -> Response:
        reading = self._cache.read(body)
        answer = self._answer(body)
        if isinstance(answer, Failure):
            return _failed(answer)
        reply, thinking = (answer, 0) if answer.message else after_thinking(answer, body)
        self._cache.remember(reading)
        counted = output_tokens(each for each in reply.content if each["type"] != "thinking")
        usage = replace(reading.usage, output_tokens=thinking + counted, thinking_tokens=thinking)
        made = {
            "id": self._id("msg"),
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": list(self._with_ids(reply.content)),
            "stop_reason": reply.stop_reason,
            "stop_sequence": None,
            "usage": usage.as_json(),
        }
        return Response(200, reply.message or made, reply, usage=usage)

    def _answer(self, body: Mapping[str, Any]) -> Answer:
        try:
            answer = self._answers.answer(body)
        except Exception as error:  # a failing answer must be visible, not hang the client
            self.violations.append(f"the answer could not be made: {error!r}")
            return failure(500, f"The stand-in could not make its answer: {error!r}")
        if answer is None:
            self.violations.append("the script came to its end: no answer is left for a request")
            return failure(500, "The script came to its end: no answer is left for this request")
        return answer

    def _with_ids(self, content: tuple[Block, ...]) -> Iterator[Block]:
        for block in content:
            yield {"id": self._id("toolu"), **block} if block["type"] == "tool_use" else block

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers):024}"


def after_thinking(reply: Reply, request: Request) -> tuple[Reply, int]:
    """The reply after the model's thinking, which may leave it no room, and the tokens of the thinking."""
    wanted = thinking_tokens(request) if reply.thinking_tokens is None else reply.thinking_tokens
    if not wanted or reply.stop_reason == "refusal":
        return truncated_reply(reply, request["max_tokens"]), 0
    thinking = min(wanted, request["max_tokens"])
    cut = truncated_reply(reply, request["max_tokens"] - thinking)
    return replace(cut, content=(thought(request), *cut.content)), thinking


def truncated_reply(reply: Reply, max_tokens: int) -> Reply:
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


def _refusal(
    method: str,
    path: str,
    headers: Mapping[str, str],
    raw: bytes,
    body: Mapping[str, Any] | None,
    *,
    trusting: bool,
) -> Failure | None:
    """Say why the request is turned away before anybody thinks about it, or None.

    One who is `trusting` does not look at the types.
    """
    if not headers.get("authorization", "").removeprefix("Bearer ").strip() and not headers.get("x-api-key"):
        return failure(401, "x-api-key header is required")
    if not headers.get("anthropic-version"):
        return failure(400, "anthropic-version: header is required")
    if (method, path) == _MODELS:
        return None
    if (method, path) != _MESSAGES:
        return failure(404, "Not Found")
    if len(raw) > LARGEST_BODY_BYTES:
        return failure(413, "Request exceeds the maximum size")
    if body is None:
        return failure(400, "The request body is not a JSON object")
    wrong = chain(broken_rules(body), misplaced_thinking(body))
    if complaint := ("" if trusting else type_error(body)) or next(wrong, None):
        return failure(400, complaint)
    tokens = sum(part.tokens for part in parts_of(body))
    if tokens > CONTEXT_WINDOW_TOKENS:
        return failure(400, f"prompt is too long: {tokens} tokens > {CONTEXT_WINDOW_TOKENS} maximum")
    return None


def _json_object(raw: bytes) -> Mapping[str, Any] | None:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _failed(failed: Failure) -> Response:
    body = {"type": "error", "error": {"type": failed.kind, "message": failed.message}}
    return Response(failed.status, body, failed, failed.headers)
