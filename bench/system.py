"""The whole local system in front of one repository, for benchmarks that send it events."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from local.connected import Connected, connected
from local.follower import Follower, LogLine
from local.machine import MachineOptions
from local.model import Answers

_LONGEST_SECONDS = 3_600.0
_TOKEN_ROUTE = "access_tokens"


@dataclass(frozen=True)
class Reviews:
    """The completed runs and the posted reviews: how many each head of a pull request, by its number, has."""

    runs: Counter[tuple[int, str]]
    posted: Counter[tuple[int, str]]

    @property
    def twice(self) -> int:
        """The heads that were reviewed twice, and those whose review was posted twice."""
        return sum(times > 1 for times in (*self.runs.values(), *self.posted.values()))


@dataclass(frozen=True)
class System(Connected):
    """A running system, with a follower of its log."""

    log: Follower

    @property
    def table(self) -> Any:
        """The table of the ledger."""
        return self.machine.aws.table(self.machine.system.environment["KODIAI_TABLE"])

    def items(self) -> Iterator[dict[str, Any]]:
        """All items in the table."""
        pages = self.table.meta.client.get_paginator("scan").paginate(TableName=self.table.name)
        return (item for page in pages for item in page["Items"])

    def reviews(self) -> Reviews:
        """The reviews as the table and GitHub have them."""
        runs = (each for each in self.items() if each["sk"].startswith("RUN#") and each["status"] == "completed")
        ours = (each for each in self.github.state.reviews.values() if each.author == self.github.bot_login)
        return Reviews(
            Counter((int(each["pk"].rpartition("#")[2]), each["head"]) for each in runs),
            Counter((each.number, each.commit) for each in ours if each.body),
        )

    def messages(self, url: str) -> int:
        """The number of messages that wait in a queue."""
        name, sqs = "ApproximateNumberOfMessages", self.machine.aws.client("sqs")
        return int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])

    def github_calls(self, since: int) -> int:
        """The number of requests to GitHub behind the first ones, without those for the installation token."""
        return sum(_TOKEN_ROUTE not in each.route for each in self.github.requests[since:])

    def outcome(self) -> LogLine:
        """Wait for what becomes of the last event of a pull request. Raises DeliveryFailed."""
        guid = next(sent.guid for sent in reversed(self.github.deliveries) if sent.event == "pull_request")
        return self.log.outcome(guid, _LONGEST_SECONDS, lambda _: None)


@contextmanager
def a_system(
    repository: Path,
    answers: Answers,
    parameters: Mapping[str, str] | None = None,
    options: MachineOptions | None = None,
) -> Iterator[System]:
    """Start a system whose model gives these answers, without shared imports."""
    options = replace(options or MachineOptions(), share_imports=False)
    with connected(repository, answers=answers, parameters=parameters, options=options) as both:
        yield System(both.github, both.machine, both.follower())
