"""The store of proposals keeps each with its content and its history, and lets nobody write over what changed."""

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from kodiai.core.diffs.results import AffectedFile
from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.proposals.proposal import Content, Proposal
from kodiai.core.proposals.protocol import ClaimIt, Close, Revise, act, submitted
from kodiai.edges.proposal_store import DynamoProposalStore
from kodiai.edges.repository_data import DynamoRepositoryData
from tests.edges.conftest import TurnableClock
from tests.proposal_builders import a_content, a_proposal, an_actor

DAY = 86_400
HEAD = "a" * 40
DIFF = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-old\n+new\n"


@pytest.fixture
def store(table: Any, clock: TurnableClock) -> DynamoProposalStore:
    return DynamoProposalStore(table, clock)


def created(store: DynamoProposalStore, content: Content | None = None, **given: Any) -> Proposal:
    """Store a new proposal."""
    content = content or a_content(DIFF)
    new = a_proposal(content, **given)
    return store.create(new, submitted(new).events[0], content)


def noise(size: int) -> str:
    """A text of so many characters that cannot be compressed to less than six eighths of it."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-"
    return "".join(random.Random(7).choices(alphabet, k=size))


def keys(table: Any) -> list[tuple[str, str]]:
    return sorted((item["pk"], item["sk"]) for item in table.scan()["Items"] if "data" in item or "parts" not in item)


def test_a_proposal_comes_back_as_it_was_with_its_content_and_its_history(store: DynamoProposalStore) -> None:
    """Whatever characters it has."""
    content = a_content(DIFF + " \u00e9\u4e2d\U0001f600\u2028\x00\r\n", description="Fix \U0001f600 it")

    new = created(store, content, number=7)

    assert store.get(new.id) == new
    assert store.content(new) == content
    assert store.events(new.id) == submitted(new).events


def test_nothing_is_there_that_was_not_stored(store: DynamoProposalStore) -> None:
    """Neither a proposal nor a history nor a list."""
    created(store)

    assert store.get("P-" + "0" * 20) is None
    assert store.events("P-" + "0" * 20) == ()
    assert store.of_repository(2) == ()


def test_a_proposal_is_created_once(store: DynamoProposalStore, clock: TurnableClock, table: Any) -> None:
    """Who creates it again gets what is there by then, and changes nothing."""
    new = created(store)
    claimed = act(new, ClaimIt(an_actor("bob"), 60), clock.now())
    store.write(new, claimed)
    before = keys(table)

    again = created(store, a_content("another diff"), id=new.id)

    assert again == claimed.proposal
    assert (keys(table), store.content(again)) == (before, a_content(DIFF))


def test_of_many_who_create_a_proposal_at_once_all_get_the_same(table: Any, clock: TurnableClock) -> None:
    """Also where their contents differ: one of them is stored, whole."""
    store = DynamoProposalStore(table, clock)
    contents = [a_content(f"{DIFF}{number}") for number in range(16)]

    with ThreadPoolExecutor(16) as pool:
        stored = list(pool.map(lambda content: created(store, content), contents))

    assert len(set(stored)) == 1
    assert store.content(stored[0]).digest == stored[0].content
    assert len(store.events(stored[0].id)) == 1


def test_an_action_is_stored_with_its_entries(store: DynamoProposalStore, clock: TurnableClock) -> None:
    """Two entries where a claim had ended before."""
    new = created(store)
    claimed = act(new, ClaimIt(an_actor("bob"), 60), clock.now())
    clock.time += 120
    closed = act(claimed.proposal, Close(an_actor("ann"), may_write=False, note="no longer"), clock.now())

    written = [store.write(new, claimed), store.write(claimed.proposal, closed)]

    assert written == [True, True]
    assert store.get(new.id) == closed.proposal
    assert store.events(new.id) == (*submitted(new).events, *claimed.events, *closed.events)
    assert [(event.number, event.action) for event in store.events(new.id)] == [
        (1, "submit"), (2, "claim"), (3, "expire"), (4, "close"),
    ]  # fmt: skip


def test_nobody_writes_over_what_changed_meanwhile(store: DynamoProposalStore, clock: TurnableClock) -> None:
    """The second of two that read the same writes neither the proposal nor an entry."""
    new = created(store)
    first, second = (act(new, ClaimIt(an_actor(login), 60), clock.now()) for login in ("bob", "eve"))

    written = [store.write(new, first), store.write(new, second)]

    assert written == [True, False]
    assert store.get(new.id) == first.proposal
    assert store.events(new.id) == (*submitted(new).events, *first.events)


def test_a_revision_replaces_the_content(store: DynamoProposalStore, clock: TurnableClock, table: Any) -> None:
    """Nothing of the former one is left, and reading it asks to read the proposal again."""
    new = created(store)
    content = a_content(noise(900_000))
    revised = act(new, Revise(new.proposer, content, ()), clock.now())

    store.write(new, revised, content)

    assert store.content(revised.proposal) == content
    with pytest.raises(Retry, match=r"^the content of the proposal was replaced at this moment$"):
        store.content(new)
    assert b"".join(bytes(item["data"].value) for item in table.scan()["Items"] if _is_content(item, new)) == b""


def _is_content(item: dict[str, Any], proposal: Proposal) -> bool:
    return proposal.content in item["sk"] and "data" in item


def test_a_revision_that_came_too_late_replaces_nothing(store: DynamoProposalStore, clock: TurnableClock) -> None:
    """The content of the one that was first stays, also if both are revision 2."""
    new, contents = created(store), [a_content("first"), a_content("second")]
    revised = [act(new, Revise(new.proposer, content, ()), clock.now()) for content in contents]

    written = [store.write(new, each, content) for each, content in zip(revised, contents, strict=True)]

    assert written == [True, False]
    assert store.content(revised[0].proposal) == contents[0]


def test_a_former_content_may_come_back(store: DynamoProposalStore, clock: TurnableClock) -> None:
    """It is stored again."""
    proposal, contents = created(store), [a_content("another"), a_content(DIFF)]

    for content in contents:
        revised = act(proposal, Revise(proposal.proposer, content, ()), clock.now())
        store.write(proposal, revised, content)
        proposal = revised.proposal

    assert (proposal.revision, store.content(proposal)) == (3, a_content(DIFF))


@pytest.mark.parametrize("size", [0, 1, 349_000, 800_000, 1_000_000])
def test_a_diff_of_any_size_is_stored(store: DynamoProposalStore, size: int) -> None:
    """An item of DynamoDB holds 400 KB."""
    content = a_content(noise(size))

    new = created(store, content)

    assert store.content(new) == content


def test_a_proposal_that_is_too_large_without_its_diff_is_refused(store: DynamoProposalStore) -> None:
    """With words for the one who submits it, when it is new and later; nothing is changed."""
    new, files = created(store), (AffectedFile(path=noise(600_000), operation="create", added=1, removed=0),)
    content, before = a_content("another"), store.events(new.id)
    revised = act(new, Revise(new.proposer, content, files), 1_000)

    with pytest.raises(Refused) as at_first:
        created(store, id="P-" + "1" * 20, files=files)
    with pytest.raises(Refused) as later:
        store.write(new, revised, content)

    assert {str(at_first.value), str(later.value)} == {
        "The description, the files and the problems of the proposal take too much room: make a smaller proposal."
    }
    assert (store.get(new.id), store.content(new), store.events(new.id)) == (new, a_content(DIFF), before)
    assert store.get("P-" + "1" * 20) is None


def test_everything_of_a_proposal_expires_90_days_after_it_was_submitted(
    store: DynamoProposalStore, clock: TurnableClock, table: Any
) -> None:
    """Whatever was written later. DynamoDB deletes late, so what has expired is not read, and makes room."""
    new = created(store)
    clock.time += 80 * DAY
    content = a_content("another")
    revised = act(new, Revise(new.proposer, content, ()), clock.now())
    store.write(new, revised, content)
    expiry = {
        item["expires_at"]
        for item in table.scan()["Items"]
        if item["pk"] != "OWNER#100" and ("data" in item or "parts" not in item)
    }

    clock.time += 10 * DAY

    assert expiry == {1_000 + 90 * DAY}
    assert (store.get(new.id), store.events(new.id), store.of_repository(1)) == (None, (), ())
    again = created(store, created=clock.now(), updated=clock.now())
    assert (store.get(new.id), store.content(again)) == (again, a_content(DIFF))
    assert len(store.events(new.id)) == 1


def test_the_proposals_of_a_repository_are_listed_newest_first(
    store: DynamoProposalStore, clock: TurnableClock
) -> None:
    """As they were last written, and of no other repository."""
    made = [
        created(store, id=f"P-{number:020x}", number=number or None, created=1_000 + number / 1_000_000)
        for number in (2, 0, 1)
    ]
    created(store, id="P-" + "f" * 20, repository_id=2)
    closed = act(made[0], Close(an_actor("ann"), may_write=False), clock.now())
    store.write(made[0], closed)

    assert store.of_repository(1) == (closed.proposal, made[2], made[1])


def test_not_more_than_so_many_are_listed(table: Any, clock: TurnableClock) -> None:
    """The newest ones, also if it takes more than one request."""
    store = DynamoProposalStore(table, clock, most_listed=5, most_read=2)
    made = [created(store, id=f"P-{number:020x}", created=1_000.0 + number) for number in range(7)]

    listed = store.of_repository(1)

    assert listed == tuple(made[:1:-1])


def test_what_a_later_release_wrote_is_named_and_left_out_of_lists(store: DynamoProposalStore) -> None:
    """One that cannot be read must not hide the others."""
    new, other = created(store), created(store, id="P-" + "1" * 20)
    later = Later.model_validate({**new.model_dump(), "added_later": 1})
    store.write(new, submitted(later.model_copy(update={"version": 2})))

    with pytest.raises(Broken, match=rf"^The proposal {new.id} cannot be read\.$"):
        store.get(new.id)
    assert store.of_repository(1) == (other,)


class Later(Proposal):
    """A proposal of a later release."""

    added_later: int


def test_every_item_names_the_repository_and_the_pull_request(
    store: DynamoProposalStore, clock: TurnableClock, table: Any
) -> None:
    """By these it is deleted with everything else about them."""
    new = created(store, number=7)
    store.write(new, act(new, ClaimIt(an_actor("bob"), 60), clock.now()))

    items = table.scan()["Items"]

    assert {(item["repository_id"], item["number"]) for item in items if "repository_id" in item} == {(1, 7)}
    assert [(item["pk"], item["sk"]) for item in sorted(items, key=lambda item: (item["pk"], item["sk"]))] == [
        ("OWNER#100", "REPO#1"),
        (f"PROPOSAL#{new.id}", f"CONTENT#00000001#{new.content}#000"),
        (f"PROPOSAL#{new.id}", "EVENT#00000001"),
        (f"PROPOSAL#{new.id}", "EVENT#00000002"),
        (f"PROPOSAL#{new.id}", "META"),
        ("REPO#1", f"PROPOSAL#0000001000.000000#{new.id}"),
    ]


def test_a_proposal_is_deleted_with_its_pull_request(
    store: DynamoProposalStore, clock: TurnableClock, table: Any
) -> None:
    """With its content, its history and its pointer; those for other pull requests and for commits stay."""
    deleted, other, of_commit = (
        created(store, a_content(noise(500_000)), id=f"P-{number or 0:020x}", number=number) for number in (7, 77, None)
    )
    store.write(deleted, act(deleted, ClaimIt(an_actor("bob"), 60), clock.now()))
    data = DynamoRepositoryData(table)

    data.delete(data.of_pull_request(1, 7))

    assert (store.get(deleted.id), store.events(deleted.id)) == (None, ())
    assert [item for item in table.scan()["Items"] if deleted.id in f"{item['pk']} {item['sk']}"] == []
    assert store.of_repository(1) == (other, of_commit)
    assert store.content(other) == a_content(noise(500_000))


def test_what_is_deleted_while_somebody_works_on_it_does_not_come_back(
    store: DynamoProposalStore, clock: TurnableClock, table: Any
) -> None:
    """A write finds that the proposal is gone, and leaves nothing."""
    new = created(store)
    data = DynamoRepositoryData(table)
    data.delete(data.look(None).items)

    written = store.write(new, act(new, ClaimIt(an_actor("bob"), 60), clock.now()))

    assert (written, table.scan()["Items"]) == (False, [])
