"""The Lambda Runtime API for one process: it asks for the next event and posts what came of it.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import queue
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from local.loopback import LoopbackServer, QuietHandler

_ROOT = "/2018-06-01/runtime"
_FORK = "restored/"  # a fork names itself so in its User-Agent, with the request id it is for
_JSON = [("Content-Type", "application/json")]


@dataclass(frozen=True)
class Result:
    """What came of an invocation: the function's JSON, or its error as {"errorType", "errorMessage", …}."""

    payload: bytes
    failed: bool = False
    timed_out: bool = False

    @classmethod
    def failure(cls, kind: str, text: str, *, timed_out: bool = False) -> "Result":
        """Returns an error that the platform, not the function, has to tell."""
        return cls(json.dumps({"errorType": kind, "errorMessage": text}).encode(), failed=True, timed_out=timed_out)


@dataclass
class Invocation:
    """One event on its way through a process; the clock of its deadline starts when the process takes it."""

    event: bytes
    function_arn: str
    timeout: float
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    process_id: int | None = None
    taken: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    result: Result | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def finish(self, result: Result) -> None:
        """Takes the first result; a later one is too late."""
        with self._lock:
            if self.result is None:
                self.result = result
        self.done.set()
        self.taken.set()

    def headers(self) -> list[tuple[str, str]]:
        """Returns the headers that tell the process what it is asked to do."""
        deadline = int((time.time() + self.timeout) * 1000)
        return [
            *_JSON,
            ("Lambda-Runtime-Aws-Request-Id", self.request_id),
            ("Lambda-Runtime-Deadline-Ms", str(deadline)),
            ("Lambda-Runtime-Invoked-Function-Arn", self.function_arn),
            ("Lambda-Runtime-Trace-Id", f"Root=1-{int(time.time()):08x}-{uuid.uuid4().hex[:24]};Sampled=0"),
        ]


class RuntimeApi:
    """Serves one process, or its forks of one event each; `address` is what it finds in AWS_LAMBDA_RUNTIME_API."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stopped = False
        self._waiting: dict[str, queue.SimpleQueue[Invocation | None]] = {}
        self._running: Invocation | None = None
        self.init_error: Result | None = None
        self._server = LoopbackServer(_handler_for(self))
        self._server.start()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_port}"

    def offer(self, invocation: Invocation, *, fork: bool = False) -> None:
        """Gives the process its next invocation, or a fork its only one."""
        self._offers(invocation.request_id if fork else "").put(invocation)

    def take(self, fork: str = "") -> Invocation | None:
        """Waits for the next invocation of the process, or of the fork for this request id.

        None when there will be no more, or when the fork has been given up meanwhile.
        """
        invocation = self._offers(fork).get()
        with self._lock:
            if fork:
                self._waiting.pop(fork, None)
            if invocation is None or invocation.done.is_set():
                return None
            self._running = invocation
        invocation.taken.set()
        return invocation

    def finish(self, request_id: str, result: Result) -> bool:
        """Takes the result of the running invocation; False when it belongs to another."""
        if self._running is None or self._running.request_id != request_id:
            return False
        self._running.finish(result)
        return True

    def stop(self) -> None:
        """Ends the server."""
        with self._lock:
            self._stopped = True
            waiting = list(self._waiting.values())
        for offers in waiting:
            offers.put(None)
        self._server.stop()

    def _offers(self, fork: str) -> queue.SimpleQueue[Invocation | None]:
        with self._lock:
            offers = self._waiting.setdefault(fork, queue.SimpleQueue())
        if self._stopped:
            offers.put(None)
        return offers


def _handler_for(api: RuntimeApi) -> type[QuietHandler]:
    class Handler(QuietHandler):
        def do_GET(self) -> None:  # noqa: N802 -- the base class's name
            if self.path != f"{_ROOT}/invocation/next":
                self._refuse(404, "there is nothing to get here but the next invocation")
                return
            invocation = api.take(self.headers.get("User-Agent", "").partition(_FORK)[2])
            if invocation is None:
                self._refuse(410, "the local system has stopped")
            else:
                self.answer(200, invocation.headers(), invocation.event)

        def do_POST(self) -> None:  # noqa: N802 -- the base class's name
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            if len(body) < length:  # the process was killed while it sent its result: it has none
                self.close_connection = True
                return
            match self.path.removeprefix(f"{_ROOT}/").split("/"):
                case ["init", "error"]:
                    api.init_error = Result(body, failed=True)
                    self._accept()
                case ["invocation", request_id, ("response" | "error") as kind]:
                    if api.finish(request_id, Result(body, failed=kind == "error")):
                        self._accept()
                    else:
                        self._refuse(400, "this is not the running invocation")
                case _:
                    self._refuse(404, "unknown path")

        def _accept(self) -> None:
            self._send(202, {"status": "OK"})

        def _refuse(self, status: int, text: str) -> None:
            self._send(status, {"errorType": "InvalidRequest", "errorMessage": text})

        def _send(self, status: int, content: dict[str, Any]) -> None:
            self.answer(status, _JSON, json.dumps(content).encode())

    return Handler
