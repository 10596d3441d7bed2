"""The ports of proposals, with the rights of one token."""

from collections.abc import Callable
from dataclasses import dataclass

from kodiai.core.proposals.proposal import Actor, Agent
from kodiai.core.proposals.target import Caller
from kodiai.ports import Clock, Code, JobQueue, ProposalStore


@dataclass(frozen=True)
class ProposalPorts:
    """Everything outside that concerns proposals. `open_code` opens the code of a repository ("owner/name").

    `bot_login` is the login under which we write.
    """

    open_code: Callable[[str], Code]
    store: ProposalStore
    queue: JobQueue
    clock: Clock
    bot_login: str


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
