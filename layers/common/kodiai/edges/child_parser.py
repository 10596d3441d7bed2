"""Parses hostile files in a child process, which may run out of memory or time without harm to anybody.

A grammar can need a gigabyte for ten kilobytes, within one step that nothing in its own process can stop.
"""

import hashlib
import json
import threading
import time
from collections.abc import Collection, Sequence
from typing import Any, Generic, Self, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from kodiai.core.changes.kinds import is_markdown
from kodiai.core.code.comments import LineSpan
from kodiai.core.code.data import DataShape
from kodiai.core.code.identifiers import Identifier
from kodiai.core.code.language import language_of
from kodiai.core.code.names import BoundNames
from kodiai.core.code.outline import Outline, guessed_outline
from kodiai.core.code.references import Reference
from kodiai.core.code.statements import ChangedCode
from kodiai.edges.parser_process import LENGTH_BYTES
from kodiai.edges.parser_server import ParserServer
from kodiai.telemetry import logger

_SECONDS = 10.0
_ALL_SECONDS = 60.0
_LARGEST_FILE = 2_000_000  # characters; no parser reads more
_LARGEST_ANSWER = 8 * 1024 * 1024

T = TypeVar("T")


@dataclass(frozen=True)
class _Answer(Generic[T]):
    """The output of the process: an answer, or the text of a ValueError."""

    answer: T | None = None
    error: str | None = None


_OUTLINE = TypeAdapter(_Answer[Outline])
_FIRST_ERROR = TypeAdapter(_Answer[int])
_HAS_NEW_ERROR = TypeAdapter(_Answer[bool])
_IDENTIFIERS = TypeAdapter(_Answer[tuple[Identifier, ...]])
_BOUND_NAMES = TypeAdapter(_Answer[BoundNames])
_REFERENCES = TypeAdapter(_Answer[tuple[Reference, ...]])
_SPANS = TypeAdapter(_Answer[tuple[LineSpan, ...]])
_CHANGED_CODE = TypeAdapter(_Answer[ChangedCode])
_SHAPE = TypeAdapter(_Answer[DataShape])


class ChildParser:
    """The `CodeParser` of one invocation; its process begins with the first question, and ends with the invocation.

    A file that is over the limits of memory, time or size counts as one without a grammar from then on. If all files
    together take too long, so do all that follow. Several threads may ask; they wait for each other.
    """

    def __init__(self, server: ParserServer, seconds: float = _SECONDS, all_seconds: float = _ALL_SECONDS) -> None:
        """Wait this number of seconds for one answer, and for all; the largest reviews need a few seconds for all."""
        self._server = server
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._seconds = seconds
        self._seconds_left = all_seconds
        self._unparsable: set[bytes] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def outline(self, path: str, lines: Sequence[str]) -> Outline:
        found = self._ask(_OUTLINE, "outline", path, lines) if language_of(path) else None
        return guessed_outline(path, lines) if found is None or found.answer is None else found.answer

    def first_error(self, path: str, lines: Sequence[str]) -> int | None:
        return self._told(_FIRST_ERROR, "first_error", path, lines)

    def has_new_error(self, path: str, lines: Sequence[str], then: Sequence[str]) -> bool:
        found = self._told(_HAS_NEW_ERROR, "has_new_error", path, lines, then=then)
        return found is True

    def identifiers(
        self, path: str, lines: Sequence[str], wanted: Collection[int], *, only_called: bool = False
    ) -> tuple[Identifier, ...] | None:
        more = {"wanted": list(wanted), "only_called": only_called}
        found = self._ask(_IDENTIFIERS, "identifiers", path, lines, **more) if language_of(path) else None
        return found.answer if found else None

    def bound_names(self, path: str, lines: Sequence[str], wanted: Collection[str]) -> BoundNames | None:
        found = self._ask(_BOUND_NAMES, "bound_names", path, lines, wanted=list(wanted)) if language_of(path) else None
        return found.answer if found else None

    def references(self, path: str, lines: Sequence[str]) -> tuple[Reference, ...]:
        can_tell = language_of(path) or is_markdown(path)
        found = self._ask(_REFERENCES, "references", path, lines) if can_tell else None
        return (found.answer or ()) if found else ()

    def comment_spans(self, path: str, lines: Sequence[str], *, docstrings: bool) -> tuple[LineSpan, ...]:
        found = self._ask(_SPANS, "comment_spans", path, lines, docstrings=docstrings) if language_of(path) else None
        return (found.answer or ()) if found else ()

    def changed_code(self, path: str, lines: Sequence[str], then: Sequence[str]) -> ChangedCode | None:
        found = self._ask(_CHANGED_CODE, "changed_code", path, lines, then=then) if language_of(path) else None
        return found.answer if found else None

    def shape(self, path: str, lines: Sequence[str]) -> DataShape | None:
        found = self._ask(_SHAPE, "shape", path, lines)
        if found is not None and found.error is not None:
            raise ValueError(found.error)
        return found.answer if found else None

    def _told(
        self, answer: TypeAdapter[_Answer[T]], question: str, path: str, lines: Sequence[str], **more: Any
    ) -> T | None:
        """The answer about errors. Raises ValueError if there is none."""
        found = self._ask(answer, question, path, lines, **more) if language_of(path) else None
        if found is None or found.error is not None:
            raise ValueError(found.error if found else "no grammar reads it")
        return found.answer

    def _ask(
        self, answer: TypeAdapter[_Answer[T]], question: str, path: str, lines: Sequence[str], **more: Any
    ) -> _Answer[T] | None:
        """Ask the process; None if it cannot answer within the limits."""
        if sum(map(len, lines)) + len(lines) > _LARGEST_FILE:
            return None
        asked = json.dumps({"question": question, "path": path, "lines": lines, **more}).encode()
        with self._lock:
            if self._seconds_left <= 0 or (self._unparsable and _key(path, lines) in self._unparsable):
                return None
            began = time.monotonic()
            try:
                self._server.languages |= {language} if (language := language_of(path)) else set()
                self._child = self._child or _Child(self._server)
                return answer.validate_json(self._child.ask(asked, min(self._seconds, self._seconds_left)))
            except (OSError, ValidationError) as error:
                self._unparsable.add(_key(path, lines))
                logger.warning("not parsed", extra={"path": path, "bytes": len(asked), "why": type(error).__name__})
                self._end()
                return None
            finally:
                self._seconds_left -= time.monotonic() - began

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def _key(path: str, lines: Sequence[str]) -> bytes:
    return hashlib.sha256(json.dumps([path, lines]).encode()).digest()


class _Child:
    """A process that parses."""

    def __init__(self, server: ParserServer) -> None:
        self._server = server
        self._socket = server.begin()

    def ask(self, question: bytes, seconds: float) -> bytes:
        """Send a question and wait for its answer. Raises OSError if there is none in time."""
        until = time.monotonic() + seconds
        self._socket.settimeout(seconds)
        self._socket.sendall(len(question).to_bytes(LENGTH_BYTES) + question)
        length = int.from_bytes(self._read(LENGTH_BYTES, until))
        if length > _LARGEST_ANSWER:
            raise OSError("the answer is too long")
        return self._read(length, until)

    def _read(self, length: int, until: float) -> bytes:
        read = bytearray()
        while len(read) < length:
            self._socket.settimeout(max(until - time.monotonic(), 0.001))
            part = self._socket.recv(length - len(read))
            if not part:
                raise ConnectionError("the process has ended")
            read += part
        return bytes(read)

    def end(self) -> None:
        """End the process, and free what belongs to it."""
        self._server.end()
        self._socket.close()
