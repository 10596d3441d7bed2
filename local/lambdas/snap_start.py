"""Runs each event in a fork of a process that has done its imports, as SnapStart does; started as a file.

It imports nothing of the project. The imports are awslambdaric's own doing; it then waits for an event and forks, and
the fork goes on with the event as if it had never been anything else. It posts its process id first; if it fails, the
process that it came from posts its exit code, as subprocess gives it. Modules to import in addition to the handler's
are named behind the handler.
Source: https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html
"""

import contextlib
import encodings.idna  # noqa: F401 - or each fork would load it for its first connection
import http.client
import importlib
import os
import select
import signal
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
        """Begin to watch, in a thread."""
        self._thread.start()

    def leave(self) -> None:
        """End the thread: a process that forks must have no other."""
        self._enough.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._enough.is_set():
            if select.select([LIFELINE], [], [], LOOK_SECONDS)[0] and not os.read(LIFELINE, 1):
                os.killpg(os.getpgrp(), signal.SIGKILL)


class SnapStartClient(LambdaRuntimeClient):  # type: ignore[misc]  # awslambdaric ships no types
    """The real runtime client, whose first wait for an event returns in forks only, and whose second never does."""

    def __init__(self, address: str, modules: Sequence[str], lifeline: Lifeline) -> None:
        super().__init__(address)
        self._modules = modules
        self._lifeline = lifeline
        self._is_fork = False

    def wait_next_invocation(self) -> Any:
        """Return the event of this fork."""
        if self._is_fork:
            os._exit(0)
        for module in self._modules:
            importlib.import_module(module)
        self._lifeline.leave()
        while True:
            event = super().wait_next_invocation()  # raises when the local system has ended
            child = fork()
            if not child:
                self._is_fork = True
                Lifeline().watch()
                runtime_client.initialize_client("fork")  # the connection is the parent's
                self._post(event.invoke_id, "fork", os.getpid())
                return event
            if code := end_of(child):
                self._post(event.invoke_id, "exit", code)

    def _post(self, request_id: str, kind: str, number: int) -> None:
        with contextlib.closing(http.client.HTTPConnection(self.lambda_runtime_address)) as connection:
            connection.request("POST", f"/2018-06-01/runtime/invocation/{request_id}/{kind}", str(number))
            connection.getresponse().read()


def fork() -> int:
    """Fork, the child in a process group of its own."""
    with warnings.catch_warnings():
        # The thread that has just been joined may still count as one.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(child, child)
    return child


def end_of(child: int) -> int:
    """Wait for the child, end what it has left behind, and return its exit code or, below 0, its signal."""
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Import, then run one fork after another until the local system ends."""
    lifeline = Lifeline()
    lifeline.watch()
    config = LambdaConfigProvider(sys.argv)
    modules = sys.argv[2:]
    del sys.argv[2:]
    bootstrap.run(config.handler, SnapStartClient(config.api_address, modules, lifeline))


if __name__ == "__main__":
    main()
