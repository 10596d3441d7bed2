"""One function with its processes: one at first, more when events come at the same time."""

import threading
from collections.abc import Callable, Mapping, Sequence

from local.lambdas.description import FunctionDescription
from local.lambdas.runtime_api import Result
from local.lambdas.sandbox import RunningEvent, Sandbox


class Function:
    """Runs events of one function in up to `concurrency` processes; further callers wait their turn.

    With `restore`, each of them forks for every event, after it has imported these modules beside the handler's.
    """

    def __init__(
        self,
        description: FunctionDescription,
        aws: Mapping[str, str],
        on_line: Callable[[str, str], None],
        *,
        concurrency: int,
        init_timeout: float,
        restore: Sequence[str] | None = None,
    ) -> None:
        self.description = description
        self._aws = aws
        self._on_line = on_line
        self._init_timeout = init_timeout
        self._restore = restore
        self._turn = threading.Semaphore(concurrency)
        self._lock = threading.Lock()
        self._idle: list[Sandbox] = []
        self._all: set[Sandbox] = set()
        self._stopped = False
        self.running = 0
        self.begun = 0

    def start(self) -> None:
        """Starts the first process, without waiting until it is ready."""
        self._idle.append(self._make())

    def invoke(self, event: bytes) -> Result:
        """Runs one event in a free process, a fresh one when the last has ended."""
        with self._lock:
            self.running += 1
            self.begun += 1
        try:
            with self._turn:
                return self._run(event)
        finally:
            with self._lock:
                self.running -= 1

    def stop(self) -> None:
        """Kills every process; events under way end with an error."""
        with self._lock:
            self._stopped = True
            sandboxes, self._all, self._idle = self._all, set(), []
        for sandbox in sandboxes:
            sandbox.stop()

    def process_ids(self) -> set[int]:
        """Returns the ids of the processes that there are now."""
        with self._lock:
            return {process_id for sandbox in self._all for process_id in sandbox.process_ids}

    def running_events(self) -> list[RunningEvent]:
        """Returns the events that are in a process now; one that waits for its turn is in none."""
        with self._lock:
            return [running for sandbox in self._all if (running := sandbox.running) is not None]

    def kill(self, process_id: int) -> bool:
        """Kills the process if it runs an event, and tells whether it does."""
        with self._lock:
            return any(sandbox.kill_event(process_id) for sandbox in self._all)

    def _run(self, event: bytes) -> Result:
        sandbox = self._take()
        if sandbox is None:
            return Result.failure("Sandbox.Stopped", "the local system has stopped")
        result = sandbox.invoke(event)
        if sandbox.alive:
            with self._lock:
                self._idle.append(sandbox)
        else:
            self._discard(sandbox)
        return result

    def _take(self) -> Sandbox | None:
        while True:
            with self._lock:
                if self._stopped:
                    return None
                sandbox = self._idle.pop() if self._idle else None
            if sandbox is None:
                return self._make()
            if sandbox.alive:
                return sandbox
            self._discard(sandbox)

    def _make(self) -> Sandbox:
        name = self.description.name
        sandbox = Sandbox(
            self.description, self._aws, lambda line: self._on_line(name, line), self._init_timeout, self._restore
        )
        with self._lock:
            self._all.add(sandbox)
            stopped = self._stopped
        if stopped:
            sandbox.stop()
        return sandbox

    def _discard(self, sandbox: Sandbox) -> None:
        with self._lock:
            self._all.discard(sandbox)
        sandbox.stop()
