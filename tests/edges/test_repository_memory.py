"""The memory of a repository keeps its rules, what its findings led to, and its owner's pool."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.remembered import StoredMemory
from kodiai.core.memory.rule import MOST_RULES, Rule
from kodiai.edges.repository_memory import DynamoRepositoryMemory
from tests.builders import WIDGETS, a_remembered
from tests.edges.conftest import TurnableClock

REPO = "REPO#1"
REMEMBERED = a_remembered(
    12, "F-3fa1c2", outcome="wont_fix", is_merged=True, accepted_by=("ann",), dismissed_by=("bob", "eve"), at=1_000
)
STORED = StoredMemory(REMEMBERED)


def a_rule(number: int = 1) -> Rule:
    return Rule(f"R-{number:04}", f"Sentence {number}", by="ann", number=12, at=1_000 + number)


def of(number: int, finding: str = REMEMBERED.finding) -> StoredMemory:
    return StoredMemory(replace(REMEMBERED, number=number, finding=finding))


@pytest.fixture
def memory(table: Any, clock: TurnableClock) -> DynamoRepositoryMemory:
    """The memory of one repository."""
    return DynamoRepositoryMemory(table, WIDGETS, clock)


def test_rules_come_back_as_they_were_oldest_first(memory: DynamoRepositoryMemory) -> None:
    """In the order in which people said them, whatever their ids are."""
    later, earlier = replace(a_rule(1), at=3_000), replace(a_rule(2), at=2_000)

    assert [memory.add_rule(rule) for rule in (later, earlier)] == [True, True]

    assert memory.rules() == (earlier, later)


def test_a_rule_is_stored_once(memory: DynamoRepositoryMemory) -> None:
    """A second try with its id learns that it is there, and neither changes it nor counts it again."""
    memory.add_rule(a_rule(1))

    again = [memory.add_rule(replace(a_rule(1), text="Another", at=9_000)) for _ in range(MOST_RULES)]
    room = [memory.add_rule(a_rule(number)) for number in range(2, MOST_RULES + 1)]

    assert (all(again), all(room)) == (True, True)
    assert memory.rules() == tuple(a_rule(number) for number in range(1, MOST_RULES + 1))


def test_a_repository_has_so_many_rules_and_no_more(memory: DynamoRepositoryMemory) -> None:
    """Removing one makes room for one. A second try of the last one learns that it is there."""
    added = [memory.add_rule(a_rule(number)) for number in range(MOST_RULES + 1)]

    again = memory.add_rule(a_rule(MOST_RULES - 1))
    removed = [memory.remove_rule(a_rule(7).id, key) for key in ("thread-1", "thread-1", "thread-2")]
    then = [memory.add_rule(a_rule(number)) for number in (100, 101)]

    assert added == [*([True] * MOST_RULES), False]
    assert (again, removed, then) == (True, [True, True, False], [True, False])
    assert len(memory.rules()) == MOST_RULES


def test_the_last_place_goes_to_one_of_two_rules_at_once(table: Any, clock: TurnableClock) -> None:
    """Also where several mentions are answered at the same moment."""
    memories = [DynamoRepositoryMemory(table, WIDGETS, clock) for _ in range(2)]
    for number in range(MOST_RULES - 1):
        memories[0].add_rule(a_rule(number))

    with ThreadPoolExecutor(2) as pool:
        added = list(pool.map(lambda memory, number: memory.add_rule(a_rule(number)), memories, (100, 101)))

    assert sorted(added) == [False, True]
    assert len(memories[0].rules()) == MOST_RULES


def test_a_remembered_finding_comes_back_as_it_was(memory: DynamoRepositoryMemory) -> None:
    """By pull request and finding; of one pull request only its own, also where its number begins another's."""
    plain = StoredMemory(a_remembered(1))
    indexed = replace(of(12, "F-0"), index="kodiai-v1")
    stored = [of(123), replace(STORED, is_forgotten=True), indexed, plain]

    memory.store(stored)

    assert memory.remembered() == (plain, indexed, stored[1], stored[0])
    assert memory.remembered(12) == (indexed, stored[1])
    assert memory.remembered(2) == ()


def test_a_finding_that_is_stored_again_is_as_it_was_stored_last(memory: DynamoRepositoryMemory, table: Any) -> None:
    """It is no longer said to be in an index where that is not certain. The key of its vector is next to it."""
    memory.store([replace(STORED, index="kodiai-v1")])
    now = StoredMemory(replace(REMEMBERED, outcome="fixed", dismissed_by=(), at=2_000))

    memory.store([now])

    item = table.get_item(Key={"pk": REPO, "sk": "REMEMBERED#00000012#F-3fa1c2"})["Item"]
    assert memory.remembered() == (now,)
    assert (item["key"], "index" in item) == ("1/12/F-3fa1c2", False)


def test_a_finding_that_a_person_had_forgotten_stays_forgotten(memory: DynamoRepositoryMemory) -> None:
    """A review that read it before does not bring it back; the others that it stores are stored."""
    forgotten = replace(STORED, is_forgotten=True)
    memory.store([forgotten])

    memory.store([replace(STORED, index="kodiai-v1"), of(13)])

    assert memory.remembered() == (forgotten, of(13))


def test_a_remembered_finding_is_found_by_its_own_key(
    table: Any, clock: TurnableClock, memory: DynamoRepositoryMemory
) -> None:
    """More than a request of DynamoDB reads, also of another repository; not what expired or was forgotten."""
    there = [of(number) for number in range(1, 121)]
    other = replace(STORED.remembered, repository_id=2)
    memory.store([*there, replace(of(130), is_forgotten=True)])
    DynamoRepositoryMemory(table, RepositoryRef(name="acme/gadgets", id=2, owner_id=100), clock).store(
        [StoredMemory(other)]
    )
    asked = [*(each.remembered for each in [*there, of(130), of(131), of(1)]), other]

    kept = memory.kept(asked)
    clock.time += 401 * 86_400

    assert kept == {*(each.remembered.key for each in there), "2/12/F-3fa1c2"}
    assert (memory.kept(asked), memory.kept([])) == (set(), set())


def test_dismissals_suffice_from_three_people_and_two_pull_requests_on(memory: DynamoRepositoryMemory) -> None:
    """A finding that nobody dismissed does not count."""
    cid = StoredMemory(a_remembered(14, dismissed_by=("cid",)))
    suffices = []
    for each in (STORED, of(13), StoredMemory(a_remembered(14)), cid):
        memory.store([each])
        suffices.append(memory.dismissals_suffice())

    assert suffices == [False, False, False, True]


def test_dismissals_may_suffice_where_there_are_more_findings_than_are_looked_at(
    memory: DynamoRepositoryMemory,
) -> None:
    """Only a request for the index tells."""
    memory.store([StoredMemory(a_remembered(number, problem="x" * 300_000)) for number in range(1, 5)])

    assert memory.dismissals_suffice()


def test_more_than_a_page_is_remembered(memory: DynamoRepositoryMemory) -> None:
    """DynamoDB answers with a megabyte at a time."""
    long = [StoredMemory(replace(REMEMBERED, number=number, problem="x" * 300_000)) for number in range(1, 6)]
    memory.store(long)

    assert memory.remembered() == tuple(long)


def test_an_item_of_another_version_is_left_out(memory: DynamoRepositoryMemory, table: Any) -> None:
    """The rest is read."""
    memory.add_rule(a_rule())
    memory.store([STORED])
    memory.share(is_private=False, shares=True)
    for sort in ("RULE#R-9999", "REMEMBERED#00000012#F-9"):
        table.put_item(Item={"pk": REPO, "sk": sort, "text": ["other"], "severity": "HIGH"})
    table.put_item(Item={"pk": "OWNER#100", "sk": "SHARES#9"})

    assert (memory.rules(), memory.remembered()) == ((a_rule(),), (STORED,))
    assert memory.shared(with_private=False) == [1]


def test_the_pool_has_the_repositories_of_one_owner_that_share(table: Any, clock: TurnableClock) -> None:
    """By their ids, whatever their names are now; private ones where asked for."""
    refs = [RepositoryRef(name=f"o/r{id_}", id=id_, owner_id=owner) for id_, owner in ((1, 100), (2, 100), (3, 200))]
    one, two, other = (DynamoRepositoryMemory(table, ref, clock) for ref in refs)
    for memory, is_private in ((one, False), (two, True), (other, False)):
        memory.share(is_private=is_private, shares=True)

    assert one.shared(with_private=True) == [1, 2]
    assert two.shared(with_private=False) == [1]


def test_a_repository_leaves_the_pool(memory: DynamoRepositoryMemory) -> None:
    """Also one that was not in it."""
    memory.share(is_private=False, shares=True)

    for _ in range(2):
        memory.share(is_private=False, shares=False)

    assert memory.shared(with_private=True) == []
