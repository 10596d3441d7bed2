"""Runs each event in a fork of a process that has done its imports, as SnapStart does; started as a file, like launch.

It imports nothing of the project. The imports are awslambdaric's own doing; instead of waiting for an event, the
process then waits for the id of one, forks, and the fork goes on as if it had never been anything else. A socket,
whose number is the second argument, brings "<request id>" for each event and takes back "child <request id> <process
id>" and "exit <request id> <code>", the code as subprocess gives it. Modules to import beside the handler's follow.
Source: https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html
"""

import contextlib
import importlib
import os
import select
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Sequence
from typing import Any

from awslambdaric import bootstrap
from awslambdaric.lambda_config import LambdaConfigProvider
from awslambdaric.lambda_runtime_client import LambdaRuntimeClient, runtime_client

LIFELINE = 0
LOOK_SECONDS = 0.1


class Lifeline:
    """Standard input, which ends with the local system: then this process's whole group ends too."""

    def __init__(self) -> None:
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def watch(self) -> None:
        """Begins to watch, in a thread."""
        self._thread.start()

    def leave(self) -> None:
        """Ends the thread: a process that forks must have no other."""
        self._enough.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._enough.is_set():
            if select.select([LIFELINE], [], [], LOOK_SECONDS)[0] and not os.read(LIFELINE, 1):
                end_group()


def end_group() -> None:
    """Kills this process and everything that it started."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


class Snapshot(LambdaRuntimeClient):  # type: ignore[misc]  # awslambdaric ships no types
    """The real runtime client, whose first wait for an event returns in forks only, and whose second never does."""

    def __init__(self, config: Any, control: socket.socket, modules: Sequence[str], lifeline: Lifeline) -> None:
        super().__init__(config.api_address, config.use_thread_polling)
        self._control = control
        self._asked = control.makefile("r")
        self._modules = modules
        self._lifeline = lifeline
        self._restored = False

    def wait_next_invocation(self) -> Any:
        """Returns the event of this fork."""
        if self._restored:
            os._exit(0)
        for module in self._modules:
            importlib.import_module(module)
        self._lifeline.leave()
        while request_id := self._asked.readline().strip():
            if not (child := fork()):
                return self._restore(request_id)
            with contextlib.suppress(BrokenPipeError):
                self._tell("child", request_id, child)
                self._tell("exit", request_id, end_of(child))
        return end_group()

    def _restore(self, request_id: str) -> Any:
        self._restored = True
        self._asked.close()
        self._control.close()
        Lifeline().watch()
        # The server tells by this that it is not a killed fork who asks: that one's request may be read late.
        runtime_client.initialize_client(f"restored/{request_id}")
        return super().wait_next_invocation()

    def _tell(self, kind: str, request_id: str, number: int) -> None:
        self._control.sendall(f"{kind} {request_id} {number}\n".encode())


def fork() -> int:
    """Forks, the child in a process group of its own."""
    with warnings.catch_warnings():
        # The thread that has just been joined may still count as one.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(child, child)
    return child


def end_of(child: int) -> int:
    """Waits for the child, ends what it has left behind, and returns its exit code or, below 0, its signal."""
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Imports, then runs one fork after another until the local system ends."""
    control = socket.socket(fileno=int(sys.argv[2]))
    control.set_inheritable(False)
    modules = sys.argv[3:]
    del sys.argv[2:]
    lifeline = Lifeline()
    lifeline.watch()
    config = LambdaConfigProvider(sys.argv)
    bootstrap.run(config.handler, Snapshot(config, control, modules, lifeline))


if __name__ == "__main__":
    main()
