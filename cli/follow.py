"""Following a delivery through the functions' logs until it has come to something."""

import queue
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

LogLine = Mapping[str, Any]
FunctionName = Literal["ReviewFunction", "MentionFunction"]

_INGEST = "IngestFunction"
_TICK_SECONDS = 0.2
REVIEWING = "reviewing"
_DELIVERING = "delivering the webhook"
_AT_WORK: Mapping[FunctionName, str] = {"ReviewFunction": REVIEWING, "MentionFunction": "answering"}


class Unfinished(Exception):
    """A delivery did not come to an end; the text says why, on one line."""


class Follower:
    """Listens to every log line of a running system from now on."""

    def __init__(self, on_log: Callable[[Callable[[LogLine], None]], None]) -> None:
        self._lines: queue.Queue[LogLine] = queue.Queue()
        self._passed: list[LogLine] = []
        on_log(self._lines.put)

    def outcome(
        self,
        delivery: str,
        timeout_seconds: float,
        tick: Callable[[str], None],
        *,
        of: FunctionName = "ReviewFunction",
        known: str = _DELIVERING,
    ) -> LogLine:
        """Wait for the line that says what became of a delivery; `tick` is told what is known meanwhile.

        It is a line of the function `of`, or of ingest, where that put nothing in line. What other functions said of
        the delivery meanwhile is kept for the next question. Raises Unfinished where it broke or took too long.
        """
        end = time.monotonic() + timeout_seconds
        passed, self._passed = self._passed, []
        while time.monotonic() < end:
            tick(known)
            line = passed.pop(0) if passed else self._next()
            if line is None or line.get("message") != "outcome" or not _is_about(line, delivery):
                known = _trouble(line) or known
                continue
            if line.get("function") not in (of, _INGEST):
                self._passed.append(line)
                continue
            match line["outcome"]:
                case "queued" | "continued" | "superseded" | "waiting":
                    known = _AT_WORK[of]
                case "retry" | "crashed" if not line.get("buried"):
                    known = f"waiting to try again: {line['reason']}"
                case "retry" | "crashed" | "broken" | "unavailable":
                    raise Unfinished(f"{line['reason']} {line.get('cause', '')}".strip())
                case _:
                    return line
        raise Unfinished(f"no outcome after {timeout_seconds:.0f} seconds: {known}")

    def _next(self) -> LogLine | None:
        try:
            return self._lines.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            return None


def _is_about(line: LogLine, delivery: str) -> bool:
    """Whether a line is of this delivery, or of a message that continues it ("<guid>.1")."""
    return str(line.get("delivery", "")).partition(".")[0] == delivery


def _trouble(line: LogLine | None) -> str | None:
    """A function that dies writes no outcome; what it wrote instead is shown while the queue tries again."""
    text = str(line.get("text") or line.get("errorMessage") or "") if line else ""
    return (
        f"trouble: {text.strip()[:200]}"
        if line and ("errorType" in line or "Error" in text or "timed out" in text)
        else None
    )
