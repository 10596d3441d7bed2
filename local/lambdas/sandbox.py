"""One process that runs one function under the real Lambda runtime client, one invocation at a time."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.lambdas.description import FunctionDescription
from local.lambdas.environment import environment
from local.lambdas.output import Output
from local.lambdas.runtime_api import Invocation, Result, RuntimeApi
from local.lambdas.snapshot import PROGRAM, Snapshot

_LAUNCH = Path(__file__).with_name("launch.py")


@dataclass(frozen=True)
class RunningEvent:
    """An invocation under way: `process_id` is the process in which the function's own code runs."""

    function: str
    process_id: int
    request_id: str
    event: bytes


class Sandbox:
    """A process that is started at once and takes events when it is ready.

    `on_line` is told each line of the function's output, from a thread of the sandbox.
    `init_timeout` is how long the imports of a function may take, in seconds.
    With `restore`, each event runs in a fork of the process, which has imported these modules beside the handler's.
    """

    def __init__(
        self,
        function: FunctionDescription,
        aws: Mapping[str, str],
        on_line: Callable[[str], None],
        init_timeout: float,
        restore: Sequence[str] | None = None,
    ) -> None:
        self._function = function
        self._on_line = on_line
        self._init_timeout = init_timeout
        self._api = RuntimeApi()
        self._snapshot = None if restore is None else Snapshot(self._on_child, self._on_child_exit)
        self._lock = threading.Lock()
        self._running: Invocation | None = None
        self._killed = False
        self._output = Output(on_line)
        self._process = self._start(environment(function, aws, self._api.address), restore or ())
        work = [self._output.read, self._await_exit]
        if self._snapshot is not None:
            self._snapshot.handed_over()
            work.append(self._snapshot.listen)
        self._threads = [threading.Thread(target=part, daemon=True) for part in work]
        for thread in self._threads:
            thread.start()

    def _start(self, variables: Mapping[str, str], restore: Sequence[str]) -> subprocess.Popen[bytes]:
        program: list[str] = [str(_LAUNCH), self._function.handler]
        inherited: tuple[int, ...] = ()
        if self._snapshot is not None:
            inherited = (self._snapshot.far_end,)
            program = [str(PROGRAM), self._function.handler, str(self._snapshot.far_end), *restore]
        return subprocess.Popen(
            [sys.executable, "-S", "-P", *program],
            cwd=self._function.folders[0],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=self._output.writing,
            stderr=self._output.writing,
            start_new_session=True,
            pass_fds=inherited,
        )

    @property
    def alive(self) -> bool:
        """Tells whether the process can take another event."""
        return not self._killed and self._process.returncode is None and self._api.init_error is None

    @property
    def process_ids(self) -> set[int]:
        """The ids of the process and of its fork that runs an event."""
        running = self.running
        return {self._process.pid} | ({running.process_id} if running else set())

    @property
    def running(self) -> RunningEvent | None:
        """The event under way, once it is known which process runs it, and before its function can begin."""
        with self._lock:
            return self._running_event()

    def kill_event(self, process_id: int) -> bool:
        """Kills the process that runs the event; False when it is not this one."""
        with self._lock:
            running = self._running_event()
            if running is None or running.process_id != process_id:
                return False
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        return True

    def invoke(self, event: bytes) -> Result:
        """Runs one event to its end; a process that passes the deadline is killed.

        Every line that the function has written by then has been told when this returns.
        """
        invocation = Invocation(event, self._function.arn, self._function.timeout)
        with self._lock:
            self._running = invocation
            if self._process.returncode is not None:
                invocation.finish(self._exit_result(self._process.returncode))
            elif self._snapshot is not None:
                self._snapshot.restore(invocation.request_id)
            else:
                invocation.process_id = self._process.pid
                self._api.offer(invocation)
        result = self._await_result(invocation)
        if self._snapshot is not None:
            self._snapshot.await_end()
        # What comes now stands behind everything that was written before the result was posted.
        self._output.await_lines(invocation.request_id)
        return result

    def stop(self) -> None:
        """Kills the process and everything that it started, and frees what belongs to it."""
        self._kill()
        for thread in self._threads:
            thread.join()
        self._api.stop()

    def _running_event(self) -> RunningEvent | None:
        running = self._running
        if running is None or running.process_id is None or running.done.is_set():
            return None
        return RunningEvent(self._function.name, running.process_id, running.request_id, running.event)

    def _on_child(self, request_id: str, process_id: int) -> None:
        with self._lock:
            if self._running is not None and self._running.request_id == request_id:
                self._running.process_id = process_id
                self._api.offer(self._running, fork=True)

    def _on_child_exit(self, request_id: str, code: int) -> None:
        with self._lock:
            if self._running is not None and self._running.request_id == request_id:
                self._running.finish(self._exit_result(code))

    def _await_result(self, invocation: Invocation) -> Result:
        ready = invocation.taken.wait(self._init_timeout)
        timeout = self._function.timeout if ready else 0
        if not invocation.done.wait(timeout):
            limit = timeout or self._init_timeout
            text = f"{invocation.request_id} Task timed out after {limit:.2f} seconds"
            invocation.finish(Result.failure("Sandbox.Timedout", text, timed_out=True))
            if ready and self._snapshot is not None:
                self._snapshot.kill()
            else:
                self._kill()
            self._on_line(text)
        assert invocation.result is not None  # noqa: S101 -- it is done
        return invocation.result

    def _await_exit(self) -> None:
        code = self._process.wait()
        self._kill_group()
        self._output.close()
        assert self._process.stdin is not None  # noqa: S101 -- it was asked for
        self._process.stdin.close()
        with self._lock:
            if self._running is not None:
                self._running.finish(self._exit_result(code))

    def _exit_result(self, code: int) -> Result:
        if self._api.init_error is not None:
            return self._api.init_error
        how = f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return Result.failure("Runtime.ExitError", f"Runtime exited with error: {how}")

    def _kill(self) -> None:
        with self._lock:
            self._killed = True
            if self._process.returncode is None:
                self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
