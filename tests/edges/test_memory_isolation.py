"""Nothing of another repository reaches a prompt unless both share, over the real table, index and embeddings."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast
from zlib import crc32

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kodiai.core.config.keys import Config
from kodiai.core.config.settings import EMBEDDING_DIMENSIONS
from kodiai.core.github.names import RepositoryRef
from kodiai.core.plan.candidate import Candidate
from kodiai.core.plan.input import ReviewInput
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.repository.view import RepositoryView
from kodiai.edges.embeddings import TitanEmbeddings
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from kodiai.edges.vectors import S3VectorIndex
from kodiai.flows.memory import Memory
from kodiai.flows.remember_findings import remember_findings
from kodiai.flows.review.recall import recall, with_precedents
from local.aws import LocalAws
from tests.aws_resources import create_indexes, create_table
from tests.builders import PARSER, FilesTree, a_finding, a_known, a_pull_request, added
from tests.core.review_inputs import loaded
from tests.edges.conftest import TurnableClock

BUCKET, INDEX = "memory", "titan-embed-text-v2-1024"
WORDS = "The last page of the orders is never fetched"
_NAMES = itertools.count(1)


@dataclass(frozen=True)
class Repository:
    """A repository with its settings; `mark` is in every text that is remembered of it, and nowhere else."""

    name: str
    is_private: bool
    shares: bool
    retrieves: bool = True

    @property
    def ref(self) -> RepositoryRef:
        """Every repository and every owner has ids of its own."""
        return RepositoryRef(name=self.name, id=crc32(self.name.encode()), owner_id=crc32(self.owner.encode()))

    @property
    def mark(self) -> str:
        return f"mark{self.name.replace('/', 'x')}x"

    @property
    def owner(self) -> str:
        return self.name.partition("/")[0].lower()

    @property
    def config(self) -> Config:
        retrieval = {"enabled": self.retrieves, "topK": 100, "distanceThreshold": 2.0, "maxContextChars": 20_000}
        knowledge = {"retrieval": retrieval, "sharing": {"enabled": self.shares}}
        return Config.model_validate({"knowledge": knowledge})

    @property
    def review_input(self) -> ReviewInput:
        """A pull request of it, about what all of them have findings about."""
        one = loaded([added("src/app.py", "a = 1")], is_first=True, config=self.config)
        pull_request = a_pull_request(
            repository=self.name, repository_id=self.ref.id, is_private=self.is_private, title=WORDS
        )
        return replace(one, on_github=PullRequestSnapshot(pull_request, None))

    def may_read(self, other: "Repository") -> bool:
        """The promise of the settings: its own, and what the owner's other sharing repositories offer it."""
        if not self.retrieves:
            return False
        if other == self:
            return True
        both_share = self.shares and other.shares and other.retrieves and self.owner == other.owner
        return both_share and (self.is_private or not other.is_private)


@dataclass(frozen=True)
class Books:
    """The ledger of a pull request without findings so far."""

    def findings(self) -> tuple[()]:
        return ()


@dataclass(frozen=True)
class World:
    """One table and one index for all repositories, as in a deployment."""

    aws: LocalAws
    table: Any

    def store(self, one: Repository) -> DynamoRepositoryMemory:
        return DynamoRepositoryMemory(self.table, one.ref, TurnableClock())

    def memory(self, one: Repository) -> Memory:
        index = S3VectorIndex(self.aws.client("s3vectors"), BUCKET, INDEX)
        embeddings = TitanEmbeddings(self.aws.client("bedrock-runtime"))
        return Memory(embeddings, index if one.retrieves else None, self.store(one))

    def remember(self, one: Repository) -> None:
        """Remember findings of it, as reviews do, once its settings are known: three people dismissed one each."""
        self.blocks(one)
        finding = a_finding(title=f"{WORDS} {one.mark}", category="correctness", severity="MEDIUM")
        for number, people in enumerate((["ann", "bob"], ["cid"])):
            dismissed = [
                a_known(finding, id=f"F-{by}", status="wont_fix", settled_by=f"{by}{one.mark}") for by in people
            ]
            on_github = PullRequestSnapshot(replace(one.review_input.pull_request, number=number), None)
            books = cast(Any, Books())
            remember_findings(dismissed, on_github, books, lambda _: True, self.memory(one), at=1)

    def blocks(self, one: Repository) -> str:
        """Everything of the memory that a review shows the model: in its material, and next to candidates."""
        review_input, memory = one.review_input, self.memory(one)
        recalled = recall(review_input, RepositoryView(FilesTree({}), PARSER), memory, self.store(one), offline=True)
        [candidate] = with_precedents([Candidate(1, "r", a_finding(title=WORDS))], review_input, memory)
        assert (memory.problem, bool(candidate.precedents)) == (
            None,
            one.retrieves and bool(self.store(one).remembered()),
        )
        return "\n".join([*(block.text for block in recalled.blocks), repr(candidate.precedents)])


@pytest.fixture(scope="session")
def world(aws: LocalAws) -> World:
    create_indexes(aws, BUCKET, INDEX, dimension=EMBEDDING_DIMENSIONS)
    return World(aws, create_table(aws, "isolation"))


@st.composite
def repositories(draw: st.DrawFn) -> list[Repository]:
    """Some repositories of one, two or three owners, whose names others have too, with any settings."""
    run = next(_NAMES)
    owners = draw(st.lists(st.sampled_from(["acme", "Acme", "octo"]), min_size=2, max_size=5))
    often = st.sampled_from([True, True, True, False])
    flags = st.tuples(st.booleans(), often, often)
    return [Repository(f"{owner}{run}/app{at}", *draw(flags)) for at, owner in enumerate(owners)]


@example(
    there=[
        Repository("pool/public", is_private=False, shares=True),
        Repository("pool/private", is_private=True, shares=True),
        Repository("pool/alone", is_private=False, shares=False),
    ]
)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(there=repositories())
def test_a_prompt_has_only_what_its_repository_may_read(world: World, there: Sequence[Repository]) -> None:
    """With sharing off nothing of any other; with sharing, only what the owner's other sharing ones offer."""
    for one in there:
        world.remember(one)

    for reader in there:
        shown = world.blocks(reader)
        seen = {other.name for other in there if other.mark in shown}
        assert seen == {other.name for other in there if reader.may_read(other)}


@pytest.mark.parametrize(("shares", "retrieves"), [(False, True), (True, False)])
def test_a_repository_that_stops_sharing_is_no_longer_read(world: World, shares: bool, retrieves: bool) -> None:
    """From its next review on, without a change to what is in the index."""
    owner = f"acme{next(_NAMES)}"
    one, other = (Repository(f"{owner}/{name}", is_private=True, shares=True) for name in "ab")
    world.remember(one)
    world.remember(other)
    before = other.mark in world.blocks(one)

    world.blocks(replace(other, shares=shares, retrieves=retrieves))

    assert (before, other.mark in world.blocks(one)) == (True, False)
