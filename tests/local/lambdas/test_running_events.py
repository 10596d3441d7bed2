"""Who stands outside of a system sees which process works on which event, and may end it there."""

import json
import os
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

import pytest

from local.aws import LocalAws
from local.lambdas import LocalSystem, RunningEvent
from local.loopback import LoopbackServer, QuietHandler
from tests.local.lambdas.running import EITHER_WAY, send, told, until

Start = Callable[..., AbstractContextManager[LocalSystem]]


class Proxy:
    """Stands before an AWS, remembers what was asked for, and calls `on_request` before it passes a request on."""

    def __init__(self, aws: LocalAws) -> None:
        self.heard: list[str] = []
        self.on_request: Callable[[], None] = lambda: None
        proxy = self

        class Handler(QuietHandler):
            def do_POST(self) -> None:  # noqa: N802 -- the base class's name
                body = self.rfile.read(int(self.headers["Content-Length"]))
                proxy.heard.append(self.headers["X-Amz-Target"])
                proxy.on_request()
                request = urllib.request.Request(aws.address + self.path, body, dict(self.headers), method="POST")
                with urllib.request.urlopen(request) as answer:
                    self.answer(answer.status, [("Content-Type", "application/x-amz-json-1.0")], answer.read())

        self.server = LoopbackServer(Handler)

    @property
    def environment(self) -> dict[str, str]:
        """What a function has to find to speak to the proxy instead of the AWS."""
        keys = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "eu-central-1"}
        return {"AWS_ENDPOINT_URL": self.server.url, **keys}


@pytest.fixture
def proxy(shared_aws: LocalAws) -> Iterator[Proxy]:
    proxy = Proxy(shared_aws)
    proxy.server.start()
    yield proxy
    proxy.server.stop()


def test_the_functions_may_find_another_aws_than_the_platform(run: Start, proxy: Proxy) -> None:
    """What a function asks for passes the proxy; what the platform does with the queues does not."""
    with run(functions_aws=proxy.environment) as system:
        send(system, {"id": "1"})
        system.wait_until_quiet(20)

        assert system.environment["AWS_ENDPOINT_URL"] == proxy.server.url
        assert "AWS_ENDPOINT_URL_SQS" not in system.environment
        assert told(system, "done") == ["1"]
    assert proxy.heard == ["AmazonSQS.SendMessage"]


@EITHER_WAY
def test_an_event_is_listed_while_its_function_calls_the_outside(
    run: Start, proxy: Proxy, restore: Sequence[str] | None
) -> None:
    """Whoever takes the call finds the one process that it can come from, and its event."""
    with run(functions_aws=proxy.environment, restore=restore) as system:
        listed: list[list[RunningEvent]] = []
        proxy.on_request = lambda: listed.append(system.running_events())

        for job in ("1", "2"):
            send(system, {"id": job})
        system.wait_until_quiet(20)

        at_the_calls = [[event for event in events if event.function == "Door"] for events in listed]
        assert [json.loads(json.loads(event.event)["body"])["id"] for [event] in at_the_calls] == ["1", "2"]
        assert len({event.request_id for [event] in at_the_calls}) == 2
        assert len({event.process_id for [event] in at_the_calls}) == (1 if restore is None else 2)
        assert system.running_events() == []


@EITHER_WAY
def test_the_listed_process_is_the_one_in_which_the_handler_runs(run: Start, restore: Sequence[str] | None) -> None:
    """Process and request id are those that the function sees itself."""
    with run(restore=restore) as system:
        send(system, {"id": "1", "seconds": 60})
        until(lambda: told(system, "began") == ["1"])

        [event] = system.running_events()

        assert (event.function, event.process_id, event.request_id) == (
            "Worker",
            *told(system, "process"),
            *told(system, "request"),
        )


@EITHER_WAY
def test_a_killed_event_comes_again_when_it_is_visible_again(run: Start, restore: Sequence[str] | None) -> None:
    """The kill is the function's failure: its message waits for the end of the visibility timeout, then is done."""
    with run(restore=restore) as system:
        send(system, {"id": "1", "seconds_at_first": 60})
        until(lambda: told(system, "began") == ["1"])

        system.kill(system.running_events()[0].process_id)
        system.wait_until_quiet(20)

        assert told(system, "began") == ["1", "1"]
        assert told(system, "done") == ["1"]
        assert len(set(told(system, "process"))) == 2


def test_only_a_process_that_runs_an_event_can_be_killed(run: Start) -> None:
    """Any other id is refused: not even a function's own idle process is ended."""
    with run() as system:
        send(system, {"id": "1"})
        system.wait_until_quiet(20)
        idle = told(system, "process")

        for process in [os.getpid(), *idle]:
            with pytest.raises(ValueError, match=f"no event runs in the process {process}"):
                system.kill(process)

        send(system, {"id": "2"})
        system.wait_until_quiet(20)
        assert told(system, "process") == idle * 2
