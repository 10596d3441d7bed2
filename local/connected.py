"""A local GitHub, and the machine that its webhooks reach."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.follower import Follower
from local.github import AppSetup, LocalGitHub
from local.machine import GitHubAccess, LocalMachine
from local.model import RecordedRequest
from local.readable_ledger import ReadableLedger


@dataclass(frozen=True)
class Connected:
    """Both, while they run."""

    github: LocalGitHub
    machine: LocalMachine

    @property
    def asked(self) -> Sequence[RecordedRequest]:
        """The requests to the model so far, oldest first, if it is a local one."""
        return self.machine.model.requests if self.machine.model else ()

    @property
    def violations(self) -> list[str]:
        """Errors in requests to GitHub or to the model."""
        return [*self.github.violations, *(self.machine.model.violations if self.machine.model else ())]

    def follower(self) -> Follower:
        """A follower of the log from now on; each thread needs its own."""
        return Follower(self.machine.system.on_log)

    def ledger(self, number: int) -> ReadableLedger:
        """The ledger of a pull request."""
        return self.machine.ledger(self.github.repository.ref, number)


@contextmanager
def connected(repository: Path, **machine: Any) -> Iterator[Connected]:
    """Start both in front of a repository; what else is given is LocalMachine's."""
    secret = secrets.token_hex(16)
    with LocalGitHub(repository, app=AppSetup(webhook_secret=secret)) as github:
        access = GitHubAccess(github.url, github.credentials)
        with LocalMachine(access, webhook_secret=secret, **machine) as running:
            github.webhook_url = running.system.webhook_url
            yield Connected(github, running)
