"""The rules of the Messages API for a request beyond its types.

Source: https://platform.claude.com/docs/en/api/messages and the pages on tool use, prompt caching and effort.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from local.model.answers import Request

MOST_CACHE_BREAKPOINTS = 4
WITHOUT_EFFORT = "claude-haiku-4-5"
"""The model that takes no effort, and thinks only if a request says so."""


def broken_rules(request: Request) -> Iterator[str]:
    """Say each rule that a request of the right types breaks."""
    yield from _turns(request)
    yield from _tool_results(request)
    yield from _texts(request)
    yield from _tools(request)
    yield from _breakpoints(request)
    yield from _lifetimes(request)
    yield from _plain_answers(request)


def _turns(request: Request) -> Iterator[str]:
    """A conversation begins and ends with the user; turns of one side in a row are taken as one, as the API does."""
    messages = request["messages"]
    if not messages:
        yield "messages: at least one message is required"
    elif messages[0]["role"] != "user":
        yield "messages.0: the first message must use the user role"
    elif messages[-1]["role"] == "assistant":
        yield "messages: the conversation must end with a user message; this model does not support prefill"


def _tool_results(request: Request) -> Iterator[str]:
    """Each tool_use is answered once, in the very next turn, before any other block of it."""
    asked: list[str] = []
    seen: set[str] = set()
    for role, blocks in turns(request):
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if missing := [name for name in asked if name not in results]:
            yield f"messages: tool_use ids without tool_result blocks in the turn after them: {', '.join(missing)}"
        if strange := [name for name in results if name not in asked]:
            yield f"messages: tool_result blocks for ids that the turn before does not ask for: {', '.join(strange)}"
        if len(set(results)) < len(results):
            yield "messages: more than one tool_result for a tool_use id"
        if role == "user" and any(block["type"] != "tool_result" for block in blocks[: len(results)]):
            yield "messages: tool_result blocks must come first in their turn"
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if seen.intersection(asked) or len(set(asked)) < len(asked):
            yield "messages: tool_use ids must be unique"
        seen.update(asked)


def turns(request: Request) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Give the conversation's turns, each with its content as blocks and neighbours of one role joined."""
    role, blocks = "", list[Mapping[str, Any]]()
    for message in request["messages"]:
        if message["role"] != role and role:
            yield role, blocks
            blocks = []
        role = message["role"]
        blocks = [*blocks, *as_blocks(message["content"])]
    if role:
        yield role, blocks


def as_blocks(content: str | list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Give content in its long form: a plain string is one text block."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _texts(request: Request) -> Iterator[str]:
    system = as_blocks(request.get("system", []))
    spoken = [block for _, blocks in turns(request) for block in blocks]
    if any(block["type"] == "text" and not block["text"].strip() for block in [*system, *spoken]):
        yield "messages: text content blocks must hold more than white space"


def _tools(request: Request) -> Iterator[str]:
    used = any(block["type"] in {"tool_use", "tool_result"} for _, blocks in turns(request) for block in blocks)
    if not request.get("tools") and (used or "tool_choice" in request):
        yield "tools: requests with tool_use, tool_result or tool_choice must define tools"


def _breakpoints(request: Request) -> Iterator[str]:
    found = sum(1 for marker in _markers(request) if marker)
    if found > MOST_CACHE_BREAKPOINTS:
        yield f"at most {MOST_CACHE_BREAKPOINTS} blocks may have cache_control; found {found}"


def _lifetimes(request: Request) -> Iterator[str]:
    """Breakpoints with a lifetime of an hour come before those with five minutes."""
    found = [marker.get("ttl", "5m") for marker in _markers(request) if marker]
    if found != sorted(found):
        yield "cache_control with a ttl of 1h must come before one with a ttl of 5m"


def _markers(request: Request) -> Iterator[Mapping[str, Any] | None]:
    for part in [*request.get("tools", []), *as_blocks(request.get("system", []))]:
        yield part.get("cache_control")
    for _, blocks in turns(request):
        for block in blocks:
            yield block.get("cache_control")
    yield request.get("cache_control")


def _plain_answers(request: Request) -> Iterator[str]:
    """Structured output, which Bedrock takes for a few models only, is refused for all; so is an effort for one."""
    output = request.get("output_config") or {}
    if output.get("format"):
        yield "output_config.format: Extra inputs are not permitted"
    if output.get("effort") and WITHOUT_EFFORT in request["model"]:
        yield "This model does not support the effort parameter."
