"""A tape of what a real model was asked and said: recorded on the way to it, or played back in its place.

One line of JSON an answer: case, repeat, push, part, order among the like, the request's hash, and the answer.
"""

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import httpx

from evals.asking import Asking, Course, understand
from evals.reel import FILE_NAME, WHOSE_FILE_NAME, Key, Reel
from local.loopback import LoopbackServer, QuietHandler
from local.model.answers import ERROR_TYPES

_LONGEST_SECONDS = 900.0
_NOT_PASSED_ON = frozenset({"host", "content-length", "accept-encoding", "connection", "transfer-encoding"})
_PASSED_BACK = frozenset({"content-type", "retry-after", "retry-after-ms", "request-id"})
Reply = tuple[int, list[tuple[str, str]], bytes]


class Tape:
    """A Messages API on 127.0.0.1 that passes on and records, or that plays back; a context manager.

    With `upstream` (an address) everything is passed on, and what was answered with 200 is added to the folder's file.
    Without it the file's answers are given: the one to the very same request, else the next of the same case, repeat,
    push and part. An extraction says nothing but a report, so the same one is answered alike as often as it is asked.
    Headers, and so the key, are never written down. Raises UnreadableTape.

    `whose` says in a line whose answers they are; it is kept in a file next to them, which may be written by hand.
    """

    def __init__(self, folder: Path, course: Course, upstream: str | None = None, *, whose: str = "") -> None:
        self._file = folder / FILE_NAME
        self._upstream = upstream.rstrip("/") if upstream else None
        self._lock = threading.Lock()
        self._orders: Counter[Key] = Counter()
        if self._upstream is None:
            self._reel = Reel.read(folder, course)
        else:
            self._reel = Reel(course)
            folder.mkdir(parents=True, exist_ok=True)
            if whose:
                (folder / WHOSE_FILE_NAME).write_text(f"{whose}\n", encoding="utf-8")
        self._server = _Server(self)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *why: Any) -> None:
        self._server.stop()

    @property
    def whose(self) -> str:
        """Whose answers are played back, in a line."""
        return self._reel.whose

    @property
    def missing(self) -> list[str]:
        """A line for every answer that was asked for and is not there."""
        return self._reel.missing

    @property
    def url(self) -> str:
        """What a client takes as `ANTHROPIC_BASE_URL`."""
        return self._server.url

    def reply(self, path: str, headers: Mapping[str, str], raw: bytes) -> Reply:
        """Answer one `POST`: from the model, or from the tape."""
        try:
            request = json.loads(raw)
        except ValueError:
            return _error(400, "the request is not JSON")
        asking = understand(request)
        digest = hashlib.sha256(raw).hexdigest()[:16]
        if self._upstream is None:
            return self._play(asking, digest)
        sent = {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON}
        try:
            answer = httpx.post(f"{self._upstream}{path}", content=raw, headers=sent, timeout=_LONGEST_SECONDS)
        except httpx.HTTPError as error:
            return _error(502, f"the model cannot be reached: {error!r}")
        key = self._reel.key(asking)
        if answer.status_code == 200 and key is not None:  # noqa: PLR2004 - HTTP's OK
            self._keep(key, digest, answer.json())
        back = [(name, value) for name, value in answer.headers.items() if name.lower() in _PASSED_BACK]
        return answer.status_code, back, answer.content

    def _keep(self, key: Key, digest: str, answer: dict[str, Any]) -> None:
        self._reel.remember(key, answer)
        with self._lock:
            order, self._orders[key] = self._orders[key], self._orders[key] + 1
            case, repeat, push, part = key
            line = {"case": case, "repeat": repeat, "push": push, "part": part, "order": order}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "request": digest, "answer": answer}) + "\n")

    def _play(self, asking: Asking, digest: str) -> Reply:
        answer = self._reel.next(asking, digest)
        if answer is None:
            return _error(404, self.missing[-1])
        return 200, [("content-type", "application/json")], json.dumps(answer).encode()


def _error(status: int, message: str) -> Reply:
    body = {"type": "error", "error": {"type": ERROR_TYPES.get(status, "api_error"), "message": message}}
    return status, [("content-type", "application/json")], json.dumps(body).encode()


class _Server(LoopbackServer):
    daemon_threads = True

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        super().__init__(_Door)


class _Door(QuietHandler):
    server: _Server

    def do_POST(self) -> None:  # noqa: N802 - a name that http.server looks for
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        status, headers, body = self.server.tape.reply(self.path, dict(self.headers.items()), raw)
        self.answer(status, headers, body)
