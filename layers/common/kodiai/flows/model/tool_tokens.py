"""Tool tokens: how much the tools have shown, about each batch of changes and in all."""

import threading
from collections import Counter
from collections.abc import Hashable

from kodiai.core.settings import Limits


class ToolTokens:
    """Counts the tokens that tools show, as estimated; several threads may count.

    `about` is what a conversation is about: those about the same share one limit.
    """

    def __init__(self, limits: Limits) -> None:
        self.per_batch = limits.tool_tokens_per_batch
        self._in_all = limits.tool_tokens_per_review
        self._shown: Counter[Hashable] = Counter()
        self._lock = threading.Lock()

    def add(self, about: Hashable, tokens: int) -> None:
        """Count what was shown."""
        with self._lock:
            self._shown[about] += tokens

    def reached(self, about: Hashable) -> str | None:
        """The limit that is reached, None if more may be shown."""
        with self._lock:
            if self._shown[about] >= self.per_batch:
                return "limits/tool-tokens-per-batch"
            return "limits/tool-tokens-per-review" if self._shown.total() >= self._in_all else None
