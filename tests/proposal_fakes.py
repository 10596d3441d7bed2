"""Everything outside of proposals in memory: a repository to propose changes to, a store, a queue, and a clock."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kodiai.core.diffs.tree import FILE, TreeEntry
from kodiai.core.errors import Retry
from kodiai.core.events.job import QueuedJob
from kodiai.core.github.comment import Permission
from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent
from kodiai.core.proposals.protocol import Transition
from kodiai.core.proposals.target import Caller, NoTarget, NotAuthenticated, ProposalTarget
from kodiai.ports.jobs import QueueName

Tree = Mapping[str, bytes]


@dataclass
class Clock:
    """A clock that tests turn, in seconds since the epoch."""

    time: float

    def now(self) -> float:
        return self.time


@dataclass
class Queue:
    """A queue that keeps what is sent; `raises` is what sending raises."""

    sent: list[tuple[QueueName, QueuedJob]] = field(default_factory=list)
    raises: Exception | None = None

    def send(self, queue: QueueName, job: QueuedJob) -> None:
        if self.raises is not None:
            raise self.raises
        self.sent.append((queue, job))


@dataclass
class Store:
    """Proposals, with their contents and histories."""

    proposals: dict[str, Proposal] = field(default_factory=dict)
    contents: dict[str, Content] = field(default_factory=dict)
    histories: dict[str, tuple[ProposalEvent, ...]] = field(default_factory=dict)

    def serves(self, repository_id: int) -> bool:
        return repository_id == 1

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        if proposal.id not in self.proposals:
            self.proposals[proposal.id], self.histories[proposal.id] = proposal, (event,)
            self.contents[proposal.content] = content
        return self.proposals[proposal.id]

    def get(self, proposal_id: str) -> Proposal | None:
        return self.proposals.get(proposal_id)

    def content(self, proposal: Proposal) -> Content:
        if proposal.content not in self.contents:
            raise Retry("the content was replaced meanwhile")
        return self.contents[proposal.content]

    def write(self, before: Proposal, changed: Transition, content: Content | None = None) -> bool:
        if self.proposals[before.id].version != before.version:
            return False
        self.proposals[before.id] = changed.proposal
        self.histories[before.id] += changed.events
        self.contents |= {} if content is None else {changed.proposal.content: content}
        return True

    def events(self, proposal_id: str) -> tuple[ProposalEvent, ...]:
        return self.histories.get(proposal_id, ())

    def of_repository(self, repository_id: int) -> tuple[Proposal, ...]:
        return tuple(each for each in reversed(self.proposals.values()) if each.repository_id == repository_id)


@dataclass
class Repository:
    """A repository: commits by their ids, each with its parent, its tree and its message, and branches.

    `people` may do something in it. The pull request 7 is of the branch `topic`; `closed` says why nothing can be
    applied to it. `settings` is the settings file of every branch.
    """

    name: str
    people: Mapping[str, Permission]
    topic: str = "topic"
    settings: bytes | None = None
    commits: dict[str, tuple[str | None, Tree, str]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    closed: str | None = None

    def add(self, parent: str | None, tree: Tree, message: str) -> str:
        """Make a commit; no two are the same."""
        sha = hashlib.sha256(f"{parent}{len(self.commits)}{message}".encode()).hexdigest()[:40]
        self.commits[sha] = (parent, tree, message)
        return sha

    def push(self, path: str, text: str) -> str:
        """Push a commit to the branch of the pull request, with this text in a file."""
        parent = self.branches.get(self.topic)
        tree = {**(self.commits[parent][1] if parent else {}), path: text.encode()}
        self.branches[self.topic] = self.add(parent, tree, "a push")
        return self.branches[self.topic]

    def history(self, branch: str) -> list[str]:
        """The commits of a branch, newest first."""
        return self.ancestors(self.branches.get(branch))

    def ancestors(self, commit: str | None) -> list[str]:
        """A commit and those before it, newest first."""
        found = []
        while commit is not None:
            found.append(commit)
            commit = self.commits[commit][0]
        return found


@dataclass(frozen=True)
class MemoryCode:
    """The code of the repository of this name with the rights of one person; nobody has a token of `login` None."""

    repository: Repository
    login: str | None
    name: str

    def calls(self) -> Mapping[str, int]:
        return {}

    def caller(self, *, writes: bool) -> Caller:
        if self.login is None:
            raise NotAuthenticated("GitHub does not take the token: it is wrong, or it was revoked.")
        if self.name.lower() != self.repository.name:
            return Caller(self.login, "none", self.name, 0, 0)
        permission = self.repository.people.get(self.login, "none")
        return Caller(
            self.login, permission if writes or permission == "none" else "read", self.repository.name, 1, 100
        )

    def target(self, number: int | None, base: str | None) -> ProposalTarget:
        if number is None and base in self.repository.commits:
            return ProposalTarget(head=base, base_ref="main")
        if number != 7:
            raise NoTarget(f"There is no pull request #{number}.")
        topic = self.repository.topic
        head = self.repository.branches[topic]
        return ProposalTarget(head=head, base_ref="main", branch=topic, closed=self.repository.closed)

    def owner_file(self) -> None:
        """The owner has no settings."""

    def settings_file(self, branch: str) -> bytes | None:  # noqa: ARG002 - one for all branches
        return self.repository.settings

    def entries(self, commit: str, paths: Iterable[str]) -> Mapping[str, TreeEntry]:
        tree = self.repository.commits[commit][1]
        return {path: TreeEntry(FILE, tree[path]) for path in paths if path in tree}

    def commit(self, parent: str, changes: Mapping[str, TreeEntry | None], message: str) -> str:
        tree = {path: content for path, content in self.repository.commits[parent][1].items() if path not in changes}
        changed = {path: entry.content for path, entry in changes.items() if entry is not None}
        return self.repository.add(parent, {**tree, **changed}, message)

    def contains(self, branch: str, commit: str) -> bool:
        return commit in self.repository.history(branch)

    def advance(self, branch: str, commit: str) -> bool:
        at = self.repository.branches.get(branch)
        if at is not None and at not in self.repository.ancestors(commit):
            return False
        self.repository.branches[branch] = commit
        return True
