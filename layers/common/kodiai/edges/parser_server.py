"""Keeps the process that forks those in which files are parsed, from one invocation to the next.

To start an interpreter with grammars takes 50 to 90 ms of CPU, of which a fork of one that is ready takes little.
"""

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

_PROGRAM = Path(__file__).with_name("parser_process.py")
# Beyond what a fork begins with. Files of 2 MB that people write take up to 300 MB; the function leaves more than that.
_MEMORY_BYTES = 360 * 1024 * 1024
_CPU_SECONDS = 5
_SECONDS = 10.0


class ParserServer:
    """The prepared process that forks those which parse, one at a time; kept from one invocation to the next.

    It starts when it is needed, and again where it has ended. It gets no environment but where its modules are.
    `languages` are those that it is ready for.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: socket.socket | None = None
        self._owner = 0
        self.languages: set[str] = set()

    def begin(self) -> socket.socket:
        """End the process that parses, and begin one, ready for the languages of all files so far. Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                try:
                    self._order([theirs.fileno()])
                except OSError:  # it may have been killed since
                    self._order([theirs.fileno()])
            except OSError:
                ours.close()
                raise
        return ours

    def end(self) -> None:
        """End the process that parses."""
        with suppress(OSError):
            self._order([])

    def close(self) -> None:
        """End all, and free what belongs to it."""
        if self._process is not None and self._orders is not None:
            self._orders.close()
            if self._owner == os.getpid():
                self._process.kill()
                self._process.wait()
        self._process = self._orders = None

    def _order(self, connections: list[int]) -> None:
        if self._owner != os.getpid():  # forked since: that server answers another process
            self.close()
        if self._orders is None:
            self._start()
        assert self._orders is not None  # noqa: S101 - it has just been started
        try:
            socket.send_fds(self._orders, [json.dumps(sorted(self.languages)).encode()], connections)
            if not self._orders.recv(1):
                raise ConnectionError("the process has ended")
        except OSError:
            self.close()
            raise

    def _start(self) -> None:
        self._orders, theirs = socket.socketpair()
        self._orders.settimeout(_SECONDS)
        self._owner = os.getpid()
        known = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        known |= {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
        with theirs:
            self._process = subprocess.Popen[bytes](
                [sys.executable, "-S", "-P", str(_PROGRAM), str(_MEMORY_BYTES), str(_CPU_SECONDS)],
                env=known,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
