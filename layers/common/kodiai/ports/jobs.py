"""The queues of jobs, and the time."""

from typing import Literal, Protocol

from kodiai.core.events.job import QueuedJob

QueueName = Literal["reviews", "mentions"]


class JobQueue(Protocol):
    """The queues of jobs, in order for each pull request."""

    def send(self, queue: QueueName, job: QueuedJob) -> None:
        """Send a job; the queue drops the same delivery for five minutes. Raises Retry or Broken."""


class Clock(Protocol):
    """The time."""

    def now(self) -> float:
        """Seconds since the epoch."""
