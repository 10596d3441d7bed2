"""A fork server: it imports modules once, and forks a process for each execution environment.

It is started as a file and imports nothing of the project. Standard input is a connection on which the local system
names the modules, and then asks for processes. Standard output has one line for each start ("started PID") and for
each end ("ended PID CODE", the code as subprocess gives it). When the connection ends, the processes end too.
Each process runs the real Lambda runtime client.
"""

import contextlib
import gc
import importlib.abc
import multiprocessing.connection
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle


def serve(asked: Connection) -> tuple[str, str, dict[str, str]] | None:
    """Fork for each request. Return its handler, folder and environment in a fork, and None when all is over."""
    reading, writing = os.pipe()
    for end in (reading, writing):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    running: set[int] = set()
    while True:
        ready = multiprocessing.connection.wait([asked, reading])
        if reading in ready:
            os.read(reading, 4096)
            report_ends(running)
        if asked in ready:
            try:
                request = asked.recv()
                output = recv_handle(asked)
            except EOFError:
                for child in running:
                    end_group(child)
                return None
            child = os.fork()
            if not child:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                become(output, (reading, writing, output))
                return request  # type: ignore[no-any-return]  # what the local system sends
            os.close(output)
            lead_group(child)
            running.add(child)
            report("started", child)


def report_ends(running: set[int]) -> None:
    """Report each process that has ended, once nothing of its group is left."""
    for child in list(running):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            running.remove(child)
            end_group(child)
            report("ended", child, os.waitstatus_to_exitcode(status))


def report(*words: object) -> None:
    """Write a line."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def become(output: int, unneeded: tuple[int, ...]) -> None:
    """Turn a fork into a process that writes to `output`, and knows nothing of its origin."""
    lead_group(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for old, new in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(old, new)
    for each in (nothing, *unneeded):
        os.close(each)


def lead_group(child: int) -> None:
    """Make a process the leader of its own group; both it and its parent do, so neither has to wait for the other."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.setpgid(child, 0)


def end_group(leader: int) -> None:
    """Kill a process and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def run(handler: str, folder: str, environment: dict[str, str]) -> int:
    """Run the Lambda runtime client to its end, and return its exit code."""
    shared = os.environ["PYTHONPATH"].split(os.pathsep)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    os.chdir(folder)
    with contextlib.suppress(OSError), open("/proc/self/comm", "w") as name:  # noqa: PTH123 - pathlib takes its time
        name.write(handler.partition(".")[0])
    sys.path[:] = [*environment["PYTHONPATH"].split(os.pathsep), *(path for path in sys.path if path not in shared)]
    sys.argv = ["awslambdaric", handler]
    try:
        runpy.run_module("awslambdaric", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(bool(end.code))
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


class Only(importlib.abc.MetaPathFinder):
    """Lets modules be imported that were named, and of other packages all: what is not named is for the forks."""

    def __init__(self, modules: Sequence[str]) -> None:
        self._modules = set(modules)
        self._packages = {name.partition(".")[0] for name in modules}

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse the other modules of the packages. Raises ImportError."""
        if name.partition(".")[0] in self._packages and name not in self._modules:
            raise ImportError(f"{name} is for the forks")


def import_all(modules: Sequence[str]) -> None:
    """Import the modules that can be imported here; the fork that needs another one reports its error."""
    only = Only(modules)
    sys.meta_path.insert(0, only)
    for module in modules:
        with contextlib.suppress(ImportError):
            importlib.import_module(module)
    sys.meta_path.remove(only)


def main() -> None:
    """Import, then serve; a fork goes on from here."""
    asked = Connection(0)
    import_all(asked.recv())
    gc.freeze()
    request = serve(asked)
    if request is None:
        return
    code = run(*request)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
