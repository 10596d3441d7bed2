"""A review that runs out of time goes on as a fresh message, for as long as that leads on."""

from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kodiai.core.errors import Broken, OutOfTime, Refused, Retry
from kodiai.core.events.job import Job
from kodiai.core.outcome import Ended, Outcome
from kodiai.flows.review.session import ReviewSession
from tests.builders import a_job
from tests.tables import each_row


@dataclass
class Queue:
    """Where the next message goes."""

    sent: list[Job] = field(default_factory=list)

    def send(self, _: str, job: Job) -> None:
        self.sent.append(job)


@dataclass
class Notes:
    """A ledger that knows only how requests for previews ended."""

    noted: list[tuple[str, str, str]] = field(default_factory=list)

    def note_preview(self, delivery: str, outcome: Outcome) -> None:
        self.noted.append((delivery, outcome.status, outcome.reason))


def session(delivery: str, queue: Queue, ledger: Any = None, *, is_last: bool = False) -> ReviewSession:
    """A review in a message of that name, or a preview with a ledger that notes how it ends."""
    attempt = SimpleNamespace(owner="us", deadline=600.0, is_last=is_last)
    ports = SimpleNamespace(
        github=None,
        ledger=ledger,
        deadline=SimpleNamespace(attempt=attempt),
        bot_login="kodiai[bot]",
        settings=SimpleNamespace(github=SimpleNamespace(dry_run=ledger is not None)),
        queue=queue,
    )
    return ReviewSession(a_job(delivery=delivery, preview=ledger is not None), cast(Any, ports))


def out_of_time(delivery: str, *, has_progressed: bool) -> tuple[str, list[str]]:
    """The outcome of a review in a message of that name, and the messages that follow."""
    queue = Queue()
    late = session(delivery, queue)
    with late:
        late.has_progressed = has_progressed
        raise OutOfTime("the time is up")
    return late.outcome.status, [job.delivery for job in queue.sent]


@each_row(
    ("error", "is_last", "status"),
    [
        (Retry("GitHub is busy"), False, "retry"),
        (Retry("GitHub is busy"), True, "failed"),
        (Broken("the key is wrong"), False, "failed"),
        (Refused("the key is wrong"), False, "refused"),
        (Ended("skipped", "a draft"), False, "skipped"),
        (ValueError("a bug"), False, "retry"),
        (ValueError("a bug"), True, "failed"),
    ],
)
def test_whoever_waits_for_a_preview_is_told_how_each_message_ended(
    error: Exception, is_last: bool, status: str
) -> None:
    """An error that is tried again differs from one that is not; the queue learns of both as ever."""
    notes = Notes()
    preview = session("guid.2", Queue(), notes, is_last=is_last)

    with suppress(Exception), preview:
        raise error

    assert notes.noted == [("guid", status, preview.outcome.reason if status == "skipped" else str(error))]


def test_a_review_is_given_up_after_fifty_messages_without_an_answer() -> None:
    """Another one would not get any either: that is a dead letter, which somebody looks at.

    While each message gets one, what it may cost and the tokens that it is planned with bound it.
    """
    assert out_of_time("guid.50", has_progressed=True) == ("continued", ["guid.51"])
    assert out_of_time("guid.700", has_progressed=True) == ("continued", ["guid.701"])
    assert out_of_time("guid.49", has_progressed=False) == ("continued", ["guid.50"])
    with pytest.raises(Broken, match="continued 50 times and is still not done"):
        out_of_time("guid.50", has_progressed=False)
