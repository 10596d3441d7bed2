"""The stores of repositories and of the deployment."""

from collections.abc import Mapping, Sequence, Set
from typing import Protocol

from kodiai.core.events.job import ItemKey
from kodiai.core.events.missed import KnownRuns, OpenPullRequest
from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.forgetting import StoredItem, StoredItems
from kodiai.core.memory.remembered import Neighbor, RememberedFinding, StoredMemory, Vector
from kodiai.core.memory.rule import Rule
from kodiai.core.proposals.proposal import Content, Proposal, ProposalEvent
from kodiai.core.proposals.protocol import Transition


class VectorIndex(Protocol):
    """The index of remembered findings, of all repositories. Raises Retry and Broken."""

    @property
    def name(self) -> str:
        """Its name, which has the model of its vectors and their length."""

    def nearest(
        self, vector: Vector, repository_ids: Sequence[int], most: int, *, only_judged: bool = False
    ) -> tuple[Neighbor, ...]:
        """Find the nearest findings of these repositories, and of no others, nearest first, at most 100.

        With `only_judged` they are those that were fixed, or that somebody accepted or dismissed.
        """

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
        """Write findings, each under its key: writing again overwrites."""

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        """Read the vectors that there are of these keys."""

    def delete(self, keys: Sequence[str]) -> None:
        """Delete what there is of these keys."""


class RepositoryMemory(Protocol):
    """The ledger's record of one repository's memory, and of its vectors in the index."""

    def rules(self) -> tuple[Rule, ...]:
        """Read its rules, oldest first."""

    def add_rule(self, rule: Rule) -> bool:
        """Store a rule, once for each id; False if there are as many as may be."""

    def remove_rule(self, rule_id: str, key: str) -> bool:
        """Remove a rule as a comment asks for it; False if there is none, unless the same comment has removed it."""

    def remembered(self, number: int | None = None) -> tuple[StoredMemory, ...]:
        """Read what is remembered of a pull request, or of all (None)."""

    def dismissals_suffice(self) -> bool:
        """Whether enough people dismissed its findings for any to be a precedent; True if there are too many to see."""

    def kept(self, findings: Sequence[RememberedFinding]) -> Set[str]:
        """The keys in the index of those that are still remembered, also of other repositories."""

    def store(self, findings: Sequence[StoredMemory]) -> None:
        """Store what is remembered, each under its name. What a person had forgotten stays as it is."""

    def share(self, *, is_private: bool, shares: bool) -> None:
        """Put the repository into its owner's pool, or take it out."""

    def shared(self, *, with_private: bool) -> Sequence[int]:
        """The ids of the repositories of the owner's pool; private ones only where asked for."""


class ProposalStore(Protocol):
    """The proposals of all repositories. Raises Retry and Broken."""

    def serves(self, repository_id: int) -> bool:
        """Whether this deployment has worked for a repository before: a model was asked something about it."""

    def create(self, proposal: Proposal, event: ProposalEvent, content: Content) -> Proposal:
        """Store a new proposal with its content; the one that is there if there is one of this id.

        Raises Refused where it is too large.
        """

    def get(self, proposal_id: str) -> Proposal | None:
        """Read a proposal as it was last written, None if there is none. Raises Broken if a later release wrote it."""

    def content(self, proposal: Proposal) -> Content:
        """Read the content that it has now. Raises Retry where a revision has replaced it meanwhile."""

    def write(self, before: Proposal, changed: Transition, content: Content | None = None) -> bool:
        """Store what an action led to, with the new content of a revision; False if somebody else wrote first.

        Raises Refused where the proposal is too large.
        """

    def events(self, proposal_id: str) -> tuple[ProposalEvent, ...]:
        """Read its history, oldest entry first."""

    def of_repository(self, repository_id: int) -> tuple[Proposal, ...]:
        """Read the proposals of a repository that can be read, as they were last written, newest first, at most 500."""


class StoredVectors(Protocol):
    """The vectors of every index that the deployment has, also of one that it no longer uses."""

    def delete(self, keys: Sequence[str]) -> None:
        """Delete what there is of these keys, in every index. Raises Retry and Broken."""

    def repositories_left(self, repository_ids: Sequence[int]) -> Set[int]:
        """The ids of some of these repositories that have vectors, of none if none has. Raises Retry and Broken."""

    def delete_rest(self, repository_ids: Sequence[int]) -> int:
        """Delete what vectors are left of these repositories, in every index, and return how many were found.

        Raises Retry and Broken, Retry also where there are too many for one attempt.
        """


class RepositoryData(Protocol):
    """Every item of the table that is about a repository. Raises Retry and Broken."""

    def repositories_of(self, owner_id: int) -> Set[int]:
        """Read the ids of the repositories that an owner has had while something was stored about them."""

    def look(self, after: ItemKey | None) -> StoredItems:
        """Look at the next part of the whole table."""

    def of_pull_request(self, repository_id: int, number: int) -> tuple[StoredItem, ...]:
        """Read the keys of everything about one pull request, also what is remembered of its findings."""

    def delete(self, items: Sequence[StoredItem]) -> None:
        """Delete what there is of these items."""


class SweepStore(Protocol):
    """The records of sweeps about each other, and about heads that have a run. Raises Retry and Broken."""

    def claim(self, owner: str, until: float) -> float:
        """Take the lease until then; since when deliveries are not settled, 0 if nobody knows.

        Raises Retry while another sweep is at work.
        """

    def release(self, owner: str, settled_until: float) -> None:
        """Give the lease back if it is still ours, and store until when all deliveries are settled."""

    def worked_for(self, repositories: Sequence[RepositoryRef]) -> Set[int]:
        """The ids of those repositories for which this deployment has worked before."""

    def runs_of(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[KnownRuns]:
        """Read what there is of each of up to 50 pull requests."""

    def note(self, pull_request: OpenPullRequest) -> None:
        """Store that a job was queued for the head of a pull request."""
