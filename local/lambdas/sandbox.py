"""One process that runs one function under the real Lambda runtime client, one invocation at a time."""

import contextlib
import os
import signal
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from local.lambdas.description import FunctionDescription
from local.lambdas.runtime_api import Invocation, Result, RuntimeApi

_LAUNCH = Path(__file__).with_name("launch.py")
_MARK = b"\x00end "
# What a person has to set to reach the world from this machine at all.
_KEPT = ("PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "https_proxy")


class Sandbox:
    """A process that is started at once and takes events when it is ready.

    `on_line` is told each line of the function's output, from a thread of the sandbox.
    `init_timeout` is how long the imports of a function may take, in seconds.
    """

    def __init__(
        self,
        function: FunctionDescription,
        aws: Mapping[str, str],
        on_line: Callable[[str], None],
        init_timeout: float,
    ) -> None:
        self._function = function
        self._on_line = on_line
        self._init_timeout = init_timeout
        self._api = RuntimeApi()
        self._lock = threading.Lock()
        self._running: Invocation | None = None
        self._marks: dict[bytes, threading.Event] = {}
        reading, self._writing = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-P", str(_LAUNCH), function.handler],
            cwd=function.folders[0],
            env=environment(function, aws, self._api.address),
            stdin=subprocess.PIPE,
            stdout=self._writing,
            stderr=self._writing,
            start_new_session=True,
        )
        self._threads = [
            threading.Thread(target=self._read, args=(reading,), daemon=True),
            threading.Thread(target=self._await_exit, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def alive(self) -> bool:
        """Tells whether the process can take another event."""
        return self._process.returncode is None and self._api.init_error is None

    @property
    def process_id(self) -> int:
        """The id of the process."""
        return self._process.pid

    def invoke(self, event: bytes) -> Result:
        """Runs one event to its end; a process that passes the deadline is killed.

        Every line that the function has written by then has been told when this returns.
        """
        invocation = Invocation(event, self._function.arn, self._function.timeout)
        with self._lock:
            self._running = invocation
            if self._process.returncode is not None:
                invocation.finish(self._exit_result())
            else:
                self._api.offer(invocation)
        result = self._await_result(invocation)
        self._await_lines(invocation.request_id)
        return result

    def stop(self) -> None:
        """Kills the process and everything that it started, and frees what belongs to it."""
        self._kill()
        for thread in self._threads:
            thread.join()
        self._api.stop()

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

    def _await_lines(self, request_id: str) -> None:
        mark = _MARK + request_id.encode()
        seen = self._marks.setdefault(mark, threading.Event())
        # The mark stands behind everything that was written before the result was posted.
        with self._lock:
            if self._writing >= 0:
                os.write(self._writing, b"\n" + mark + b"\n")
            else:
                seen.set()
        while not seen.wait(0.2) and self._threads[0].is_alive():
            pass
        del self._marks[mark]

    def _read(self, reading: int) -> None:
        with os.fdopen(reading, "rb") as lines:
            for line in lines:
                if line.startswith(_MARK):
                    if (seen := self._marks.get(line.rstrip(b"\n"))) is not None:
                        seen.set()
                elif text := line.decode("utf-8", "replace").replace("\r", "\n").rstrip():
                    self._on_line(text)

    def _await_exit(self) -> None:
        self._process.wait()
        self._kill_group()
        with self._lock:
            os.close(self._writing)
            self._writing = -1
            running = self._running
        assert self._process.stdin is not None  # noqa: S101 -- it was asked for
        self._process.stdin.close()
        if running is not None:
            running.finish(self._exit_result())

    def _exit_result(self) -> Result:
        if self._api.init_error is not None:
            return self._api.init_error
        code = self._process.returncode
        how = f"signal: {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
        return Result.failure("Runtime.ExitError", f"Runtime exited with error: {how}")

    def _kill(self) -> None:
        with self._lock:
            if self._process.returncode is None:
                self._kill_group()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


def environment(function: FunctionDescription, aws: Mapping[str, str], runtime_api: str) -> dict[str, str]:
    """Returns all that the process finds in its environment: nothing of ours but what the template says.

    Its interpreter runs without the site module, so that the project itself, installed beside its
    dependencies, cannot be imported: only the function, its layers and the packages can.
    """
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    direct = ",".join(filter(None, [os.environ.get("NO_PROXY") or os.environ.get("no_proxy"), "127.0.0.1,localhost"]))
    own = {name: os.environ[name] for name in _KEPT if name in os.environ}
    lambda_own = {
        "PYTHONPATH": os.pathsep.join([*map(str, function.folders), *sorted(packages)]),
        "PYTHONUNBUFFERED": "1",
        "LANG": "C.UTF-8",
        "TZ": ":UTC",
        "NO_PROXY": direct,
        "no_proxy": direct,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_LAMBDA_RUNTIME_API": runtime_api,
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "AWS_LAMBDA_LOG_FORMAT": function.log_format,
        "LAMBDA_TASK_ROOT": str(function.folders[0]),
        "_HANDLER": function.handler,
    }
    return own | lambda_own | dict(aws) | dict(function.environment)
