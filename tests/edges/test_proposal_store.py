"""The store of proposals keeps each with its content and its history, and lets nobody write over what changed."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kodiai.core.diffs.results import AffectedFile
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.proposals.proposal import Content, Proposal
from kodiai.core.proposals.protocol import Action, ClaimIt, Close, Revise, Transition, act, submitted
from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.edges.repository_data import DynamoRepositoryData
from tests.edges.conftest import TurnableClock
from tests.proposal_builders import a_content, a_proposal, an_actor
from tests.tables import each_row

DAY = 86_400
DIFF = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-old\n+new\n"
CLAIM, CLOSE = ClaimIt(an_actor("bob"), 60), Close(an_actor("ann"), may_write=False, note="no longer")
NOWHERE, OTHER_ID = "P-" + "0" * 20, "P-" + "1" * 20


@pytest.fixture
def store(table: Any, clock: TurnableClock) -> DynamoProposalStore:
    return DynamoProposalStore(table, clock)


def created(store: DynamoProposalStore, content: Content | None = None, **given: Any) -> Proposal:
    """Store a new proposal."""
    content = content or a_content(DIFF)
    new = a_proposal(content, **given)
    return store.create(new, submitted(new).events[0], content)


def written(
    store: DynamoProposalStore, proposal: Proposal, action: Action, at: float = 1_000, content: Content | None = None
) -> Transition:
    """Store what an action leads to, which nobody prevents."""
    changed = act(proposal, action, at)
    assert store.write(proposal, changed, content)
    return changed


def revised(store: DynamoProposalStore, proposal: Proposal, content: Content, at: float = 1_000) -> Proposal:
    return written(store, proposal, Revise(proposal.proposer, content, ()), at, content).proposal


def noise(size: int) -> str:
    """A text of this length that cannot be compressed to less than six eighths of it."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
    return "".join(random.Random(7).choices(alphabet, k=size))


def of_proposals(table: Any) -> list[dict[str, Any]]:
    """The items that proposals made, without those that say which repositories an owner has."""
    return [item for item in table.scan()["Items"] if not item["pk"].startswith("OWNER#")]


def test_a_proposal_comes_back_as_it_was_with_its_content_and_its_history(store: DynamoProposalStore) -> None:
    """With all its characters. Of others there is neither a proposal nor a history nor a list."""
    content = a_content(DIFF + " \u00e9\u4e2d\U0001f600\u2028\x00\r\n", description="Fix \U0001f600 it")

    new = created(store, content, number=7)

    assert (store.get(new.id), store.content(new), store.events(new.id)) == (new, content, submitted(new).events)
    assert (store.get(NOWHERE), store.events(NOWHERE), store.of_repository(2)) == (None, (), ())


def test_a_proposal_is_created_once(store: DynamoProposalStore, table: Any) -> None:
    """The second creation gets what is there by then, and changes nothing."""
    new = created(store)
    claimed = written(store, new, CLAIM).proposal
    before = of_proposals(table)

    again = created(store, a_content("another diff"), id=new.id)

    assert again == claimed
    assert (of_proposals(table), store.content(again)) == (before, a_content(DIFF))


def test_many_who_create_a_proposal_at_once_get_the_same(store: DynamoProposalStore) -> None:
    """Also where their contents differ: one of them is stored, whole."""
    contents = [a_content(f"{DIFF}{number}") for number in range(16)]

    with ThreadPoolExecutor(16) as pool:
        stored = list(pool.map(lambda content: created(store, content), contents))

    assert len(set(stored)) == 1
    assert store.content(stored[0]).digest == stored[0].content
    assert len(store.events(stored[0].id)) == 1


def test_the_history_is_append_only(store: DynamoProposalStore) -> None:
    """An action is stored with its entries, after those that are there: two where a claim had ended before."""
    new = created(store)
    claimed = written(store, new, CLAIM)
    before = store.events(new.id)
    closed = written(store, claimed.proposal, CLOSE, at=1_120)

    assert store.get(new.id) == closed.proposal
    assert before == (*submitted(new).events, *claimed.events)
    assert store.events(new.id) == (*before, *closed.events)
    assert [(event.number, event.action) for event in closed.events] == [(3, "expire"), (4, "close")]


def test_nobody_writes_over_what_changed_meanwhile(store: DynamoProposalStore) -> None:
    """The second of two that read the same writes nothing: no proposal, no entry, no content of its own revision 2."""
    new, contents = created(store), [a_content("first"), a_content("second")]
    first, second = (act(new, Revise(new.proposer, content, ()), 1_000) for content in contents)

    outcomes = [store.write(new, first, contents[0]), store.write(new, second, contents[1])]

    assert outcomes == [True, False]
    assert (store.get(new.id), store.content(first.proposal)) == (first.proposal, contents[0])
    assert store.events(new.id) == (*submitted(new).events, *first.events)


def test_a_revision_replaces_the_content_and_keeps_no_former_one(store: DynamoProposalStore, table: Any) -> None:
    """Nothing of the former one is left, and reading it asks to read the proposal again. It may come back."""
    new, content = created(store), a_content(noise(900_000))

    second = revised(store, new, content)

    assert store.content(second) == content
    with pytest.raises(Retry, match=r"^the content of the proposal was replaced at this moment$"):
        store.content(new)
    left = [item for item in of_proposals(table) if new.content in item["sk"] and "data" in item]
    assert b"".join(bytes(item["data"].value) for item in left) == b""
    third = revised(store, second, a_content(DIFF))
    assert (third.revision, store.content(third)) == (3, a_content(DIFF))


@each_row("size", [0, 1, 349_000, 800_000, 1_000_000])
def test_a_diff_of_any_size_is_stored(store: DynamoProposalStore, size: int) -> None:
    """An item of DynamoDB holds 400 KB."""
    content = a_content(noise(size))

    assert store.content(created(store, content, id=f"P-{size:020}")) == content


def test_a_proposal_that_is_too_large_without_its_diff_is_refused(store: DynamoProposalStore) -> None:
    """A new one and a revision; nothing is changed."""
    new, files = created(store), (AffectedFile(path=noise(600_000), operation="create", added=1, removed=0),)
    content, before = a_content("another"), store.events(new.id)
    text = (
        r"^The description, the files and the problems of the proposal take too much room: make a smaller proposal\.$"
    )

    with pytest.raises(Refused, match=text):
        created(store, id=OTHER_ID, files=files)
    with pytest.raises(Refused, match=text):
        store.write(new, act(new, Revise(new.proposer, content, files), 1_000), content)

    assert (store.get(new.id), store.content(new), store.events(new.id)) == (new, a_content(DIFF), before)
    assert store.get(OTHER_ID) is None


def test_everything_of_a_proposal_expires_90_days_after_it_was_submitted(
    store: DynamoProposalStore, clock: TurnableClock, table: Any
) -> None:
    """Also later writes. DynamoDB deletes late, so an expired proposal is not read, and makes room."""
    new = created(store)
    clock.time += 80 * DAY
    revised(store, new, a_content("another"), clock.now())
    expiry = {item["expires_at"] for item in of_proposals(table) if "data" in item or "parts" not in item}

    clock.time += 10 * DAY

    assert expiry == {1_000 + 90 * DAY}
    assert (store.get(new.id), store.events(new.id), store.of_repository(1)) == (None, (), ())
    again = created(store, created=clock.now(), updated=clock.now())
    assert (store.get(new.id), store.content(again)) == (again, a_content(DIFF))
    assert len(store.events(new.id)) == 1


def test_the_proposals_of_a_repository_are_listed_newest_first(
    store: DynamoProposalStore, table: Any, clock: TurnableClock
) -> None:
    """As they were last written, of no other repository, and up to the limit, also from several requests."""
    made = [
        created(store, id=f"P-{number:020x}", number=number or None, created=1_000 + number / 1_000_000)
        for number in (2, 0, 1)
    ]
    created(store, id="P-" + "f" * 20, repository_id=2)
    closed = written(store, made[0], CLOSE).proposal

    assert store.of_repository(1) == (closed, made[2], made[1])
    assert DynamoProposalStore(table, clock, most_listed=2, most_read=1).of_repository(1) == (closed, made[2])


class Later(Proposal):
    """A proposal of a later release."""

    added_later: int


def test_a_proposal_of_a_later_release_is_named_and_left_out_of_lists(store: DynamoProposalStore) -> None:
    """One that cannot be read must not hide the others."""
    new, other = created(store), created(store, id=OTHER_ID)
    later = Later.model_validate({**new.model_dump(), "added_later": 1})
    store.write(new, submitted(later.model_copy(update={"version": 2})))

    with pytest.raises(Broken, match=rf"^The proposal {new.id} cannot be read\.$"):
        store.get(new.id)
    assert store.of_repository(1) == (other,)


def test_every_item_names_the_repository_and_the_pull_request(store: DynamoProposalStore, table: Any) -> None:
    """By these it is deleted with everything else about them. The owner's list has the repository."""
    new = created(store, number=7)
    written(store, new, CLAIM)

    items = of_proposals(table)

    assert {(item["repository_id"], item["number"]) for item in items} == {(1, 7)}
    assert sorted((item["pk"], item["sk"]) for item in items) == [
        (f"PROPOSAL#{new.id}", f"CONTENT#00000001#{new.content}#000"),
        (f"PROPOSAL#{new.id}", "EVENT#00000001"),
        (f"PROPOSAL#{new.id}", "EVENT#00000002"),
        (f"PROPOSAL#{new.id}", "META"),
        ("REPO#1", f"PROPOSAL#0000001000.000000#{new.id}"),
    ]
    assert table.get_item(Key={"pk": "OWNER#100", "sk": "REPO#1"})["Item"]


def test_a_proposal_is_deleted_with_its_pull_request(store: DynamoProposalStore, table: Any) -> None:
    """With its content, its history and its pointer; those for other pull requests and for commits stay."""
    deleted, other, of_commit = (
        created(store, a_content(noise(500_000)), id=f"P-{number or 0:020x}", number=number) for number in (7, 77, None)
    )
    written(store, deleted, CLAIM)
    data = DynamoRepositoryData(table)

    data.delete(data.of_pull_request(1, 7))

    assert (store.get(deleted.id), store.events(deleted.id)) == (None, ())
    assert [item for item in of_proposals(table) if deleted.id in f"{item['pk']} {item['sk']}"] == []
    assert store.of_repository(1) == (other, of_commit)
    assert store.content(other) == a_content(noise(500_000))


def test_a_proposal_that_is_deleted_while_somebody_works_on_it_does_not_come_back(
    store: DynamoProposalStore, table: Any
) -> None:
    """A write finds that the proposal is gone, and leaves nothing."""
    new = created(store)
    data = DynamoRepositoryData(table)
    data.delete(data.look(None).items)

    assert not store.write(new, act(new, CLAIM, 1_000))
    assert table.scan()["Items"] == []
