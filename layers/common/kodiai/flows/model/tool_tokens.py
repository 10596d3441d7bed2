"""Tool tokens: how much the tools have shown, about each subject and in all."""

import threading
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from kodiai.core.config.settings import Limits

LEAST_SHOWN = 500
"""With fewer tokens left than this, a limit is reached: each turn of tools sends the whole conversation again."""


@dataclass(frozen=True)
class Subject:
    """The subject of conversations; those about the same share what tools may show, at most these `tool_tokens`."""

    key: Hashable
    tool_tokens: int


class ToolTokens:
    """Counts the tokens that tools show, as estimated; several threads may count."""

    def __init__(self, limits: Limits) -> None:
        self._per_batch = limits.tool_tokens_per_batch
        self._in_all = limits.tool_tokens_per_review
        self._shown: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def most(self, about: Subject | None) -> int:
        """The tokens that all conversations about a subject may be shown."""
        return min(self._per_batch, about.tool_tokens) if about is not None else self._per_batch

    def add(self, about: Subject | None, tokens: int) -> None:
        """Count what was shown."""
        with self._lock:
            self._shown[about] += tokens

    def reached(self, about: Subject | None) -> str | None:
        """The limit that is reached, None if more may be shown."""
        with self._lock:
            if self._shown[about] > self.most(about) - LEAST_SHOWN:
                return "limits/tool-tokens-per-batch"
            return "limits/tool-tokens-per-review" if self._shown.total() > self._in_all - LEAST_SHOWN else None
