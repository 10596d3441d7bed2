"""Follows a webhook delivery through the functions' logs until it has an outcome."""

import math
import queue
import time
from collections.abc import Callable, Mapping
from typing import Any, Literal

LogLine = Mapping[str, Any]
FunctionName = Literal["ReviewFunction", "MentionFunction"]

_INGEST = "IngestFunction"
_TICK_SECONDS = 0.2
_KILLED_SECONDS = 660.0
"""The time for which the message of a killed function is hidden: docs/decisions/0003-visibility-timeout.md."""

REVIEWING = "reviewing"
_DELIVERING = "delivering the webhook"
_WORKING: Mapping[FunctionName, str] = {"ReviewFunction": REVIEWING, "MentionFunction": "answering"}


class DeliveryFailed(Exception):
    """A delivery failed, or took too long; the text says why, on one line."""


class Follower:
    """Listens to every log line of a running system from now on.

    With `end_waits`, failed attempts wait no longer than `patience_seconds` in all: then it is called until the last
    attempt begins, and has to see to that.
    """

    def __init__(
        self,
        on_log: Callable[[Callable[[LogLine], None]], None],
        end_waits: Callable[[], None] | None = None,
        patience_seconds: float = 0.0,
    ) -> None:
        self._end_waits = end_waits
        self._patience = patience_seconds
        self._last_attempt_at = math.inf
        self._lines: queue.Queue[LogLine] = queue.Queue()
        self._kept: list[LogLine] = []
        on_log(self._hear)

    def outcome(
        self,
        delivery: str,
        timeout_seconds: float,
        report: Callable[[str], None],
        *,
        of: FunctionName = "ReviewFunction",
        known: str = _DELIVERING,
    ) -> LogLine:
        """Wait for the line with the outcome of a delivery; `report` is called with the current step meanwhile.

        It is a line of the function `of`, or of ingest, where that queued nothing. Outcomes that other functions log
        for the delivery meanwhile are kept for the next call. Raises DeliveryFailed.
        """
        end = time.monotonic() + timeout_seconds + self._patience
        kept, self._kept = self._kept, []
        while time.monotonic() < end:
            report(known)
            if self._end_waits is not None and time.monotonic() >= self._last_attempt_at:
                self._end_waits()
            line = kept.pop(0) if kept else self._next()
            if line is None or line.get("message") != "outcome" or not _is_about(line, delivery):
                if crash := _crash(line):
                    known = self._waiting(crash, _KILLED_SECONDS)
                continue
            if line.get("function") not in (of, _INGEST):
                self._kept.append(line)
                continue
            self._last_attempt_at = math.inf
            match line["outcome"]:
                case "queued" | "continued" | "superseded" | "waiting":
                    known = _WORKING[of]
                case "retry" | "crashed" if not line.get("buried"):
                    known = self._waiting(line["reason"], line["after_seconds"])
                case "retry" | "crashed" | "broken" | "unavailable":
                    raise DeliveryFailed(f"{line['reason']} {line.get('cause', '')}".strip())
                case _:
                    return line
        raise DeliveryFailed(f"no outcome after {timeout_seconds:.0f} seconds: {known}")

    def _waiting(self, why: str, seconds: float) -> str:
        """Say how long the next attempt waits."""
        which = "again"
        if self._end_waits is not None:
            if seconds > self._patience:
                which, seconds = "for the last time", self._patience
                self._last_attempt_at = time.monotonic() + seconds
            self._patience -= seconds
        return f"waiting {seconds:.0f} s to try {which}: {why}"

    def _hear(self, line: LogLine) -> None:
        """Keep what may be asked for, which is little of what is logged."""
        if line.get("message") == "outcome" or _crash(line):
            self._lines.put(line)

    def _next(self) -> LogLine | None:
        try:
            return self._lines.get(timeout=_TICK_SECONDS)
        except queue.Empty:
            return None


def _is_about(line: LogLine, delivery: str) -> bool:
    """Whether a line is of this delivery, or of a message that continues it ("<guid>.1")."""
    return str(line.get("delivery", "")).partition(".")[0] == delivery


def _crash(line: LogLine | None) -> str | None:
    """Lambda's line about a function that was killed, which logs no outcome; None for any other line."""
    text = str(line.get("text") or line.get("errorMessage") or "") if line else ""
    is_crash = line and ("errorType" in line or "Error" in text or "timed out" in text)
    return " ".join(text.split())[:200] if is_crash else None
