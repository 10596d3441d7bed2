"""A message that comes too early is put back once, which is no attempt; the last attempt is the last."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from kodiai.consume import consume
from kodiai.core.events.job import DeliveryAttempt, Job
from tests.builders import a_job

SENT = 1_700_000_000_000
JOB = a_job(trigger="synchronize", head="a" * 40)
PUT_BACK = {"batchItemFailures": [{"itemIdentifier": "m"}]}
DONE: dict[str, Any] = {"batchItemFailures": []}


class Context:
    """An invocation with a minute left."""

    aws_request_id = "us"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


@dataclass
class Queue:
    """A queue whose messages are tried five times, and what was done with its message."""

    attempts: int = 5
    delays: list[float] = field(default_factory=list)
    buried: list[tuple[str, str]] = field(default_factory=list)

    def delay(self, receipt_handle: str, seconds: float) -> None:
        assert receipt_handle == "r"
        self.delays.append(seconds)

    def send_to_dlq(self, record: Mapping[str, Any], outcome: str, reason: str) -> None:
        assert record["messageId"] == "m"
        self.buried.append((outcome, reason))


@dataclass
class Door:
    """A door behind a queue: `answers` what came of it, and the turns that it had."""

    queue: Queue = field(default_factory=Queue)
    turns: list[DeliveryAttempt] = field(default_factory=list)
    fails: bool = False

    def receive(
        self,
        *,
        times: int,
        first_after: float,
        wait: Callable[[Job], float],
        behind: Sequence[Mapping[str, str]] = (),
    ) -> Any:
        """Hand the message over for the n-th time; it was first received that number of seconds after it was sent.

        The messages `behind` it are in the same batch.
        """
        record = {
            "messageId": "m",
            "receiptHandle": "r",
            "body": JOB.to_message(),
            "eventSource": "aws:sqs",
            "attributes": {
                "ApproximateReceiveCount": f"{times}",
                "SentTimestamp": f"{SENT}",
                "ApproximateFirstReceiveTimestamp": f"{SENT + round(first_after * 1000)}",
                "MessageGroupId": JOB.group_id,
            },
        }
        context: Any = Context()
        queue: Any = self.queue
        return consume({"Records": [record, *behind]}, context, Job.from_message, self._work, lambda: queue, wait)

    def _work(self, job: Job, turn: DeliveryAttempt) -> Mapping[str, Any]:
        assert job == JOB
        self.turns.append(turn)
        if self.fails:
            raise RuntimeError("no")
        return {"outcome": "completed", "reason": "done"}


def a_minute(_: Job) -> float:
    return 60


def test_a_message_that_comes_early_waits_for_the_rest_and_nothing_is_done() -> None:
    """In whole seconds, never fewer than are left, or it would come early again."""
    door = Door()

    answer = door.receive(times=1, first_after=2.3, wait=a_minute)

    assert (answer, door.turns, door.queue) == (PUT_BACK, [], Queue(delays=[58]))


@pytest.mark.parametrize(("times", "attempt"), [(2, 1), (3, 2), (6, 5)])
def test_having_been_put_back_is_no_attempt(times: int, attempt: int) -> None:
    """It is begun whenever it comes again: it is put back once, also where that died before it could say how long."""
    door = Door()

    answer = door.receive(times=times, first_after=2.3, wait=a_minute)

    assert (answer, door.queue) == (DONE, Queue())
    assert [(turn.attempt, turn.is_last) for turn in door.turns] == [(attempt, attempt == 5)]


@pytest.mark.parametrize(("first_after", "wait"), [(60, 60), (700, 60), (0.2, 0)])
def test_a_message_that_has_waited_long_enough_is_begun_at_once(first_after: float, wait: float) -> None:
    """Behind others in its group, or where nothing is waited for."""
    door = Door()

    answer = door.receive(times=1, first_after=first_after, wait=lambda _: wait)

    assert (answer, door.queue) == (DONE, Queue())
    assert [turn.attempt for turn in door.turns] == [1]


def test_a_failure_after_the_wait_waits_as_any_first_failure_does() -> None:
    """Ten seconds; the sixth receive is the fifth attempt, and is buried where it fails."""
    door = Door(fails=True)

    assert door.receive(times=2, first_after=1, wait=a_minute) == PUT_BACK
    assert (door.queue.delays, door.queue.buried) == ([10], [])
    assert door.receive(times=6, first_after=1, wait=a_minute) == DONE
    assert door.queue.buried == [("crashed", "RuntimeError: no")]


def test_a_message_that_killed_every_attempt_is_buried_with_that_reason() -> None:
    """The queue has one receive left for it, in which nothing is tried."""
    door = Door()

    answer = door.receive(times=6, first_after=0.1, wait=lambda _: 0)

    assert (answer, door.turns) == (DONE, [])
    assert door.queue.buried == [("broken", "the function was killed at every attempt")]


def test_no_message_is_begun_behind_one_that_failed() -> None:
    """It would overtake the one before it. Both are delivered again, in their order."""
    door = Door(fails=True)

    answer = door.receive(times=1, first_after=0.1, wait=lambda _: 0, behind=[{"messageId": "n"}])

    assert answer == {"batchItemFailures": [{"itemIdentifier": "m"}, {"itemIdentifier": "n"}]}
    assert len(door.turns) == 1
