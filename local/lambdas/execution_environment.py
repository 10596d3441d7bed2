"""One process that runs one function under the real Lambda runtime client, one invocation at a time."""

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from local.lambdas.description import FunctionDescription
from local.lambdas.fork_server import ForkServer
from local.lambdas.output import Output
from local.lambdas.runtime_api import Invocation, Result, RuntimeApi
from local.lambdas.variables import variables_of


@dataclass(frozen=True)
class RunningEvent:
    """An invocation under way: `process_id` is the process in which the function's own code runs."""

    function: str
    process_id: int
    request_id: str
    event: bytes


class ExecutionEnvironment:
    """A process that is started at once and takes events when it is ready.

    `on_line` gets each line of the function's output, from a thread of its own.
    `init_timeout` is how long the imports of a function may take, in seconds.
    `server` forks the process; it may have done some of the imports. Raises OSError where it has ended.
    """

    def __init__(
        self,
        function: FunctionDescription,
        aws: Mapping[str, str],
        on_line: Callable[[str], None],
        init_timeout: float,
        server: Callable[[Mapping[str, str]], ForkServer],
    ) -> None:
        self._function = function
        self._on_line = on_line
        self._init_timeout = init_timeout
        self._api = RuntimeApi()
        self._lock = threading.Lock()
        self._running: Invocation | None = None
        self._killed = False
        self._output = Output(on_line)
        variables = variables_of(function, aws, self._api.address)
        folder = function.folders[0]
        self._process = server(variables).fork(function.handler, folder, variables, self._output.writing)
        self._threads = [threading.Thread(target=part, daemon=True) for part in (self._output.read, self._await_exit)]
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Whether the process can take another event."""
        return not self._killed and self._process.returncode is None and self._api.init_error is None

    @property
    def process_id(self) -> int:
        """The process, until it is stopped."""
        return self._process.pid

    @property
    def running(self) -> RunningEvent | None:
        """The event under way, from before its function can begin."""
        with self._lock:
            return self._running_event()

    def kill_event(self, process_id: int) -> bool:
        """Send SIGKILL to the process if it runs an event, and tell whether it does."""
        with self._lock:
            running = self._running_event()
            if running is None or running.process_id != process_id:
                return False
            with contextlib.suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGKILL)
        return True

    def invoke(self, event: bytes) -> Result:
        """Run one event to its end; a process that passes the deadline is killed.

        Every line that the function has written by then has been passed on when this returns.
        """
        invocation = Invocation(event, self._function.arn, self._function.timeout)
        with self._lock:
            self._running = invocation
            if self._process.returncode is not None:
                self._end(invocation, self._process.returncode)
            else:
                self._api.offer(invocation)
        result = self._await_result(invocation)
        invocation.ended.wait()
        # The next line comes behind everything that was written before the result was posted.
        self._output.await_lines(invocation.request_id)
        if invocation.exited and not self._killed:  # as Lambda logs an end that is not its own doing
            self._on_line(f"RequestId: {invocation.request_id} Error: {invocation.exited}\nRuntime.ExitError")
        return result

    def stop(self) -> None:
        """Kill the process and everything that it started, and free what belongs to it."""
        self._kill()
        for thread in self._threads:
            thread.join()
        self._api.stop()

    def _running_event(self) -> RunningEvent | None:
        running = self._running
        if running is None or running.done.is_set() or self._process.returncode is not None:
            return None
        return RunningEvent(self._function.name, self._process.pid, running.request_id, running.event)

    def _await_result(self, invocation: Invocation) -> Result:
        ready = invocation.taken.wait(self._init_timeout)
        timeout = self._function.timeout if ready else 0
        if not invocation.done.wait(timeout):
            limit = timeout or self._init_timeout
            text = f"{invocation.request_id} Task timed out after {limit:.2f} seconds"
            invocation.finish(Result.failure("Sandbox.Timedout", text, timed_out=True))
            self._kill()
            self._on_line(text)
        assert invocation.result is not None  # noqa: S101 -- it is done
        return invocation.result

    def _await_exit(self) -> None:
        code = self._process.wait()
        self._output.close()
        with self._lock:
            if self._running is not None:
                self._end(self._running, code)

    def _end(self, invocation: Invocation, code: int) -> None:
        if self._api.init_error is not None:
            invocation.finish(self._api.init_error)
        invocation.exit(code)

    def _kill(self) -> None:
        with self._lock:
            self._killed = True
            self._process.kill()
