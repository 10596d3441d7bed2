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
from local.loopback import LoopbackServer, QuietHandler
from local.model.answers import ERROR_TYPES

FILE_NAME = "answers.jsonl"
_LONGEST_SECONDS = 900.0
_NOT_PASSED_ON = frozenset({"host", "content-length", "accept-encoding", "connection", "transfer-encoding"})
_PASSED_BACK = frozenset({"content-type", "retry-after", "retry-after-ms", "request-id"})
_DATA = "/data"
Key = tuple[str, int, int, str]
"""Case, repeat, push, part."""
Reply = tuple[int, list[tuple[str, str]], bytes]


class UnreadableTape(ValueError):
    """There is no tape there, or it is none."""


class Tape:
    """A Messages API on 127.0.0.1 that passes on and records, or that plays back; a context manager.

    With `upstream` (an address) everything is passed on, and what was answered with 200 is added to the folder's file.
    Without it the file's answers are given: the one to the very same request, else the next of the same case, repeat,
    push and part. An extraction says nothing but a report, so the same one is answered alike as often as it is asked.
    Headers, and so the key, are never written down. Raises UnreadableTape.
    """

    def __init__(self, folder: Path, course: Course, upstream: str | None = None) -> None:
        self._file = folder / FILE_NAME
        self._course = course
        self._upstream = upstream.rstrip("/") if upstream else None
        self._lock = threading.Lock()
        self._reports: dict[str, Key] = {}
        self._orders: Counter[Key] = Counter()
        self._left: dict[Key, list[dict[str, Any]]] = {}
        self._data: dict[str, dict[str, Any]] = {}
        self.missing: list[str] = []
        if self._upstream is None:
            self._read()
        else:
            folder.mkdir(parents=True, exist_ok=True)
        self._server = _Server(self)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *why: Any) -> None:
        self._server.stop()

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
        key = self._key(understand(request))
        digest = hashlib.sha256(raw).hexdigest()[:16]
        if self._upstream is None:
            return self._play(key, digest)
        sent = {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED_ON}
        try:
            answer = httpx.post(f"{self._upstream}{path}", content=raw, headers=sent, timeout=_LONGEST_SECONDS)
        except httpx.HTTPError as error:
            return _error(502, f"the model cannot be reached: {error!r}")
        if answer.status_code == 200 and key is not None:  # noqa: PLR2004 - HTTP's OK
            self._keep(key, digest, answer.json())
        back = [(name, value) for name, value in answer.headers.items() if name.lower() in _PASSED_BACK]
        return answer.status_code, back, answer.content

    def _key(self, asking: Asking) -> Key | None:
        """Whose request it is; an extraction names nobody and is known by the report that it brings."""
        if asking.kind == "extract":
            with self._lock:
                return self._reports.get(asking.report.strip())
        where = self._course.where(asking.title)
        return None if where is None else (where.case, where.repeat, where.push, asking.part)

    def _keep(self, key: Key, digest: str, answer: dict[str, Any]) -> None:
        with self._lock:
            self._remember(key, answer)
            order, self._orders[key] = self._orders[key], self._orders[key] + 1
            case, repeat, push, part = key
            line = {"case": case, "repeat": repeat, "push": push, "part": part, "order": order}
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps({**line, "request": digest, "answer": answer}) + "\n")

    def _play(self, key: Key | None, digest: str) -> Reply:
        with self._lock:
            left = self._left.get(key, []) if key is not None else []
            line = next((one for one in left if one["request"] == digest), None) or self._data.get(digest)
            line = line or (left[0] if left else None)
            if line is None:
                self.missing.append(f"nothing was recorded for {key or 'this request'}")
                return _error(404, self.missing[-1])
            if line in left:
                left.remove(line)
            if key is not None:
                self._remember(key, line["answer"])
        return 200, [("content-type", "application/json")], json.dumps(line["answer"]).encode()

    def _remember(self, key: Key, answer: dict[str, Any]) -> None:
        """Note whose report this is, so that its extraction is known."""
        said = "".join(block.get("text", "") for block in answer.get("content", ()) if block.get("type") == "text")
        case, repeat, push, part = key
        self._reports[said.strip()] = (case, repeat, push, part.removesuffix(_DATA) + _DATA)

    def _read(self) -> None:
        try:
            lines = [json.loads(line) for line in self._file.read_text(encoding="utf-8").splitlines()]
            for line in sorted(lines, key=lambda one: one["order"]):
                key = (line["case"], line["repeat"], line["push"], line["part"])
                self._left.setdefault(key, []).append(line)
                if line["part"].endswith(_DATA):
                    self._data[line["request"]] = line
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnreadableTape(f"{self._file}: {error!r}") from error


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
