"""The prompt cache, by a stated model, and the usage that is reported of each request.

Source of the rules: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
Nothing expires with time: no run of the stand-in is compared with one that lasts longer than the real cache.
"""

import hashlib
import threading
from dataclasses import dataclass
from itertools import accumulate, islice

from local.model.answers import Request
from local.model.tokens import parts_of

LEAST_CACHED_TOKENS = 1024
LOOK_BACK_PARTS = 20
_MOST_PREFIXES = 20_000


@dataclass(frozen=True)
class Usage:
    """Tokens of one request: read from the cache, written to it (some for an hour), and the rest.

    Those of its answer count the ones with which the model thought.
    """

    input_tokens: int
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0
    output_tokens: int = 0
    hour_input_tokens: int = 0
    thinking_tokens: int = 0

    def as_json(self) -> dict[str, object]:
        """Give the `usage` of a message."""
        shortly = self.cache_creation_input_tokens - self.hour_input_tokens
        written = {"ephemeral_5m_input_tokens": shortly, "ephemeral_1h_input_tokens": self.hour_input_tokens}
        parts = ("hour_input_tokens", "thinking_tokens")
        counted = {name: value for name, value in vars(self).items() if name not in parts}
        details = {"thinking_tokens": self.thinking_tokens}
        return {**counted, "cache_creation": written, "output_tokens_details": details, "service_tier": "standard"}


@dataclass(frozen=True)
class CacheRead:
    """The part of a request that was in the cache, and the prefixes to remember once it has been answered."""

    usage: Usage
    prefixes: tuple[str, ...]


class PromptCache:
    """Remembers the prefixes that end at a breakpoint.

    A prefix is found at a breakpoint or up to 20 pieces before one, is never shared between models,
    and is not cached below 1,024 tokens.
    """

    def __init__(self) -> None:
        self._known: dict[str, None] = {}
        self._lock = threading.Lock()

    def read(self, request: Request) -> CacheRead:
        """Look up the request's prefixes; nothing is written yet, so that requests at one time do not share."""
        parts = parts_of(request)
        keys = _prefix_keys(str(request["model"]), [part.identity for part in parts])
        ends = list(accumulate(part.tokens for part in parts))
        marks = [at for at, part in enumerate(parts) if part.ends_prefix and ends[at] >= LEAST_CACHED_TOKENS]
        read = self._longest_known(keys, ends, marks)
        cached = max([read, *(ends[at] for at in marks)])
        total = ends[-1] if ends else 0
        long = max([read, *(ends[at] for at in marks if parts[at].for_an_hour)])
        usage = Usage(total - cached, read, cached - read, hour_input_tokens=long - read)
        return CacheRead(usage, tuple(keys[at] for at in marks))

    def remember(self, reading: CacheRead) -> None:
        """Keep the prefixes of a request that has been answered."""
        with self._lock:
            self._known |= dict.fromkeys(reading.prefixes)
            for oldest in list(islice(self._known, max(0, len(self._known) - _MOST_PREFIXES))):
                del self._known[oldest]

    def _longest_known(self, keys: list[str], ends: list[int], marks: list[int]) -> int:
        """The tokens of the longest prefix that is known."""
        with self._lock:
            for mark in reversed(marks):
                for at in range(mark, max(mark - LOOK_BACK_PARTS, -1), -1):
                    if keys[at] in self._known:
                        return ends[at]
        return 0


def _prefix_keys(model: str, identities: list[str]) -> list[str]:
    digest = hashlib.sha256(model.encode())
    keys = []
    for identity in identities:
        digest.update(f"{len(identity)} ".encode() + identity.encode("utf-8", "surrogatepass"))
        keys.append(digest.hexdigest())
    return keys
