"""A test outside of a system sees which process works on which event, and may end it there."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from local.aws import LocalAws
from local.lambdas import LocalSystem, RunningEvent
from local.server import Server
from tests.local.lambdas.running import logged, problems, send, until

Start = Callable[..., AbstractContextManager[LocalSystem]]


class Proxy:
    """Stands in front of an AWS, remembers what was asked for, and calls `on_request` before it passes a request on."""

    def __init__(self, aws: LocalAws) -> None:
        self._aws = aws
        self.operations: list[str] = []
        self.on_request: Callable[[], None] = lambda: None
        self.server = Server(self._pass_on)

    @property
    def environment(self) -> dict[str, str]:
        """The environment that makes a function speak to the proxy instead of the AWS."""
        keys = {name: value for name, value in self._aws.endpoints.items() if not name.startswith("AWS_ENDPOINT")}
        return {"AWS_ENDPOINT_URL": self.server.url, **keys}

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        self.operations.append(request.headers["X-Amz-Target"])
        await run_in_threadpool(self.on_request)
        async with httpx.AsyncClient(trust_env=False) as client:
            url = self._aws.address + request.url.path
            kept = [(name, value) for name, value in request.headers.raw if name != b"host"]
            answer = await client.post(url, content=await request.body(), headers=kept)
        response = Response(answer.content, answer.status_code, media_type=answer.headers["content-type"])
        await response(scope, receive, send)


@pytest.fixture
def proxy(shared_aws: LocalAws) -> Iterator[Proxy]:
    proxy = Proxy(shared_aws)
    proxy.server.start()
    yield proxy
    proxy.server.stop()


@pytest.mark.parametrize("reuse", [True, False])
def test_an_event_is_listed_while_its_function_calls_the_outside(run: Start, proxy: Proxy, *, reuse: bool) -> None:
    """The receiver of a call finds the only process that can have sent it, and its event.

    The functions find another AWS than the platform: what they ask for passes the proxy, and nothing else does.
    """
    with run(functions_aws=proxy.environment, reuse=reuse) as system:
        listed: list[list[RunningEvent]] = []
        proxy.on_request = lambda: listed.append(system.running_events())

        for job in ("1", "2"):
            send(system, {"id": job})
        system.wait_until_quiet(20)

        at_the_calls = [[event for event in events if event.function == "Receiver"] for events in listed]
        assert [json.loads(json.loads(event.event)["body"])["id"] for [event] in at_the_calls] == ["1", "2"]
        assert len({event.request_id for [event] in at_the_calls}) == 2
        assert len({event.process_id for [event] in at_the_calls}) == (1 if reuse else 2)
        assert system.running_events() == []
        assert system.environment["AWS_ENDPOINT_URL"] == proxy.server.url
        assert "AWS_ENDPOINT_URL_SQS" not in system.environment
        assert logged(system, "done") == ["1", "2"]
    assert proxy.operations == ["AmazonSQS.SendMessage"] * 2


def test_a_killed_event_comes_again_when_it_is_visible_again(run: Start, shared_aws: LocalAws) -> None:
    """The listed process and request id are those that the handler sees itself.

    The kill is the function's failure: its message waits for the end of the visibility timeout, then is done.
    """
    with run() as system:
        send(system, {"id": "1", "until": {"1": "never"}})
        until(lambda: logged(system, "began") == ["1"])
        [event] = system.running_events()
        seen = [*logged(system, "process"), *logged(system, "request")]

        system.kill(event.process_id)
        until(lambda: not system.running_events())
        shared_aws.clock.advance(61)
        system.wait_until_quiet(20)

        assert (event.function, [event.process_id, event.request_id]) == ("Worker", seen)
        assert logged(system, "began") == ["1", "1"]
        assert logged(system, "done") == ["1"]
        assert len(set(logged(system, "process"))) == 2


def test_a_queue_that_cannot_be_read_is_reported_and_asked_again(run: Start, shared_aws: LocalAws) -> None:
    """The system goes on, and stops as ever."""
    with run() as system:
        shared_aws.ask("sqs", "DeleteQueue", QueueUrl=system.environment["QUEUE_URL"])
        shared_aws.clock.advance(1)

        until(lambda: len([line for line in problems(system) if "the queue cannot be read" in line]) > 1)
