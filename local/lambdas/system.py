"""The system of a template on one machine: its door, queues, event sources and functions."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from local.lambdas import description
from local.lambdas.door import Door
from local.lambdas.event_source import EventSourceMapping
from local.lambdas.function import Function
from local.lambdas.log import Log
from local.lambdas.resources import Clients, creators, describer
from local.lambdas.sandbox import RunningEvent
from local.lambdas.stack import Stack
from local.lambdas.template import read_template

_QUIET_POLL_SECONDS = (0.05, 0.2)
_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed")


class LocalSystem:
    """Everything that the template deploys, running here; a context manager, or `start` and `stop`.

    `aws_environment` holds AWS_ENDPOINT_URL (or one for each service), the keys and AWS_DEFAULT_REGION;
    `functions_aws` is what the functions find in its place, such as the endpoints of a proxy.
    `parameters` are the template's parameters. `secrets` are values to put below the template's output
    ParameterPrefix: what the template creates is overridden, all else becomes a SecureString.
    `overrides` replaces properties of resources by logical id, such as a shorter Timeout for a test.
    `http_concurrency` bounds the processes of a function that answers HTTP; a function that reads a queue
    has its event source's MaximumConcurrency. `init_timeout` is in seconds.
    With `restore`, as with SnapStart, a function's processes import the handler's module and these modules,
    and then fork for each event: what an event leaves in the memory, no other finds.
    `before_events` is called once everything is made, and nothing has called a function yet.
    """

    def __init__(
        self,
        template: Path,
        aws_environment: Mapping[str, str],
        *,
        functions_aws: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        secrets: Mapping[str, str] | None = None,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
        port: int = 0,
        http_concurrency: int = 4,
        init_timeout: float = 60,
        restore: Sequence[str] | None = None,
        before_events: Callable[[], None] | None = None,
        account: str = "123456789012",
    ) -> None:
        self._template = template
        self._aws = _with_region(aws_environment)
        self._functions_aws = self._aws if functions_aws is None else _with_region(functions_aws)
        self._parameters = parameters or {}
        self._secrets = secrets or {}
        self._overrides = overrides or {}
        self._port = port
        self._http_concurrency = http_concurrency
        self._init_timeout = init_timeout
        self._restore = restore
        self._before_events = before_events
        self._account = account
        self._log = Log()
        self._clients = Clients(self._aws)
        self._functions: dict[str, Function] = {}
        self._mappings: list[EventSourceMapping] = []
        self._sources: list[description.EventSource] = []
        self._door: Door | None = None
        self.webhook_url = ""
        self.environment: dict[str, str] = {}
        self.outputs: dict[str, str] = {}

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def log_lines(self) -> list[dict[str, Any]]:
        """Each line that a function has written: its JSON with "function" added, or {"function", "text"}."""
        return self._log.lines

    def on_log(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        """Has each further line told to the callback, from another thread."""
        self._log.on_line(callback)

    def running_events(self) -> list[RunningEvent]:
        """Returns the invocations under way; one is listed before its function's handler begins."""
        return [running for function in self._functions.values() for running in function.running_events()]

    def kill(self, process_id: int) -> None:
        """Sends SIGKILL to the process that runs an event; the event fails, and its message comes again.

        Raises ValueError for any process that `running_events` does not list.
        """
        if not any(function.kill(process_id) for function in self._functions.values()):
            raise ValueError(f"no event runs in the process {process_id}")

    def start(self) -> None:
        """Makes the resources, then starts functions, event sources and the door."""
        region = self._clients.region
        stack = Stack(
            read_template(self._template),
            self._parameters,
            _pseudo(region, self._account),
            creators(self._clients),
            describer(region, self._account),
            self._overrides,
        )
        stack.make_all()
        self.outputs = stack.outputs()
        self._put_secrets({stack.attributes(name)["Ref"] for name in stack.of_type("AWS::SSM::Parameter")})
        self._sources = description.event_sources(stack)
        self._start_functions(stack)
        if self._before_events is not None:
            self._before_events()
        self._start_mappings()
        self._open_door(description.routes(stack))

    def stop(self) -> None:
        """Stops everything; what a function had not finished stays in its queue."""
        for mapping in self._mappings:
            mapping.close()
        for function in self._functions.values():
            function.stop()
        for mapping in self._mappings:
            mapping.stop()
        if self._door is not None:
            self._door.stop()
        self._clients.close()
        self._door, self._functions, self._mappings = None, {}, []

    def wait_until_quiet(self, timeout: float) -> None:
        """Waits until the queues hold nothing and no function runs.

        Raises TimeoutError, which names what is left, after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        wait, longest = _QUIET_POLL_SECONDS
        # A message that turns visible while it is counted is in no count, so nothing is left where two in a row say so.
        while self._runs() or self._left() or self._left():
            if time.monotonic() > end and (left := self._left()):
                raise TimeoutError(f"after {timeout:g} seconds there is still work: {left}")
            time.sleep(wait)
            wait = min(2 * wait, longest)

    def _runs(self) -> bool:
        return any(function.running for function in self._functions.values())

    def _left(self) -> str:
        # A function may send a message while the queues are counted, so nothing may have begun or run meanwhile.
        before = self._begun()
        counts = {source.queue_url.rpartition("/")[2]: self._messages(source.queue_url) for source in self._sources}
        running = {name: function.running for name, function in self._functions.items()}
        waiting = [f"{count} in {name}" for name, count in counts.items() if count]
        working = [f"{name} runs {count}" for name, count in running.items() if count]
        fresh = ["something has just begun"] if before != self._begun() else []
        return ", ".join(waiting + working + fresh)

    def _begun(self) -> list[tuple[int, int]]:
        return [(function.begun, function.running) for function in self._functions.values()]

    def _messages(self, url: str) -> int:
        answer = self._clients.client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=list(_COUNTS))
        return sum(int(answer["Attributes"].get(name, 0)) for name in _COUNTS)

    def _put_secrets(self, plain: set[str]) -> None:
        for name, value in self._secrets.items():
            path = f"{self.outputs['ParameterPrefix']}/{name}"
            kind = "String" if path in plain else "SecureString"
            self._clients.client("ssm").put_parameter(Name=path, Value=value, Type=kind, Overwrite=True)

    def _start_functions(self, stack: Stack) -> None:
        self.environment = dict(self._functions_aws)
        concurrency = {source.function: source.concurrency for source in self._sources}
        for found in description.functions(stack, self._template.parent):
            self.environment |= found.environment
            self._functions[found.name] = Function(
                found,
                self._functions_aws,
                self._log.add,
                concurrency=concurrency.get(found.name, self._http_concurrency),
                init_timeout=self._init_timeout,
                restore=self._restore,
            )
        for function in self._functions.values():
            function.start()

    def _start_mappings(self) -> None:
        sqs = self._clients.client("sqs")
        for source in self._sources:
            function = self._functions[source.function]
            mapping = EventSourceMapping(source, function, sqs, self._clients.region, self._log.add)
            self._mappings.append(mapping)
            mapping.start()

    def _open_door(self, routes: list[description.Route]) -> None:
        self._door = Door(routes, self._functions, self._port)
        self._door.start()
        path = next((route.path for route in routes if route.method == "POST"), "")
        self.webhook_url = self._door.url + path


def _with_region(aws: Mapping[str, str]) -> dict[str, str]:
    return {"AWS_REGION": aws["AWS_DEFAULT_REGION"], **aws}


def _pseudo(region: str, account: str) -> dict[str, str]:
    return {
        "AWS::Region": region,
        "AWS::AccountId": account,
        "AWS::Partition": "aws",
        "AWS::URLSuffix": "amazonaws.com",
        "AWS::StackName": "local",
        "AWS::StackId": f"arn:aws:cloudformation:{region}:{account}:stack/local/local",
    }
