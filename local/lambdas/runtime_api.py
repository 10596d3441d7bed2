"""The Lambda Runtime API for one process: it asks for the next event and posts what came of it.

Source: https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import queue
import signal
import threading
import time
import uuid
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from local.server import Server

_ROOT = "/2018-06-01/runtime"


@dataclass(frozen=True)
class Result:
    """The result of an invocation: the function's JSON, or its error as {"errorType", "errorMessage", …}."""

    payload: bytes
    failed: bool = False
    timed_out: bool = False

    @classmethod
    def failure(cls, kind: str, text: str, *, timed_out: bool = False) -> "Result":
        """Return an error that the platform reports, not the function."""
        return cls(json.dumps({"errorType": kind, "errorMessage": text}).encode(), failed=True, timed_out=timed_out)


@dataclass
class Invocation:
    """One event on its way through a process; the clock of its deadline starts when the process takes it.

    It is `done` when there is a result, and has `ended` when nothing of it runs any more.
    """

    event: bytes
    function_arn: str
    timeout: float
    request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    taken: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    result: Result | None = None
    exited: str | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def finish(self, result: Result) -> None:
        """Take the first result; a later one is too late."""
        with self._lock:
            if self.result is None:
                self.result = result
        self.done.set()
        self.taken.set()

    def exit(self, code: int) -> None:
        """Note that nothing runs any more, which is the result where there is no other.

        `code` is the exit code of the process or, below 0, its signal.
        """
        how = f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        if self.result is None:
            self.exited = f"Runtime exited with error: {how}"
            self.finish(Result.failure("Runtime.ExitError", self.exited))
        self.ended.set()

    @property
    def headers(self) -> dict[str, str]:
        """The headers that tell the process what it is asked to do."""
        deadline = int((time.time() + self.timeout) * 1000)
        return {
            "Lambda-Runtime-Aws-Request-Id": self.request_id,
            "Lambda-Runtime-Deadline-Ms": str(deadline),
            "Lambda-Runtime-Invoked-Function-Arn": self.function_arn,
            "Lambda-Runtime-Trace-Id": f"Root=1-{int(time.time()):08x}-{uuid.uuid4().hex[:24]};Sampled=0",
        }


class RuntimeApi:
    """Serves one process; `address` is what it finds in AWS_LAMBDA_RUNTIME_API."""

    def __init__(self) -> None:
        self._offered: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self._running: Invocation | None = None
        self.init_error: Result | None = None
        self._server = Server(self._serve)
        self._server.start()

    @property
    def address(self) -> str:
        """Host and port."""
        return self._server.url.removeprefix("http://")

    def offer(self, invocation: Invocation) -> None:
        """Give the process its next invocation."""
        self._offered.put(invocation)

    def stop(self) -> None:
        """End the server."""
        self._offered.put(None)
        self._server.stop()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        match request.method, request.url.path.removeprefix(_ROOT).split("/")[1:]:
            case "GET", ["invocation", "next"]:
                answer = await run_in_threadpool(self._next)
            case "POST", ["invocation", request_id, "response" | "error" as kind]:
                answer = await self._receive(request, request_id, failed=kind == "error")
            case "POST", ["init", "error"]:
                self.init_error = Result(await request.body(), failed=True)
                answer = _accepted()
            case _:
                answer = _refuse(404, "unknown path")
        await answer(scope, receive, send)

    def _next(self) -> Response:
        """Wait for the next invocation, in a thread. A request for the next one ends the last one."""
        if self._running is not None:
            self._running.exit(0)
        invocation = self._running = self._offered.get()
        if invocation is None:
            return _refuse(410, "the local system has stopped")
        invocation.taken.set()
        return Response(invocation.event, headers=invocation.headers, media_type="application/json")

    async def _receive(self, request: Request, request_id: str, *, failed: bool) -> Response:
        try:
            body = await request.body()
        except ClientDisconnect:
            return _refuse(400, "the process was killed while it sent its result: it has none")
        invocation = self._running
        if invocation is None or invocation.request_id != request_id:
            return _refuse(400, "this is not the running invocation")
        invocation.finish(Result(body, failed=failed))
        return _accepted()


def _accepted() -> Response:
    return JSONResponse({"status": "OK"}, 202)


def _refuse(status: int, text: str) -> Response:
    return JSONResponse({"errorType": "InvalidRequest", "errorMessage": text}, status)
