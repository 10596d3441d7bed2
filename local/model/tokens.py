"""The number of tokens that a request and an answer have.

A stated model, not Anthropic's tokenizer: a text has as many tokens as a quarter of its UTF-8 bytes, rounded up.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from local.model.answers import Block, Request
from local.model.request_rules import as_blocks

BYTES_PER_TOKEN = 4


@dataclass(frozen=True)
class PromptPart:
    """One cacheable piece of a request: a tool, a system block, or a content block.

    `identity` is what a cached prefix is compared by, `ends_prefix` whether it has a cache breakpoint, `for_an_hour`
    whether that keeps it for an hour.
    """

    identity: str
    tokens: int
    ends_prefix: bool
    for_an_hour: bool = False


def tokens_in(text: str) -> int:
    """Count the tokens of a text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def parts_of(request: Request) -> list[PromptPart]:
    """Give a request's pieces in the order in which the API reads them: tools, system, messages.

    A `cache_control` of the whole request is on its last piece.
    """
    parts = list(_parts(request))
    if request.get("cache_control") and parts:
        parts[-1] = replace(parts[-1], ends_prefix=True, for_an_hour=_is_long(request))
    return parts


def output_tokens(content: Iterable[Block]) -> int:
    """Count the tokens of an answer's blocks; the ids of tool calls are not the model's words."""
    return sum(tokens_in(_words({name: value for name, value in block.items() if name != "id"})) for block in content)


def _parts(request: Request) -> Iterator[PromptPart]:
    for tool in request.get("tools", []):
        yield _part("tool", tool)
    for block in as_blocks(request.get("system", [])):
        yield _part("system", block)
    for message in request["messages"]:
        for block in as_blocks(message["content"]):
            yield _part(message["role"], block)


def _part(place: str, block: Mapping[str, Any]) -> PromptPart:
    bare = {name: value for name, value in block.items() if name != "cache_control"}
    identity = f"{place} {_compact(bare)}"
    return PromptPart(identity, tokens_in(_words(bare)), bool(block.get("cache_control")), _is_long(block))


def _is_long(marked: Mapping[str, Any]) -> bool:
    return (marked.get("cache_control") or {}).get("ttl") == "1h"


def _words(block: Mapping[str, Any]) -> str:
    """The text that counts: a text block's text, a tool result's text, any other block's compact JSON."""
    if block.get("type") == "text":
        return str(block["text"])
    if block.get("type") == "tool_result":
        return "".join(_words(part) for part in as_blocks(block.get("content", [])))
    return _compact(block)


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
