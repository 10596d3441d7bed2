"""A test outside of a system sees which process works on which event, and may end it there."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from local.aws import LocalAws
from local.lambdas import LocalSystem
from tests.local.lambdas.running import logged, problems, send, until

Start = Callable[..., AbstractContextManager[LocalSystem]]


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
