"""The lines that the functions logged about the deliveries that they handled: their calls, outcomes and crashes."""

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

MOST_LINES = 50_000
"""The most lines that are remembered, of the newest deliveries: 500 reviews with everything that they lead to."""

_KEPT = frozenset({"call", "outcome"})


class Journal:
    """The lines by delivery, kept in a file of JSON lines, or only in memory where `file` is None.

    A crash that Lambda itself logs names no delivery: it belongs to the one whose invocation it ends. What belongs to
    no delivery is not kept. If there are more lines than `most`, the oldest deliveries are forgotten, whole.
    """

    def __init__(self, file: Path | None, most: int = MOST_LINES) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._deliveries: dict[str, list[str]] = {}
        self._requests: dict[str, str] = {}
        self._lines = 0
        self._file: TextIO | None = None
        if file is not None:
            self._read(file)
            self._file = file.open("a", encoding="utf-8")

    def add(self, line: Mapping[str, Any]) -> None:
        """Keep a line if it is a call, an outcome or a crash; a call that was not answered has the status None."""
        if line.get("message") == "call":
            line = {"status": None, **line}
        elif line.get("message") not in _KEPT and "errorType" not in line and line.get("level") != "ERROR":
            return
        text = json.dumps(line)
        with self._lock:
            if self._remember(line, text) and self._file is not None:
                self._file.write(f"{text}\n")
                self._file.flush()

    def of(self, delivery: str) -> list[Mapping[str, Any]]:
        """The lines of a delivery and of what continues it ("<guid>.1"), oldest first."""
        with self._lock:
            texts = list(self._deliveries.get(_origin(delivery), ()))
        return [json.loads(text) for text in texts]

    def close(self) -> None:
        """Write no more into the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _remember(self, line: Mapping[str, Any], text: str) -> str:
        """Add a line to its delivery, whose GUID is returned; forget the oldest deliveries if there are too many."""
        request = str(line.get("function_request_id") or line.get("requestId") or "")
        origin = _origin(str(line.get("delivery") or self._requests.get(request, "")))
        if not origin:
            return ""
        if request:
            self._requests[request] = origin
        lines = self._deliveries[origin] = self._deliveries.pop(origin, [])  # the newest is the last
        lines.append(text)
        self._lines += 1
        while self._lines > self._most and len(self._deliveries) > 1:
            oldest = next(iter(self._deliveries))
            self._lines -= len(self._deliveries.pop(oldest))
            self._requests = {request: of for request, of in self._requests.items() if of != oldest}
        return origin

    def _read(self, file: Path) -> None:
        """Read what was kept before; what is too old, or was not written whole, is taken out of the file."""
        before = file.read_text("utf-8", errors="replace") if file.exists() else ""
        read = [(self._remember(line, text), text) for text, line in _whole_lines(before)]
        after = "".join(f"{text}\n" for origin, text in read if origin in self._deliveries)
        if after != before:
            new = file.with_name(f"{file.name}.new")
            new.write_text(after, "utf-8")
            new.replace(file)


def _whole_lines(lines: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each line with what it says; the last one is whole where it has ended."""
    for text in lines.split("\n")[:-1]:
        with suppress(ValueError):
            line = json.loads(text)
            if isinstance(line, dict):
                yield text, line


def _origin(delivery: str) -> str:
    return delivery.partition(".")[0]
