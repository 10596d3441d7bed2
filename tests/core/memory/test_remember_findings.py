"""The memory is brought in step with the ledger, also after an attempt that failed or died."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from kodiai.core.errors import Retry
from kodiai.core.findings.known import KnownFinding
from kodiai.core.github.comment import Thumb
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory, Vector
from kodiai.core.plan.snapshot import PullRequestSnapshot
from kodiai.core.review.run import UnreadableFindings
from kodiai.flows.memory import Memory
from kodiai.flows.remember_findings import remember_findings
from tests.builders import a_finding, a_known, a_pull_request, a_thread
from tests.core.memory.memories import INDEX, KeptMemory, ListedIndex, WordEmbeddings

ONE = a_known(a_finding(title="One two"), id="F-1")
TWO = a_known(a_finding(title="Three"), id="F-2")
KEY = "1/7/F-1"


@dataclass
class Books:
    """The ledger's findings, None where they cannot be read."""

    known: Sequence[KnownFinding] | None = ()

    def findings(self) -> Sequence[KnownFinding]:
        if self.known is None:
            raise UnreadableFindings
        return self.known


@dataclass
class Desk:
    """The memory of one pull request, and what it is made of."""

    index: ListedIndex = field(default_factory=ListedIndex)
    embeddings: WordEmbeddings | None = field(default_factory=WordEmbeddings)
    store: KeptMemory = field(default_factory=KeptMemory)
    asked: list[str] = field(default_factory=list)

    def remember(
        self,
        *now: KnownFinding,
        ledger: Sequence[KnownFinding] | None = (),
        thumbs: tuple[Thumb, ...] = (),
        at: int = 1,
        has_index: bool = True,
        **pull_request: Any,
    ) -> int:
        """Bring it up to date; everybody may write."""
        snapshot = PullRequestSnapshot(a_pull_request(**pull_request), None, (a_thread(finding="F-1", thumbs=thumbs),))
        return remember_findings(
            now,
            snapshot,
            cast(Any, Books(ledger)),
            self._may_write,
            Memory(self.embeddings, self.index if has_index else None, self.store),
            at=at,
        )

    def _may_write(self, login: str) -> bool:
        self.asked.append(login)
        return True

    def outcomes(self) -> dict[str, str]:
        return {key: remembered.outcome for key, (remembered, _) in self.index.there.items()}


def test_new_findings_are_embedded_and_written() -> None:
    """The ledger knows of each vector in the index."""
    desk = Desk()

    written = desk.remember(ONE, TWO)

    assert written == 2
    assert desk.outcomes() == {KEY: "open", "1/7/F-2": "open"}
    assert {each.remembered.name: each.index for each in desk.store.stored.values()} == {"7/F-1": INDEX, "7/F-2": INDEX}


def test_an_unchanged_finding_is_neither_written_nor_embedded_again() -> None:
    """Another outcome is written with the vector that is there; so is what a run wrote and could not note."""
    desk = Desk()
    desk.remember(ONE)
    vector = desk.index.there[KEY][1]

    again = desk.remember(ledger=[ONE], at=9)
    other = desk.remember(replace(ONE, status="fixed"), ledger=[ONE], at=9)
    desk.store.stored["7/F-1"] = replace(desk.store.stored["7/F-1"], index=None)
    unnoted = desk.remember(ledger=[replace(ONE, status="fixed")], at=9)

    assert (again, other, unnoted, desk.outcomes()) == (0, 1, 1, {KEY: "fixed"})
    assert desk.index.there[KEY][1] is vector
    assert len(desk.embeddings.asked if desk.embeddings else ()) == 1


def test_thumbs_and_a_merge_are_written_too() -> None:
    """They change what a finding led to, though its status stays."""
    desk = Desk()
    desk.remember(ONE)

    voted = desk.remember(ledger=[ONE], thumbs=(Thumb("ann", up=True),))
    merged = desk.remember(ledger=[ONE], thumbs=(Thumb("ann", up=True),), is_merged=True)

    remembered = desk.index.there[KEY][0]
    assert (voted, merged) == (1, 1)
    assert (remembered.accepted_by, remembered.is_merged) == (("ann",), True)
    assert desk.asked == ["ann"]


def test_a_failed_write_is_repeated_with_the_next_event() -> None:
    """The ledger does not claim that the index has it."""
    desk = Desk(ListedIndex(failing={"put": Retry("busy")}))

    failed = desk.remember(ONE)
    stored = desk.store.stored["7/F-1"].index
    desk.index.failing = {}
    later = desk.remember(ledger=[ONE])

    assert (failed, stored, later, desk.outcomes()) == (0, None, 1, {KEY: "open"})


def test_the_ledger_names_a_vector_before_it_is_written() -> None:
    """So that it can be deleted, whatever happens in between."""
    desk = Desk()
    known_at_put: list[StoredMemory] = []

    class Watched(ListedIndex):
        def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
            known_at_put.extend(desk.store.stored.values())
            super().put(findings)

    desk.index = Watched()
    desk.remember(ONE)

    assert [(each.remembered.key, each.index) for each in known_at_put] == [(KEY, None)]


def test_without_embeddings_only_what_has_a_vector_is_written() -> None:
    """An answer to a mention embeds nothing: the next review does."""
    desk = Desk()
    desk.remember(ONE)
    desk.embeddings = None

    written = desk.remember(replace(ONE, status="wont_fix", settled_by="ann"), TWO)

    assert (written, desk.outcomes()) == (1, {KEY: "wont_fix"})
    assert desk.store.stored["7/F-2"].index is None


def test_a_forgotten_finding_is_not_written_again() -> None:
    """A person wanted that."""
    desk = Desk()
    desk.remember(ONE)
    desk.index.delete([KEY])
    desk.store.stored["7/F-1"] = replace(desk.store.stored["7/F-1"], index=None, is_forgotten=True)

    written = desk.remember(replace(ONE, status="fixed"))

    assert (written, desk.index.there) == (0, {})


def test_the_memory_is_as_good_as_the_ledger_and_the_index() -> None:
    """Findings that cannot be read keep no new one out, without an index nothing is stored and nobody asked about.

    Vectors of another model cannot be compared, so another index begins empty.
    """
    unreadable, without, desk = Desk(), Desk(), Desk()
    desk.remember(ONE)
    desk.index = ListedIndex(name="other-8")

    assert (unreadable.remember(ONE, ledger=None), unreadable.outcomes()) == (1, {KEY: "open"})
    assert without.remember(ONE, thumbs=(Thumb("ann", up=True),), has_index=False) == 0
    assert (without.store.stored, without.asked) == ({}, [])
    assert (desk.remember(ledger=[ONE]), desk.store.stored["7/F-1"].index) == (1, "other-8")
