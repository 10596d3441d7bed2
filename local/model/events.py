"""An answer as the stream of server-sent events that a request with `stream` is answered with.

Source: https://platform.claude.com/docs/en/api/messages-streaming.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def events_of(message: Mapping[str, Any]) -> Iterator[bytes]:
    """Give a whole message as events; each block is sent in one delta."""
    opening = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield _event("message_start", message=opening)
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=ending, usage={"output_tokens": message["usage"]["output_tokens"]})
    yield _event("message_stop")


def _block(index: int, block: Mapping[str, Any]) -> Iterator[bytes]:
    if block["type"] == "tool_use":
        start: Mapping[str, Any] = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        start = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    yield _event("content_block_start", index=index, content_block=start)
    yield _event("content_block_delta", index=index, delta=delta)
    yield _event("content_block_stop", index=index)


def _event(name: str, **fields: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()
