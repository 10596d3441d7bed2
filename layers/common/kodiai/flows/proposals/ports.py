"""The ports of proposals, with the rights of one token."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.github.names import RepositoryRef
from kodiai.core.proposals.proposal import Actor, Agent
from kodiai.core.proposals.target import Caller
from kodiai.ports.github import Code
from kodiai.ports.jobs import Clock, JobQueue
from kodiai.ports.ledger import FindingReader
from kodiai.ports.stores import ProposalStore


def _nobody_listens(_: Caller) -> None:
    pass


@dataclass(frozen=True)
class ProposalPorts:
    """Everything outside that concerns proposals. `open_code` opens the code of a repository ("owner/name").

    `repositories` says which repositories are served.
    `on_caller` is called with the caller as soon as GitHub has named them.
    """

    open_code: Callable[[str], Code]
    store: ProposalStore
    queue: JobQueue
    clock: Clock
    repositories: RepositoryLists
    on_caller: Callable[[Caller], None] = _nobody_listens


@dataclass(frozen=True)
class ApiPorts:
    """Everything outside that a request to the API concerns.

    `open_findings` opens the findings of a pull request of a repository.
    `web_address` is where GitHub has its pages, "https://github.com".
    `calls` counts the requests to GitHub so far, by route.
    """

    proposals: ProposalPorts
    open_findings: Callable[[RepositoryRef, int], FindingReader]
    web_address: str
    calls: Callable[[], Mapping[str, int]]


@dataclass(frozen=True)
class Access:
    """Somebody with access to a repository, and its code with their rights."""

    caller: Caller
    code: Code
    agent: Agent | None = None

    @property
    def actor(self) -> Actor:
        """The person, and the program that acts for them."""
        return Actor(login=self.caller.login, agent=self.agent)
