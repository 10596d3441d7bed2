"""The memory has three seconds in a run; whatever fails or hangs, the run goes on without it."""

import threading
import time

import pytest

from kodiai.core.errors import Broken, Retry
from kodiai.core.memory.remembered import Neighbor
from kodiai.core.plan.candidate import Candidate
from kodiai.flows.memory import Memory
from kodiai.flows.review.recall import with_precedents
from tests.builders import a_finding, a_neighbor, a_remembered
from tests.core.memory.memories import INDEX, KeptMemory, ListedIndex, WordEmbeddings
from tests.core.review_inputs import loaded

NEAR = (a_neighbor(), a_neighbor(8, repository_id=2))


def test_the_nearest_findings_of_the_named_repositories_are_found() -> None:
    """One question for each text, embedded as a query."""
    embeddings, index = WordEmbeddings(), ListedIndex(NEAR)

    found = Memory(embeddings, index, KeptMemory()).nearest(["one", "two"], [1], 5)

    assert found == [(NEAR[0],), (NEAR[0],)]
    assert sorted(embeddings.asked) == [("one", "query"), ("two", "query")]
    assert index.asked == [((1,), 5)] * 2


def test_a_forgotten_finding_is_not_found_and_is_deleted() -> None:
    """Vectors have no expiry. A finding that several texts are near to is asked about, and deleted, once."""
    index, store = ListedIndex(NEAR, there={each.remembered.key: (each.remembered, []) for each in NEAR}), KeptMemory()
    store.expired = {"1/7/F-1"}
    memory = Memory(WordEmbeddings(), index, store)

    found = memory.nearest(["one", "two"], [1, 2], 5)

    assert (found, memory.problem) == ([(NEAR[1],)] * 2, None)
    assert (list(index.there), store.asked) == (["2/8/F-1"], [["1/7/F-1", "2/8/F-1"]])


def test_precedents_are_what_is_still_remembered_and_was_judged() -> None:
    """A hundred open findings may be nearer; they are looked for with the text that is remembered, without a secret."""
    dismissed = [a_neighbor(number, outcome="wont_fix", dismissed_by=("ann", "bob", "cid")) for number in (6, 7, 8)]
    near = [*(a_neighbor(number, outcome="open") for number in range(100, 200)), *dismissed]
    key = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    candidate = Candidate(1, "r", a_finding(title="A key is logged", explanation=f"{key} is logged.", category="tests"))
    embeddings, kept = WordEmbeddings(), KeptMemory(expired={dismissed[0].remembered.key})

    [found] = with_precedents([candidate], loaded([], is_first=True), Memory(embeddings, ListedIndex(near), kept))

    assert [each.number for each in found.precedents] == [7, 8]
    assert embeddings.asked == [("A key is logged\n\nsk_l… is logged.", "query")]


def test_nothing_is_embedded_or_asked_for_precedents_that_there_cannot_be() -> None:
    """One request to the ledger in place of two for each finding; none where there is no memory, and so no problem."""
    candidate, given = Candidate(1, "r", a_finding()), loaded([], is_first=True)
    embeddings, index = WordEmbeddings(), ListedIndex(NEAR)
    memories = [Memory(embeddings, index, KeptMemory(suffices=False)), Memory(None, None, KeptMemory())]

    found = [with_precedents([candidate], given, memory) for memory in memories]

    assert (found, embeddings.asked, index.asked) == ([(candidate,)] * 2, [], [])


@pytest.mark.parametrize(
    ("index", "store", "found"),
    [
        (ListedIndex(NEAR), KeptMemory(failing=Retry("busy.")), [()]),
        (ListedIndex(NEAR, {"delete": Retry("busy.")}), KeptMemory(expired={"1/7/F-1"}), [(NEAR[1],)]),
    ],
)
def test_a_finding_of_which_nobody_knows_is_not_found(
    index: ListedIndex, store: KeptMemory, found: list[tuple[Neighbor, ...]]
) -> None:
    """Nothing is recalled, and nothing deleted, where the table does not answer; what is left is the next run's."""
    memory = Memory(WordEmbeddings(), index, store)

    assert (memory.nearest(["one"], [1, 2], 5), memory.problem) == (found, "busy")


def test_without_embeddings_or_index_nothing_is_found_and_nothing_is_wrong() -> None:
    """A deployment may have no memory, and a repository may not want one."""
    memory = Memory(None, None, KeptMemory())

    assert memory.nearest(["one"], [1], 5) == [()]
    assert (memory.embedded(["one"]), memory.vectors(["k"]), memory.put([]), memory.delete(["k"])) == (
        None,
        {},
        False,
        False,
    )
    assert (memory.problem, memory.index_name) == (None, None)


@pytest.mark.parametrize("error", [Retry("S3 Vectors says Throttling."), Broken("S3 Vectors says Throttling.")])
def test_a_failure_is_a_problem_and_no_error(error: Retry | Broken) -> None:
    """The text says what failed; the run goes on, and asks nothing more, which would cost time each time."""
    embeddings = WordEmbeddings()
    memory = Memory(embeddings, ListedIndex(failing={"nearest": error}), KeptMemory())

    assert memory.nearest(["one"], [1], 5) == [()]
    later = memory.nearest(["two"], [1], 5), memory.embedded(["three"]), memory.put([])

    assert (memory.problem, later) == ("S3 Vectors says Throttling", ([()], None, False))
    assert [text for text, _ in embeddings.asked] == ["one"]


def test_a_memory_that_hangs_costs_three_seconds_in_all() -> None:
    """The time that was used counts, and what is asked after that costs nothing."""
    released, longest = threading.Event(), iter([2.5])
    memory = Memory(WordEmbeddings(before=lambda: released.wait(next(longest, 20))), ListedIndex(NEAR), KeptMemory())
    began = time.monotonic()

    slow = memory.nearest(["one"], [1], 5)
    found = memory.nearest(["two"] * 20, [1], 5)
    again = memory.nearest(["three"], [1], 5)
    took = time.monotonic() - began
    released.set()

    assert (slow, found, again) == ([(NEAR[0],)], [()] * 20, [()])
    assert memory.problem == "no answer within 3 seconds"
    assert took < 5  # with three seconds for each it would be 5.5


def test_a_bug_is_not_hidden() -> None:
    """An unforeseen error is no unavailable memory."""

    def bug() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Memory(WordEmbeddings(before=bug), ListedIndex(), KeptMemory()).embedded(["one"])


def test_findings_are_written_read_and_deleted_by_their_keys() -> None:
    """As documents, which queries find."""
    embeddings, index = WordEmbeddings(), ListedIndex()
    memory, finding = Memory(embeddings, index, KeptMemory()), a_remembered()

    vectors = memory.embedded(["a text"])
    wrote = memory.put([(finding, vectors[0])]) if vectors else False
    there = memory.vectors([finding.key, "1/9/F-9"])
    deleted = memory.delete([finding.key])

    assert (wrote, there, deleted, index.there) == (True, {"1/7/F-1": [1.0, 4.0]}, True, {})
    assert (embeddings.asked, memory.index_name) == ([("a text", "document")], INDEX)
