"""Rerun: request the review of all pull requests of a commit again, as “Re-run all checks” asks for."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from kodiai.core.events.decide import pull_request_of
from kodiai.core.events.job import RerunJob
from kodiai.core.outcome import Outcome
from kodiai.core.text.layout import counted
from kodiai.ports.jobs import JobQueue


@dataclass(frozen=True)
class RerunPorts:
    """`check_ids` gives the external ids of our check runs on a commit. It raises Retry and Refused."""

    check_ids: Callable[[str], Iterable[str | None]]
    queue: JobQueue


def rerun(job: RerunJob, ports: RerunPorts) -> Outcome:
    """Queue a request for each pull request that GitHub or our check runs name; the review skips closed ones.

    Each has a check run from the first event of its head on, one from a fork too. A repeat queues the same requests.
    """
    named = (pull_request_of(each, job.repository_id) for each in ports.check_ids(job.head))
    numbers = sorted({*job.numbers, *(number for number in named if number is not None)})
    for number in numbers:
        ports.queue.send("reviews", job.request(number))
    if not numbers:
        return Outcome("skipped", "neither GitHub nor a check run of ours on this commit names a pull request")
    return Outcome("done", f"{counted(len(numbers), 'review')} requested again")
