"""One function with its processes: one for each event that comes while all others are busy."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from local.lambdas.description import FunctionDescription
from local.lambdas.execution_environment import ExecutionEnvironment, RunningEvent
from local.lambdas.fork_server import ForkServer, fork_server
from local.lambdas.runtime_api import Result
from local.lambdas.variables import variables_of, variables_of_imports


@dataclass(frozen=True)
class ProcessOptions:
    """The start and reuse of the processes of functions.

    `modules` are imported once for all functions, whose processes begin as forks of the one that has them.
    Without `reuse` each event has a process of its own, with a fresh memory.
    """

    modules: Sequence[str] = ()
    reuse: bool = True


class Function:
    """Runs events of one function in up to `concurrency` processes; further callers wait their turn.

    A process starts with the first event that needs it.
    """

    def __init__(
        self,
        description: FunctionDescription,
        aws: Mapping[str, str],
        on_line: Callable[[str, str], None],
        *,
        concurrency: int,
        init_timeout: float,
        processes: ProcessOptions = ProcessOptions(),
    ) -> None:
        self.description = description
        self._aws = aws
        self._on_line = on_line
        self._init_timeout = init_timeout
        self._processes = processes
        self._turn = threading.Semaphore(concurrency)
        self._lock = threading.Lock()
        self._idle: list[ExecutionEnvironment] = []
        self._all: set[ExecutionEnvironment] = set()
        self._stopped = False
        self.running = 0
        self.begun = 0

    def prepare(self) -> None:
        """Begin with the imports, without waiting for them."""
        self._server(variables_of(self.description, self._aws, ""))

    def invoke(self, event: bytes) -> Result:
        """Run one event in a free process, a fresh one when the last has ended."""
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
        """Kill every process; events under way end with an error."""
        with self._lock:
            self._stopped = True
            environments, self._all, self._idle = self._all, set(), []
        for environment in environments:
            environment.stop()

    def running_events(self) -> list[RunningEvent]:
        """Return the events that are in a process now; one that waits for its turn is in none."""
        with self._lock:
            return [running for environment in self._all if (running := environment.running) is not None]

    def kill(self, process_id: int) -> bool:
        """Kill the process if it runs an event, and tell whether it does."""
        with self._lock:
            return any(environment.kill_event(process_id) for environment in self._all)

    def _run(self, event: bytes) -> Result:
        environment = self._take()
        if environment is None:
            return Result.failure("Local.Stopped", "the local system has stopped")
        result = environment.invoke(event)
        if environment.alive and self._processes.reuse:
            with self._lock:
                self._idle.append(environment)
        else:
            self._discard(environment)
        return result

    def _take(self) -> ExecutionEnvironment | None:
        while True:
            with self._lock:
                if self._stopped:
                    return None
                environment = self._idle.pop() if self._idle else None
            if environment is None:
                return self._make()
            if environment.alive:
                return environment
            self._discard(environment)

    def _make(self) -> ExecutionEnvironment:
        name = self.description.name
        environment = ExecutionEnvironment(
            self.description, self._aws, lambda line: self._on_line(name, line), self._init_timeout, self._server
        )
        with self._lock:
            self._all.add(environment)
            stopped = self._stopped
        if stopped:
            environment.stop()
        return environment

    def _server(self, variables: Mapping[str, str]) -> ForkServer:
        layers = self.description.folders[1:] if self._processes.modules else ()
        return fork_server(tuple(self._processes.modules), tuple(variables_of_imports(variables, layers).items()))

    def _discard(self, environment: ExecutionEnvironment) -> None:
        with self._lock:
            self._all.discard(environment)
        environment.stop()
