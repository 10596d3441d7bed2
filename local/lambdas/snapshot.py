"""The line to a process that forks for every event: which child runs, and how it ended."""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

PROGRAM = Path(__file__).with_name("restore.py")


class Snapshot:
    """Asks for one child at a time and keeps its process id until it has ended.

    `on_child` is told request id and process id, before the child has its event; `on_exit` the request id and
    the exit code, or, below 0, the signal. Both are called from the thread that runs `listen`.
    """

    def __init__(self, on_child: Callable[[str, int], None], on_exit: Callable[[str, int], None]) -> None:
        self._on_child = on_child
        self._on_exit = on_exit
        self._line, self._far = socket.socketpair()
        self._changed = threading.Condition()
        self._wanted = False
        self._child: int | None = None
        self._over = False

    @property
    def far_end(self) -> int:
        """The file descriptor that the process has to inherit."""
        return self._far.fileno()

    def handed_over(self) -> None:
        """Leaves the far end to the process, so that the line ends with it."""
        self._far.close()

    def restore(self, request_id: str) -> None:
        """Asks for the child that will run this event; nothing comes of it when the process has ended."""
        with self._changed:
            self._wanted = not self._over
            with contextlib.suppress(OSError):
                self._line.sendall(f"{request_id}\n".encode())

    def listen(self) -> None:
        """Passes on what the process tells, until it has ended."""
        with contextlib.suppress(ConnectionResetError), self._line.makefile("r") as lines:
            for line in lines:
                kind, request_id, number = line.split()
                if kind == "child":
                    self._began(int(number))
                    self._on_child(request_id, int(number))
                else:
                    self._ended()
                    self._on_exit(request_id, int(number))
        with self._changed:
            self._over = True
            self._line.close()
        self.kill()
        self._ended()

    def kill(self) -> None:
        """Kills the child, if there is one, with everything that it started."""
        with self._changed:
            if self._child is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._child, signal.SIGKILL)

    def await_end(self) -> None:
        """Waits until the child that was asked for last has ended."""
        with self._changed:
            self._changed.wait_for(lambda: not self._wanted)

    def _began(self, process_id: int) -> None:
        with self._changed:
            self._child = process_id

    def _ended(self) -> None:
        with self._changed:
            self._child, self._wanted = None, False
            self._changed.notify_all()
