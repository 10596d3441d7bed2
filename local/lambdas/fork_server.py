"""Processes that start at once: they are forks of one that has done the imports."""

import atexit
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing.reduction import send_handle
from pathlib import Path

_PROGRAM = Path(__file__).parent / "bootstrap.py"
_GONE = -9
_STARTING = threading.Lock()


class ForkedProcess:
    """A process with a group of its own. `returncode` is as subprocess gives it, None while the process runs."""

    def __init__(self, process_id: int) -> None:
        self.pid = process_id
        self.returncode: int | None = None
        self._ended = threading.Event()

    def wait(self) -> int:
        """Wait until it and everything in its group has ended."""
        self._ended.wait()
        assert self.returncode is not None  # noqa: S101 -- it has ended
        return self.returncode

    def kill(self) -> None:
        """Kill it and everything that it started."""
        if self.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def end(self, code: int) -> None:
        """Note its end."""
        self.returncode = code
        self._ended.set()


class ForkServer:
    """A process that has imported `modules`, in an environment of its own, and forks.

    All its forks end when this process ends, however it does.
    """

    def __init__(self, interpreter: str, modules: Sequence[str], environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        self._started: queue.SimpleQueue[ForkedProcess | None] = queue.SimpleQueue()
        self._running: dict[int, ForkedProcess] = {}
        self._asking, asked = multiprocessing.Pipe()
        with asked:
            self._process = subprocess.Popen(
                [interpreter, "-S", "-P", str(_PROGRAM)],
                env=dict(environment),
                stdin=asked.fileno(),
                stdout=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
        self._asking.send(list(modules))
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's own process."""
        return self._process.pid

    def fork(self, handler: str, folder: Path, environment: Mapping[str, str], output: int) -> ForkedProcess:
        """Start a process that runs the Lambda runtime client in this environment and writes to the file `output`.

        Raises OSError where the server has ended.
        """
        process = None
        with self._lock, suppress(OSError):
            self._asking.send((handler, str(folder), dict(environment)))
            send_handle(self._asking, output, self._process.pid)
            process = self._started.get()
        if process is None:
            raise BrokenPipeError("the fork server has ended")
        return process

    def stop(self) -> None:
        """End the server and its forks."""
        self._asking.close()
        self._process.wait()

    def _read(self) -> None:
        """Pass on what the server reports."""
        assert self._process.stdout is not None  # noqa: S101 -- it was asked for
        with self._process.stdout as lines:
            for line in lines:
                kind, process_id, *code = line.split()
                if kind == "started":
                    process = self._running[int(process_id)] = ForkedProcess(int(process_id))
                    self._started.put(process)
                else:
                    self._running.pop(int(process_id)).end(int(code[0]))
        for process in self._running.values():
            process.kill()  # the server was killed, and could not do it
            process.end(_GONE)
        self._started.put(None)


def fork_server(modules: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> ForkServer:
    """The server for these modules in this environment; it lives as long as this process."""
    with _STARTING:
        return _start(modules, environment)


@cache
def _start(modules: tuple[str, ...], environment: tuple[tuple[str, str], ...]) -> ForkServer:
    server = ForkServer(sys.executable, modules, dict(environment))
    atexit.register(server.stop)
    return server
