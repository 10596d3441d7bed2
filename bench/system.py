"""The whole local system in front of one repository, for benchmarks that send it events."""

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.follower import Follower, LogLine
from local.github import LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import Answers, RecordedRequest
from local.readable_ledger import ReadableLedger

_LONGEST_SECONDS = 3_600.0


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
class System:
    """A running system."""

    github: LocalGitHub
    machine: LocalMachine
    follower: Follower

    @property
    def asked(self) -> Sequence[RecordedRequest]:
        """What the model was asked so far, oldest first."""
        assert self.machine.model is not None  # for the type checker: there are always answers
        return self.machine.model.requests

    @property
    def violations(self) -> list[str]:
        """What was wrong with anything that was sent to GitHub or to the model."""
        model = self.machine.model.violations if self.machine.model else []
        return [*self.github.violations, *model]

    def ledger(self, number: int) -> ReadableLedger:
        """The ledger of a pull request."""
        return self.machine.ledger(self.github.repository.ref, number)

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

    def outcome(self) -> LogLine:
        """Wait for what becomes of the last event of a pull request. Raises DeliveryFailed."""
        guid = next(sent.guid for sent in reversed(self.github.deliveries) if sent.event == "pull_request")
        return self.follower.outcome(guid, _LONGEST_SECONDS, lambda _: None)


@contextmanager
def a_system(
    repository: Path,
    answers: Answers,
    parameters: Mapping[str, str] | None = None,
    *,
    overrides: Mapping[str, Mapping[str, Any]] | None = None,
    through: Callable[[str, str], str] | None = None,
) -> Iterator[System]:
    """Start a system whose model gives these answers; what else is given is LocalMachine's, by the same names."""
    secret = secrets.token_hex(16)
    with LocalGitHub(repository, webhook_secret=secret) as github:
        credentials = {"github/app-id": github.app_id, "github/private-key": github.private_key}
        access = GitHubAccess(github.url, credentials)
        with LocalMachine(
            access,
            webhook_secret=secret,
            answers=answers,
            parameters=parameters,
            overrides=overrides,
            through=through,
            share_imports=False,
        ) as machine:
            github.webhook_url = machine.system.webhook_url
            yield System(github, machine, Follower(machine.system.on_log))
