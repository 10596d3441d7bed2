"""The emulator's time: the machine's own, plus what a test has added to it."""

import threading
import time
from collections.abc import Callable


class Clock:
    """Tells the time in seconds since the epoch, and lets a test advance it instead of sleeping."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ahead = 0.0
        self._listeners: list[Callable[[], None]] = []

    def now(self) -> float:
        """Return the time in seconds since the epoch."""
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Advance the clock by that many seconds and call everyone who waits for a time to come."""
        with self._lock:
            self._ahead += seconds
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def on_advance(self, listener: Callable[[], None]) -> None:
        """Have `listener` called after each advance, in the thread that advances."""
        with self._lock:
            self._listeners.append(listener)
