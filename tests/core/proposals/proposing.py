"""The verbs of proposals on the real store, and a repository in memory to which people propose changes."""

from collections.abc import Callable, Mapping
from typing import Any

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.events.job import ProposalJob
from kodiai.core.github.comment import Permission
from kodiai.core.proposals.proposal import Content, Decision, Proposal
from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import Submission, revise, submit
from kodiai.ports.stores import ProposalStore
from tests.proposal_builders import a_content
from tests.proposal_fakes import Clock, MemoryCode, Queue, Repository

NAME = "acme/widgets"
PATH = "app.py"
TEXT = "one\ntwo\nthree\n"
DIFF = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
STALE = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,3 @@\n one\n-TWO\n+2\n three\n"
TWICE = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,2 +1,3 @@\n one\n+again\n two\n"
"""It applies again after it was applied, if somebody pushes what it needs."""


class Killed(BaseException):
    """The process ends here."""


class Steps:
    """Everything outside, with `at` called before each call of it, by how many there were before and its name."""

    def __init__(self, at: Callable[[int, str], object]) -> None:
        self._at = at
        self.names: list[str] = []

    def around(self, what: Any) -> Any:
        """The same, each call counted."""
        return _Counted(what, self)

    def step(self, name: str) -> None:
        self.names.append(name)
        self._at(len(self.names) - 1, name)


class _Counted:
    def __init__(self, what: Any, steps: Steps) -> None:
        self._what = what
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._what, name)

        def counted(*given: Any, **named: Any) -> Any:
            self._steps.step(name)
            return call(*given, **named)

        return counted


class Proposing:
    """The verbs of proposals, each done as somebody. ann proposes, bob and eve may write, rae may read."""

    def __init__(self, table: Any) -> None:
        people: Mapping[str, Permission] = {"ann": "write", "bob": "write", "eve": "admin", "rae": "read"}
        self.table = table
        self.repository = Repository(NAME, people)
        self.base = self.push(TEXT)
        self.clock = Clock(1_000.0)
        self.store = DynamoProposalStore(table, self.clock)
        self.queue = Queue()

    def ports(self, login: str, steps: Steps | None = None) -> ProposalPorts:
        """Everything outside, with the rights of somebody."""
        code, store = MemoryCode(self.repository, login, NAME), self.store
        given: Any = (steps.around(code), steps.around(store)) if steps else (code, store)
        counted: ProposalStore = given[1]
        return ProposalPorts(lambda _: given[0], counted, self.queue, self.clock, RepositoryLists())

    def submit(self, by: str = "ann", diff: str = DIFF, **given: Any) -> Proposal:
        """Submit a diff to pull request 7 of a repository in which a review has cost something."""
        self.table.put_item(Item={"pk": "REPO#1", "sk": "MONTH#2026-11", "spent": 1})
        whole = {"number": 7, "base": None, "reviewed_by": "anyone", "agent": None, "key": "key", **given}
        return submit(Submission(repository=NAME, content=a_content(diff), **whole), self.ports(by))

    def revise(self, proposal: Proposal, content: Content, by: str = "ann") -> Proposal:
        return revise(proposal.id, content, None, self.ports(by))

    def claim(
        self,
        proposal: Proposal,
        by: str = "bob",
        key: str | None = None,
        *,
        seconds: int = 60,
        steps: Steps | None = None,
    ) -> Proposal:
        return claim(proposal.id, seconds, key, None, self.ports(by, steps))

    def verdict(
        self,
        proposal: Proposal,
        decision: Decision = "approve",
        notes: str = "",
        *,
        by: str = "bob",
        generation: int = 1,
    ) -> Proposal:
        return give_verdict(proposal.id, decision, notes, generation, None, self.ports(by))

    def close(self, proposal: Proposal, by: str = "ann", note: str = "") -> Proposal:
        return close(proposal.id, note, None, self.ports(by))

    def apply(self, proposal: Proposal, by: str = "eve", steps: Steps | None = None) -> Proposal:
        return apply_as_caller(proposal.id, None, self.ports(by, steps))

    def approved(self, diff: str = DIFF, **given: Any) -> Proposal:
        """A proposal of ann's that bob has approved."""
        submitted = self.submit(diff=diff, **given)
        self.claim(submitted)
        return self.verdict(submitted)

    def push(self, text: str, path: str = PATH) -> str:
        """Push a commit to the branch of the pull request, with this text in a file."""
        return self.repository.push(path, text)

    def text(self, branch: str = "topic") -> str:
        """The file as it is on a branch."""
        return self.repository.commits[self.repository.branches[branch]][1][PATH].decode()

    def made(self) -> list[str]:
        """The commits of the pull request that proposals made."""
        return [sha for sha in self.repository.history("topic") if "Proposal: P-" in self.repository.commits[sha][2]]

    def jobs(self) -> list[tuple[str, int]]:
        """The reviews that were queued: the name of each delivery, and the revision."""
        assert {(queue, type(job)) for queue, job in self.queue.sent} <= {("reviews", ProposalJob)}
        return [(job.delivery, job.revision) for _, job in self.queue.sent if isinstance(job, ProposalJob)]

    def read(self, proposal: Proposal) -> Proposal:
        """The proposal as it was last written."""
        stored = self.store.get(proposal.id)
        assert stored is not None
        return stored

    def actions(self, proposal: Proposal) -> list[str]:
        """The actions of a proposal's history."""
        return [event.action for event in self.store.events(proposal.id)]
