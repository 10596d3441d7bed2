"""The whole local system in front of one repository, for benchmarks that send it events."""

import secrets
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
