"""The output of one process and its children: a pipe that is read line by line."""

import os
import threading
from collections.abc import Callable

_MARK = b"\x00end "


class Output:
    """The pipe for a process; `on_line` gets each line, from the thread that runs `read`."""

    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._reading, self.writing = os.pipe()
        self._lock = threading.Lock()
        self._closed = False
        self._marks: dict[bytes, threading.Event] = {}
        self._ended = threading.Event()

    def read(self) -> None:
        """Pass on every line until nobody can write any more."""
        with os.fdopen(self._reading, "rb") as lines:
            for line in lines:
                if line.startswith(_MARK):
                    if (seen := self._marks.get(line.rstrip(b"\n"))) is not None:
                        seen.set()
                elif text := line.decode("utf-8", "replace").replace("\r", "\n").rstrip():
                    self._on_line(text)
        self._ended.set()

    def await_lines(self, name: str) -> None:
        """Wait until everything that was written before has been passed on; `name` is of no other wait."""
        mark = _MARK + name.encode()
        seen = self._marks.setdefault(mark, threading.Event())
        with self._lock:
            if self._closed:
                seen.set()
            else:
                os.write(self.writing, b"\n" + mark + b"\n")
        while not seen.wait(0.2) and not self._ended.is_set():
            pass
        del self._marks[mark]

    def close(self) -> None:
        """Write no more from here: the reading ends when the process and its children are gone."""
        with self._lock:
            self._closed = True
            os.close(self.writing)
