"""Thinking as the API gives and takes it: counted as output, and signed over everything that it comes behind.

Sources: https://platform.claude.com/docs/en/build-with-claude/thinking and
https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from local.model.answers import Block, Request
from local.model.request_rules import WITHOUT_EFFORT, as_blocks

# A stated model: the service says only that a higher effort takes more, and that "high" counts where none is sent.
_TOKENS = {"low": 100, "medium": 400, "high": 1_000, "xhigh": 2_000, "max": 4_000}


def thinking_tokens(request: Request) -> int:
    """The tokens that the model of a request thinks with unless a script says otherwise."""
    if WITHOUT_EFFORT in request["model"]:
        return 0
    return _TOKENS[(request.get("output_config") or {}).get("effort") or "high"]


def thought(request: Request) -> Block:
    """The thinking block of an answer; its text is not shown."""
    prefix = _Prefix(request)
    for message in request["messages"]:
        for block in as_blocks(message["content"]):
            prefix.add(message["role"], block)
    return {"type": "thinking", "thinking": "", "signature": prefix.signature}


def misplaced_thinking(request: Request) -> Iterator[str]:
    """Say which thinking stands behind something else than it came behind."""
    prefix = _Prefix(request)
    for at, message in enumerate(request["messages"]):
        for place, block in enumerate(as_blocks(message["content"])):
            if block["type"] == "thinking" and block["signature"] != prefix.signature:
                yield (
                    f"messages.{at}.content.{place}: Invalid `signature` in `thinking` block. The block is bound to a "
                    "different conversation. Remove the block, or set "
                    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
                )
            prefix.add(message["role"], block)


class _Prefix:
    def __init__(self, request: Request) -> None:
        self._digest = hashlib.sha256()
        for block in [*request.get("tools", []), *as_blocks(request.get("system", []))]:
            self.add("before", block)

    def add(self, place: str, block: Mapping[str, Any]) -> None:
        bare = {name: value for name, value in block.items() if name != "cache_control"}
        self._digest.update(json.dumps([place, bare], sort_keys=True).encode())

    @property
    def signature(self) -> str:
        return f"signed-{self._digest.hexdigest()}"
