"""A wire between the functions and one outside service: it passes calls on, or breaks at one of them."""

import contextlib
import http.client
import json
import socket
import struct
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from local.lambdas import LocalSystem, RunningEvent
from local.loopback import LoopbackServer, QuietHandler
from tests.faults.calls import Service, name_call
from tests.faults.deaths import Death, Response, error_answer
from tests.faults.trial import Trial

KERNEL_TABLE = Path("/proc/net/tcp")

_LONGEST_STALL_SECONDS = 60
_HOP_BY_HOP = frozenset({"connection", "transfer-encoding", "content-length", "keep-alive"})


class Wire(LoopbackServer):
    """A proxy in front of one service; `trials` are the pull requests by number."""

    daemon_threads = True

    def __init__(self, service: Service, target: str, trials: Mapping[int, Trial]) -> None:
        self.service = service
        self.target = target
        self.trials = trials
        self.system: LocalSystem | None = None
        self.stopping = threading.Event()
        super().__init__(_Connection)

    def stop(self) -> None:
        """End every connection, also those that are held."""
        self.stopping.set()
        super().stop()


class _Connection(QuietHandler):
    """One connection of one process, which runs one event."""

    server: Wire
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        self._event: RunningEvent | None = None

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = name_call(self.server.service, self.command, self.path, headers, body)
        event = self._whose()
        trial = self.server.trials.get(_number(event)) if event else None
        if event is None or trial is None:
            self._send(self._pass_on(headers, body))
            return
        self._strike(trial.meet(call, event.request_id), trial, event, call, headers, body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815 - names that http.server looks for

    def _strike(
        self, death: Death | None, trial: Trial, event: RunningEvent, call: str, headers: dict[str, str], body: bytes
    ) -> None:
        if death is Death.OVERTAKEN:
            self._let_overtake(event)
            death = None
        if death is None or death.takes_effect:
            response = self._pass_on(headers, body)
            if response[0] < 400:
                trial.had_effect(call, body)
            if death is None:
                self._send(response)
                return
        trial.let_things_happen()
        if death in (Death.ERRORS, Death.LIMITED):
            self._send(error_answer(self.server.service, death))
            return
        assert self.server.system is not None
        if death.kills:
            self.server.system.kill(event.process_id)
        if death is Death.OUT_OF_TIME:
            self._hold()
        self._hang_up()

    def _pass_on(self, headers: Mapping[str, str], body: bytes) -> Response:
        """Make the same request of the service; its own address is never told, or the next call would go round us."""
        kept = {name: value for name, value in headers.items() if name not in _HOP_BY_HOP}
        where = urlsplit(self.server.target)
        assert where.hostname is not None
        # A connection of its own: one that is kept may be closed by the service while this side is held.
        with contextlib.closing(http.client.HTTPConnection(where.hostname, where.port, timeout=60)) as service:
            service.request(self.command, self.path, body, {**kept, "content-length": str(len(body))})
            answer = service.getresponse()
            content = answer.read()
        told = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP_BY_HOP}
        if (location := told.get("Location", told.get("location"))) is not None:
            told = {name: value for name, value in told.items() if name.lower() != "location"}
            told["Location"] = location.replace(self.server.target, self.server.url)
        return answer.status, told, content

    def _send(self, response: Response) -> None:
        status, headers, body = response
        self.answer(status, list(headers.items()), body)

    def _hold(self) -> None:
        """Say nothing until the other side is gone."""
        end = time.monotonic() + _LONGEST_STALL_SECONDS
        while time.monotonic() < end and not self.server.stopping.wait(0.05):
            try:
                if not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
                    return
            except BlockingIOError:
                continue
            except OSError:
                return

    def _let_overtake(self, event: RunningEvent) -> None:
        """Wait until another event of the same pull request has begun beside this one, and has ended."""
        assert self.server.system is not None
        begun, end = False, time.monotonic() + _LONGEST_STALL_SECONDS
        while time.monotonic() < end and not self.server.stopping.wait(0.02):
            others = [other for other in self.server.system.running_events() if other.request_id != event.request_id]
            beside = any(_number(other) == _number(event) for other in others)
            if begun and not beside:
                return
            begun = begun or beside

    def _hang_up(self) -> None:
        """Break the connection off, so that the other side sees an error at once."""
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.shutdown(socket.SHUT_RDWR)

    def _whose(self) -> RunningEvent | None:
        """The event of the process that holds the other end of this connection."""
        if self._event is None and self.server.system is not None:
            inode = _inode(self.client_address[1], self.server.server_port)
            running = self.server.system.running_events()
            self._event = next((event for event in running if _holds(event.process_id, inode)), None)
        return self._event


def _number(event: RunningEvent) -> int:
    """The pull request that an event is about: a webhook's, or a message's."""
    outer: dict[str, Any] = json.loads(event.event)
    inner = json.loads(outer["Records"][0]["body"] if "Records" in outer else outer["body"])
    about = inner.get("issue") or inner.get("pull_request") or inner  # of what is said only these tell the number
    return int(inner["number"] if "Records" in outer else about.get("number", 0))


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
