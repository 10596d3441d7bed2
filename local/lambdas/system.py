"""The system of a template on one machine: its HTTP API, queues, event sources and functions."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from local.aws import LocalAws
from local.aws.protocol import ACCOUNT, REGION
from local.lambdas import description
from local.lambdas.event_source import EventSourceMapping
from local.lambdas.execution_environment import RunningEvent
from local.lambdas.function import Function, ProcessOptions
from local.lambdas.http_api import AccessLog, HttpApi
from local.lambdas.log import Log
from local.lambdas.resources import creators, describe
from local.lambdas.runtime_api import Result
from local.lambdas.stack import Attributes, Stack
from local.lambdas.template import read_template
from local.recent import Recent

_HTTP_CONCURRENCY = 4  # processes of a function that answers HTTP
_INIT_TIMEOUT = 60  # seconds
_QUIET_POLL_SECONDS = (0.05, 0.2)
_COUNTS = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
PSEUDO_PARAMETERS = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}


@dataclass(frozen=True)
class Deployed:
    """A stack whose resources are made: its name, which its roles carry, and the API that was made for it."""

    name: str
    stack: Stack
    api: HttpApi


@dataclass(frozen=True)
class NewStack:
    """A stack whose resources are still to be made.

    `parameters` are the template's parameters. `secrets` are values below the template's output ParameterPrefix:
    parameters that the template creates are overridden, all others become a SecureString.
    `overrides` replaces properties of resources by logical id, such as a shorter Timeout for a test.
    `port` is the port of the HTTP API.
    """

    parameters: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    port: int = 0


class LocalSystem:
    """Everything that the template deploys, running here on a local AWS; a context manager.

    For a stack that is already deployed, `template` only locates the folders of the functions.
    `functions_aws` is the environment by which the functions find AWS, such as the endpoints of a proxy.
    `before_events` is called when everything is made, before the first call of a function.
    """

    def __init__(
        self,
        template: Path,
        aws: LocalAws,
        stack: NewStack | Deployed = NewStack(),
        *,
        functions_aws: Mapping[str, str] | None = None,
        processes: ProcessOptions | None = None,
        before_events: Callable[[], None] | None = None,
    ) -> None:
        self._template = template
        self._aws = aws
        self._stack = stack
        self._functions_aws = functions_aws
        self._processes = processes or ProcessOptions()
        self._before_events = before_events
        self._log = Log()
        self._functions: dict[str, Function] = {}
        self._sources: list[description.EventSource] = []
        self._scheduled: list[str] = []
        self.api_url = ""
        self.webhook_url = ""
        self.environment: dict[str, str] = {}
        self.outputs: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Make the resources, then start functions, event sources and the HTTP API."""
        with ExitStack() as started:
            if isinstance(self._stack, NewStack):
                api = HttpApi(self._stack.port)
                started.callback(api.stop)
                stack = self._make_resources(self._stack, api.url)
            else:
                stack, api = self._stack.stack, self._stack.api
            self._sources = description.event_sources(stack)
            self._scheduled = description.scheduled(stack)
            self._make_functions(stack)
            routes = description.routes(stack)
            mappings = [self._mapping(source) for source in self._sources]
            for mapping in mappings:
                started.callback(mapping.stop)
            for function in self._functions.values():
                started.callback(function.stop)
                function.prepare()
            if self._before_events is not None:
                self._before_events()
            for mapping in mappings:
                started.callback(mapping.close)  # before everything else: a stopping function's message stays
                mapping.start()
            form = description.access_log_format(stack)
            api.answer_with(routes, self._functions, AccessLog(form, self._add_access) if form else None)
            self.api_url, self.webhook_url = api.url, api.url + routes[0].path
            self._started = started.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything; what a function had not finished stays in its queue."""
        self._started.close()

    @property
    def log_lines(self) -> Recent[dict[str, Any]]:
        """Each line that a function has written: its JSON with "function" added, or {"function", "text"}."""
        return self._log.lines

    def on_log(self, callback: Callable[[Mapping[str, Any]], None]) -> None:
        """Have the callback called with each further line, from another thread."""
        self._log.on_line(callback)

    def fire_schedules(self) -> list[Result]:
        """Call each function that a schedule calls, as if its time had come, and wait until it has ended.

        No schedule fires by itself here. One that is disabled does not fire at all.
        Source: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-run-lambda-schedule.html
        """
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        event = {"source": "aws.events", "detail-type": "Scheduled Event", "time": at, "region": REGION, "detail": {}}
        return [self._functions[name].invoke(json.dumps(event).encode()) for name in self._scheduled]

    def running_events(self) -> list[RunningEvent]:
        """Return the invocations under way; one is listed before its function's handler begins."""
        return [running for function in self._functions.values() for running in function.running_events()]

    def kill(self, process_id: int) -> None:
        """Send SIGKILL to the process that runs an event; the event fails, and its message comes again.

        Raises ValueError for any process that `running_events` does not list.
        """
        if not any(function.kill(process_id) for function in self._functions.values()):
            raise ValueError(f"no event runs in the process {process_id}")

    def wait_until_quiet(self, timeout: float) -> None:
        """Wait until the queues hold nothing and no function runs.

        Raises TimeoutError, which names what is left, after `timeout` seconds.
        """
        end = time.monotonic() + timeout
        wait, longest = _QUIET_POLL_SECONDS
        # A message that turns visible while it is counted is in no count, so nothing is left where two in a row say so.
        while self.is_working or self._left() or self._left():
            if time.monotonic() > end and (left := self._left()):
                raise TimeoutError(f"after {timeout:g} seconds there is still work: {left}")
            time.sleep(wait)
            wait = min(2 * wait, longest)

    @property
    def is_working(self) -> bool:
        """Whether a function has an event, also one for which a process is only being started."""
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
        answer = self._aws.ask("sqs", "GetQueueAttributes", QueueUrl=url, AttributeNames=list(_COUNTS))
        return sum(int(answer["Attributes"][name]) for name in _COUNTS)

    def _make_resources(self, new: NewStack, api_url: str) -> Stack:
        def named(name: str, given: Mapping[str, Any]) -> Attributes:
            own = {"ApiEndpoint": api_url} if given["Type"] == description.HTTP_API else {}
            return {**describe(name, given), **own}

        template = read_template(self._template)
        stack = Stack(template, new.parameters, PSEUDO_PARAMETERS, creators(self._aws), named, new.overrides)
        stack.make_all()
        self.outputs = stack.outputs()
        self._put_secrets(new.secrets, {stack.attributes(name)["Ref"] for name in stack.of_type("AWS::SSM::Parameter")})
        return stack

    def _add_access(self, line: str) -> None:
        self._log.add("WebhookApi", line)

    def _put_secrets(self, secrets: Mapping[str, str], plain: set[str]) -> None:
        for name, value in secrets.items():
            path = f"{self.outputs['ParameterPrefix']}/{name}"
            kind = "String" if path in plain else "SecureString"
            self._aws.ask("ssm", "PutParameter", Name=path, Value=value, Type=kind, Overwrite=True)

    def _make_functions(self, stack: Stack) -> None:
        aws = {"AWS_REGION": REGION, **(self._functions_aws or self._aws.endpoints)}
        self.environment = dict(aws)
        concurrency = {source.function: source.concurrency for source in self._sources}
        for found in description.functions(stack, self._template.parent):
            self.environment |= found.environment
            own = aws
            if found.role is not None:
                role = f"{self._stack.name}-{found.role}" if isinstance(self._stack, Deployed) else found.role
                self._aws.permissions.give(role, description.statements(stack, found.role))
                own = {**aws, "AWS_ACCESS_KEY_ID": self._aws.access_key(role)}
            self._functions[found.name] = Function(
                found,
                own,
                self._log.add,
                concurrency=concurrency.get(found.name, _HTTP_CONCURRENCY),
                init_timeout=_INIT_TIMEOUT,
                processes=self._processes,
            )

    def _mapping(self, source: description.EventSource) -> EventSourceMapping:
        return EventSourceMapping(source, self._functions[source.function], self._aws, self._log.add)
