"""The prompt cache, by a stated model, and the usage that is told of each request.

Source of the rules: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
"""

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

from local.model.answers import Request
from local.model.tokens import parts_of

LEAST_CACHED_TOKENS = 1024
LOOK_BACK_PARTS = 20
LIFETIME_SECONDS = {"5m": 300.0, "1h": 3600.0}


@dataclass(frozen=True)
class Usage:
    """Tokens of one request: read from the cache, written to it (by lifetime), and the rest; and of its answer."""

    input_tokens: int
    cache_read_input_tokens: int = 0
    written_5m: int = 0
    written_1h: int = 0
    output_tokens: int = 0

    @property
    def cache_creation_input_tokens(self) -> int:
        """Tokens written to the cache, whatever their lifetime."""
        return self.written_5m + self.written_1h


@dataclass(frozen=True)
class Reading:
    """What a request found in the cache, and what is to be remembered once it has been answered."""

    usage: Usage
    prefixes: tuple[tuple[str, str], ...]


class PromptCache:
    """Remembers the prefixes that end at a breakpoint, as long as their lifetime lasts; each use renews it.

    A prefix is found at a breakpoint or up to 20 pieces before one, is never shared between models,
    and is not cached below 1,024 tokens. `clock` gives seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._expiry: dict[str, tuple[float, str]] = {}
        self._lock = threading.Lock()

    def read(self, request: Request) -> Reading:
        """Look up the request's prefixes; nothing is written yet, so that requests at one time do not share."""
        parts = parts_of(request)
        keys = _prefix_keys(str(request["model"]), [part.identity for part in parts])
        ends = list(accumulate(part.tokens for part in parts))
        marks = [(at, part.lifetime) for at, part in enumerate(parts) if part.lifetime]
        marks = [(at, lifetime) for at, lifetime in marks if ends[at] >= LEAST_CACHED_TOKENS]
        found = self._longest_known(keys, [at for at, _ in marks])
        read = ends[found] if found is not None else 0
        long = max([read, *(ends[at] for at, lifetime in marks if lifetime == "1h")])
        short = max([long, *(ends[at] for at, lifetime in marks if lifetime == "5m")])
        total = ends[-1] if ends else 0
        usage = Usage(total - short, read, written_5m=short - long, written_1h=long - read)
        return Reading(usage, tuple((keys[at], lifetime) for at, lifetime in marks if lifetime))

    def remember(self, reading: Reading) -> None:
        """Keep the prefixes of a request that has been answered."""
        now = self._clock()
        with self._lock:
            for key, lifetime in reading.prefixes:
                kept = self._expiry.get(key)
                longest = max(
                    lifetime, kept[1] if kept and kept[0] > now else lifetime, key=LIFETIME_SECONDS.__getitem__
                )
                self._expiry[key] = (now + LIFETIME_SECONDS[longest], longest)

    def _longest_known(self, keys: list[str], marks: list[int]) -> int | None:
        now = self._clock()
        with self._lock:
            for mark in reversed(marks):
                for at in range(mark, max(mark - LOOK_BACK_PARTS, -1), -1):
                    expiry, lifetime = self._expiry.get(keys[at], (now, "5m"))
                    if expiry > now:
                        self._expiry[keys[at]] = (now + LIFETIME_SECONDS[lifetime], lifetime)
                        return at
        return None


def _prefix_keys(model: str, identities: list[str]) -> list[str]:
    digest = hashlib.sha256(model.encode())
    keys = []
    for identity in identities:
        digest.update(f"{len(identity)} ".encode() + identity.encode("utf-8", "surrogatepass"))
        keys.append(digest.hexdigest())
    return keys
