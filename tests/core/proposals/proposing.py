"""The verbs of proposals on the real store, and a repository in memory to which people propose changes."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kodiai.core.config.settings import RepositoryLists
from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.errors import Refused
from kodiai.core.events.job import ProposalJob, QueuedJob
from kodiai.core.github.comment import Permission
from kodiai.core.proposals.proposal import Agent, Content, Decision, Proposal
from kodiai.core.proposals.target import Caller, ProposalTarget
from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.flows.proposals.apply import apply_as_caller
from kodiai.flows.proposals.claim import claim
from kodiai.flows.proposals.ports import ProposalPorts
from kodiai.flows.proposals.review import close, give_verdict
from kodiai.flows.proposals.submit import Submission, revise, submit
from kodiai.ports import ProposalStore, QueueName
from tests.proposal_builders import a_content

NAME = "acme/widgets"
BOT = "kodiai[bot]"
PATH = "app.py"
TEXT = "one\ntwo\nthree\n"
DIFF = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
STALE = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,3 +1,3 @@\n one\n-TWO\n+2\n three\n"
TWICE = f"--- a/{PATH}\n+++ b/{PATH}\n@@ -1,2 +1,3 @@\n one\n+again\n two\n"
"""It applies again after it was applied, if somebody pushes what it needs."""

Tree = Mapping[str, bytes]


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Repository:
    """A repository: commits by their ids, each with its parent, its tree and its message, and branches.

    The pull request 7 is of the branch "topic". `closed` says why nothing can be applied to it.
    """

    people: Mapping[str, Permission]
    settings: bytes | None = None
    commits: dict[str, tuple[str | None, Tree, str]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    closed: str | None = None

    def add(self, parent: str | None, tree: Tree, message: str) -> str:
        """Make a commit; no two are the same."""
        sha = hashlib.sha256(f"{parent}{len(self.commits)}{message}".encode()).hexdigest()[:40]
        self.commits[sha] = (parent, tree, message)
        return sha

    def push(self, text: str, branch: str = "topic", path: str = PATH) -> str:
        """Push a commit to a branch, with this text in a file."""
        parent = self.branches.get(branch)
        tree = {**(self.commits[parent][1] if parent else {}), path: text.encode()}
        self.branches[branch] = self.add(parent, tree, "a push")
        return self.branches[branch]

    def history(self, branch: str) -> list[str]:
        """The commits of a branch, newest first."""
        found, at = [], self.branches.get(branch)
        while at is not None:
            found.append(at)
            at = self.commits[at][0]
        return found

    def made(self, branch: str = "topic") -> list[str]:
        """The commits of a branch that proposals made."""
        return [sha for sha in self.history(branch) if "Proposal: P-" in self.commits[sha][2]]

    def text(self, branch: str = "topic") -> str:
        """The file as it is on a branch."""
        return self.commits[self.branches[branch]][1][PATH].decode()


class MemoryCode:
    """The code of a repository in memory, with the rights of one person."""

    def __init__(self, repository: Repository, login: str) -> None:
        self._repository = repository
        self._login = login

    def caller(self, *, writes: bool) -> Caller:
        permission = self._repository.people.get(self._login, "none")
        return Caller(self._login, "read" if permission == "write" and not writes else permission, NAME, 1, 100)

    def target(self, number: int | None, base: str | None) -> ProposalTarget:
        if number is None and base in self._repository.commits:
            return ProposalTarget(head=base, base_ref="main")
        if number != 7:
            raise Refused("There is no such pull request.")
        head = self._repository.branches["topic"]
        return ProposalTarget(head=head, base_ref="main", branch="topic", closed=self._repository.closed)

    def owner_file(self) -> None:
        """The owner has no settings."""

    def settings_file(self, branch: str) -> bytes | None:  # noqa: ARG002 - one for all branches
        return self._repository.settings

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        tree = self._repository.commits[commit][1]
        return {path: TreeEntry(FILE, tree[path]) for path in paths if path in tree}

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        tree = dict(self._repository.commits[parent][1])
        for path, entry in changes.items():
            if entry is None:
                del tree[path]
            else:
                tree[path] = entry.content
        return self._repository.add(parent, tree, message)

    def contains(self, branch: str, commit: str) -> bool:
        return commit in self._repository.history(branch)

    def advance(self, branch: str, commit: str) -> bool:
        at = self._repository.branches.get(branch)
        ancestors, each = {commit}, self._repository.commits[commit][0]
        while each is not None:
            ancestors.add(each)
            each = self._repository.commits[each][0]
        if at is not None and at not in ancestors:
            return False
        self._repository.branches[branch] = commit
        return True


class Jobs:
    """A queue that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, int]] = []

    def send(self, queue: QueueName, job: QueuedJob) -> None:
        assert queue == "reviews"
        assert isinstance(job, ProposalJob)
        self.sent.append((job.delivery, job.revision))


@dataclass
class StoppedClock:
    """A clock that tests turn, in seconds since the epoch."""

    time: float = 1_000.0

    def now(self) -> float:
        return self.time


class Steps:
    """Everything outside, with `at` called before each call of it, by how many there were before and its name."""

    def __init__(self, at: Callable[[int, str], None]) -> None:
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
    """What people do with proposals: each verb as somebody. ann proposes, bob and eve may write, rae may read."""

    def __init__(self, table: Any) -> None:
        people: Mapping[str, Permission] = {"ann": "write", "bob": "write", "eve": "admin", "rae": "read"}
        self.table = table
        self.repository = Repository(people)
        self.base = self.repository.push(TEXT)
        self.clock = StoppedClock()
        self.store = DynamoProposalStore(table, self.clock)
        self.queue = Jobs()

    def ports(self, login: str, steps: Steps | None = None) -> ProposalPorts:
        """Everything outside, with the rights of somebody."""
        code, store = MemoryCode(self.repository, login), self.store
        given: Any = (steps.around(code), steps.around(store)) if steps else (code, store)
        counted: ProposalStore = given[1]
        return ProposalPorts(lambda _: given[0], counted, self.queue, self.clock, RepositoryLists())

    def submit(
        self,
        by: str = "ann",
        diff: str = DIFF,
        *,
        key: str | None = "key",
        number: int | None = 7,
        base: str | None = None,
        reviewed_by: Literal["kodiai", "anyone"] = "anyone",
        agent: Agent | None = None,
    ) -> Proposal:
        """Submit a diff to pull request 7 of a repository in which a review has cost something."""
        self.table.put_item(Item={"pk": "REPO#1", "sk": "MONTH#2026-11", "spent": 1})
        submission = Submission(NAME, number, base, a_content(diff), reviewed_by, agent, key)
        return submit(submission, self.ports(by))

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

    def read(self, proposal: Proposal) -> Proposal:
        """The proposal as it was last written."""
        stored = self.store.get(proposal.id)
        assert stored is not None
        return stored

    def actions(self, proposal: Proposal) -> list[str]:
        """What was done to a proposal."""
        return [event.action for event in self.store.events(proposal.id)]
