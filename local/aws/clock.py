"""The emulator's time: the machine's own, plus what a test has turned it forward."""

import threading
import time
from collections.abc import Callable


class Clock:
    """Tell the time in seconds since the epoch, and let a test turn it forward instead of sleeping."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ahead = 0.0
        self._listeners: list[Callable[[], None]] = []

    def now(self) -> float:
        """Return the time in seconds since the epoch."""
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        """Turn the clock forward by that many seconds and tell everyone who waits for a time to come."""
        if seconds < 0:
            raise ValueError("time only goes forward")
        with self._lock:
            self._ahead += seconds
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def when_turned(self, listener: Callable[[], None]) -> None:
        """Have `listener` called after each turn."""
        with self._lock:
            self._listeners.append(listener)
