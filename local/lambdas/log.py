"""Collects what the functions write, one line after another."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from local.recent import Recent

Line = dict[str, Any]
_MOST_LINES, _MOST_BYTES = 50_000, 4_000_000  # of text: in memory a line is five times as large


class Log:
    """The lines of all functions in the order in which they came.

    A line that is a JSON object is kept as one, with "function" added; any other is kept as "text".
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.lines: Recent[Line] = Recent(_MOST_LINES, _MOST_BYTES)
        self._callbacks: list[Callable[[Mapping[str, Any]], None]] = []

    def on_line(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        """Have the callback called with each further line, from a thread of the function that wrote it.

        A callback that raises is not called again, and its error becomes a line.
        """
        with self._lock:
            self._callbacks.append(callback)

    def add(self, function: str, text: str) -> None:
        """Keep one line of a function."""
        line = _parsed(text) | {"function": function}
        with self._lock:
            self.lines.append(line, len(text))
            callbacks = list(self._callbacks)
        for callback in callbacks:
            try:
                callback(line)
            except Exception as error:  # a failing listener must not stop the function
                self._drop(callback, function, error)

    def _drop(self, callback: Callable[[Mapping[str, Any]], None], function: str, error: Exception) -> None:
        with self._lock:
            self._callbacks.remove(callback)
            self.lines.append({"function": function, "text": f"a log callback failed: {error!r}"})


def _parsed(text: str) -> Line:
    try:
        line = json.loads(text)
    except ValueError:
        return {"text": text}
    return line if isinstance(line, dict) else {"text": text}
