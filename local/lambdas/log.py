"""Collects what the functions write, one line after another."""

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

Line = dict[str, Any]


class Log:
    """The lines of all functions in the order in which they came.

    A line that is a JSON object is kept as one, with "function" added; any other is kept as "text".
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        self._callbacks: list[Callable[[Mapping[str, Any]], None]] = []

    @property
    def lines(self) -> list[Line]:
        """All lines until now."""
        with self._lock:
            return list(self._lines)

    def on_line(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        """Has each further line told to the callback, from a thread of the function that wrote it."""
        with self._lock:
            self._callbacks.append(callback)

    def add(self, function: str, text: str) -> None:
        """Keeps one line of a function."""
        line = _parsed(text) | {"function": function}
        with self._lock:
            self._lines.append(line)
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback(line)


def _parsed(text: str) -> Line:
    try:
        line = json.loads(text)
    except ValueError:
        return {"text": text}
    return line if isinstance(line, dict) else {"text": text}
