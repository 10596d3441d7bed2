"""A wire between the functions and one outside service: it passes calls on, or breaks at one of them."""

import asyncio
import contextlib
import http.client
import json
import socket
import struct
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response as Answer
from starlette.types import Receive, Scope, Send

from local.lambdas import LocalSystem, RunningEvent
from local.server import Server, hang_up
from tests.faults.calls import Service, name_call
from tests.faults.deaths import Death, Response, error_answer
from tests.faults.trial import Trial

PULL_REQUEST_HEADER = "x-pull-request"
KERNEL_TABLE = Path("/proc/net/tcp")

_LONGEST_STALL_SECONDS = 60
_RESET = struct.pack("ii", 1, 0)
_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})


class Wire:
    """A proxy in front of one service; `trials` are the pull requests by number."""

    def __init__(self, service: Service, target: str, trials: Mapping[int, Trial]) -> None:
        self.system: LocalSystem | None = None
        self._service = service
        self._target = target
        self._trials = trials
        self._stopping = False
        # A connection belongs to one process, which runs one event.
        self._events: WeakKeyDictionary[Any, RunningEvent] = WeakKeyDictionary()
        self._server = Server(self._serve)
        self.url = self._server.url

    def start(self) -> None:
        """Begin to pass calls on."""
        self._server.start()

    def stop(self) -> None:
        """End every connection, also those that are held."""
        self._stopping = True
        self._server.stop()

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        with contextlib.suppress(ClientDisconnect):  # killed in the middle of its call
            body = await request.body()
            query = scope["query_string"].decode()
            path = scope["raw_path"].decode() + (f"?{query}" if query else "")
            call = name_call(self._service, request.method, path, dict(request.headers), body)
            event = await run_in_threadpool(self._whose, scope)
            trial = self._trial(event) if event else None
            death = trial.meet(call, event.request_id) if event and trial else None
            if death is Death.OVERTAKEN and event:
                await self._let_overtake(event)
                death = None
            response: Response | None = None
            if death is None or death.takes_effect:
                response = await run_in_threadpool(self._pass_on, request.method, path, request.headers, body)
                if trial and response[0] < 400:
                    trial.had_effect(call, body)
            if death is not None and event and trial:
                await run_in_threadpool(trial.let_things_happen)
                response = await self._strike(death, event, receive)
            if response is None:
                with contextlib.suppress(OSError):  # the other side has hung up already
                    scope["state"]["transport"].get_extra_info("socket").setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, _RESET
                    )
                await hang_up(scope, receive)
            else:
                status, headers, content = response
                await Answer(content, status, headers)(scope, receive, send)

    async def _strike(self, death: Death, event: RunningEvent, receive: Receive) -> Response | None:
        """Do to an event what befalls it; what it is answered then, None where the connection breaks."""
        assert self.system is not None
        if death in (Death.ERRORS, Death.LIMITED):
            return error_answer(self._service, death)
        if death.kills:
            self.system.kill(event.process_id)
        if death is Death.OUT_OF_TIME:
            with contextlib.suppress(TimeoutError):  # nothing is said until the other side is gone
                await asyncio.wait_for(receive(), _LONGEST_STALL_SECONDS)
        return None

    def _pass_on(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Make the same request of the service; its own address is never told, or the next call would go round us."""
        kept = {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
        where = urlsplit(self._target)
        assert where.hostname is not None
        # A connection of its own: one that is kept may be closed by the service while this side is held.
        with contextlib.closing(http.client.HTTPConnection(where.hostname, where.port, timeout=60)) as service:
            service.request(method, path, body, {**kept, "content-length": str(len(body))})
            answer = service.getresponse()
            content = answer.read()
        told = {name.lower(): value for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP}
        if "location" in told:
            told["location"] = told["location"].replace(self._target, self.url)
        return answer.status, told, content

    async def _let_overtake(self, event: RunningEvent) -> None:
        """Wait until another event of the same pull request has begun next to this one, and has ended."""
        assert self.system is not None
        begun, end = False, time.monotonic() + _LONGEST_STALL_SECONDS
        while time.monotonic() < end and not self._stopping:
            others = [other for other in self.system.running_events() if other.request_id != event.request_id]
            is_under_way = any(_number(other) == _number(event) for other in others)
            if begun and not is_under_way:
                return
            begun = begun or is_under_way
            await asyncio.sleep(0.02)

    def _trial(self, event: RunningEvent) -> Trial | None:
        head = _head(event)
        of_head = (trial for trial in list(self._trials.values()) if head is not None and trial.head == head)
        return self._trials.get(_number(event)) or next(of_head, None)

    def _whose(self, scope: Scope) -> RunningEvent | None:
        """The event of the process that holds the other end of this connection."""
        connection = scope["state"]["transport"]
        if connection not in self._events and self.system is not None:
            inode = _inode(scope["client"][1], self._server.port)
            found = next((event for event in self.system.running_events() if _holds(event.process_id, inode)), None)
            if found is not None:
                self._events[connection] = found
        return self._events.get(connection)


def _number(event: RunningEvent) -> int:
    """The pull request that an event is about: a webhook's, a message's, or a request's that names it in a header.

    It is 0 for what is about none.
    """
    outer: dict[str, Any] = json.loads(event.event)
    if PULL_REQUEST_HEADER in outer.get("headers", {}):
        return int(outer["headers"][PULL_REQUEST_HEADER])
    if outer.get("source") == "aws.events":
        return 0
    inner = _inner(outer)
    about = inner.get("issue") or inner.get("pull_request") or inner  # of what is said only these tell the number
    return int((inner if "Records" in outer else about).get("number", 0))


def _head(event: RunningEvent) -> str | None:
    """The commit that an event is about if it names no pull request: that of a suite, or of a message about one."""
    outer: dict[str, Any] = json.loads(event.event)
    if "Records" not in outer and "body" not in outer:
        return None
    inner = _inner(outer)
    head: str | None = inner.get("check_suite", {}).get("head_sha") or inner.get("head")
    return head


def _inner(outer: Mapping[str, Any]) -> Any:
    return json.loads(outer["Records"][0]["body"] if "Records" in outer else outer["body"])


def _inode(port: int, peer_port: int) -> str:
    """The socket with this local and that remote port, as the kernel lists it.

    Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
    """
    ends = (f":{port:04X}", f":{peer_port:04X}")
    for row in KERNEL_TABLE.read_text("ascii").splitlines()[1:]:
        fields = row.split()
        if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1]):
            return fields[9]
    return ""


def _holds(process_id: int, inode: str) -> bool:
    folder = Path(f"/proc/{process_id}/fd")
    with contextlib.suppress(OSError):
        for entry in folder.iterdir():
            with contextlib.suppress(OSError):
                if str(entry.readlink()) == f"socket:[{inode}]":
                    return True
    return False
