"""Data about a repository is deleted once the App is not installed on it, in whatever parts that happens."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from kodiai.core.errors import Retry
from kodiai.core.events.job import DeliveryAttempt, ForgetJob, ItemKey, QueuedJob
from kodiai.core.memory.forgetting import StoredItem, StoredItems
from kodiai.core.outcome import Outcome
from kodiai.flows.forget_repositories import WAITS, ForgetPorts, forget_repositories
from kodiai.flows.pull_request_ports import Deadline
from tests.core.panel import Clock

UNINSTALLED = ForgetJob(
    delivery="guid", trigger="uninstalled", owner="acme", owner_id=100, installation=1, sender="ann"
)
WIDGETS, GADGETS = 1, 2


def an_item(repository: int, sort: str, vector: str | None = None, *, is_entry: bool = False) -> StoredItem:
    return StoredItem(ItemKey(pk=str(repository), sk=sort), repository, vector, is_entry)


STATE, FINDING = an_item(WIDGETS, "a"), an_item(WIDGETS, "b", "1/7/F-1")
OTHER = an_item(GADGETS, "c")
ENTRY = an_item(WIDGETS, "d", is_entry=True)
STRANGER = an_item(3, "e")


@dataclass
class Outside:
    """Everything outside, in memory; `done` is what happened, in order.

    `items` are the table's, of which one look returns `at_once`. `rest` are how many vectors without an item each
    repository has. `time` passes with each look.
    """

    items: list[StoredItem] = field(default_factory=lambda: [STATE, FINDING, OTHER])
    installed: set[int] = field(default_factory=set)
    at_once: int = 10
    seconds: float = 0
    is_index_busy: bool = False
    rest: dict[int, int] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)
    done: list[Any] = field(default_factory=list)
    sent: list[QueuedJob] = field(default_factory=list)

    def installation(self, repository_id: int) -> int | None:
        self.done.append(("asked", repository_id))
        return 7 if repository_id in self.installed else None

    def look(self, after: ItemKey | None) -> StoredItems:
        self.clock.time += self.seconds
        later = [item for item in self.items if after is None or item.key.sk > after.sk]
        rest = later[self.at_once :]
        return StoredItems(later[: self.at_once], later[self.at_once - 1].key if rest else None)

    def send(self, queue: str, job: QueuedJob) -> None:
        assert queue == "reviews"
        self.sent.append(job)

    def run(self, job: ForgetJob) -> Outcome:
        deadline = Deadline(DeliveryAttempt("us", 0, 600, 1, 5), self.clock)
        data, vectors = _Data(self), _Vectors(self)
        ports = ForgetPorts(app=self, data=cast(Any, data), vectors=vectors, queue=self, deadline=deadline)
        return forget_repositories(job, ports)


@dataclass
class _Data:
    outside: Outside

    def repositories_of(self, owner_id: int) -> set[int]:
        assert owner_id == 100
        return {WIDGETS, GADGETS}

    def look(self, after: ItemKey | None) -> StoredItems:
        return self.outside.look(after)

    def delete(self, items: Sequence[StoredItem]) -> None:
        self.outside.done.append(("items", [item.key.sk for item in items]))
        self.outside.items = [item for item in self.outside.items if item not in items]


@dataclass
class _Vectors:
    outside: Outside

    def delete(self, keys: Sequence[str]) -> None:
        if self.outside.is_index_busy:
            raise Retry("S3 Vectors says ServiceUnavailableException")
        self.outside.done.append(("vectors", list(keys)))

    def delete_rest(self, repository_ids: Sequence[int]) -> int:
        self.outside.done.append(("rest", list(repository_ids)))
        return sum(self.outside.rest.pop(each, 0) for each in repository_ids)

    def repositories_left(self, repository_ids: Sequence[int]) -> set[int]:
        return set(list(self.outside.rest.keys() & set(repository_ids))[:1])


def test_everything_about_the_owners_repositories_is_deleted_vectors_first() -> None:
    """GitHub is asked about each repository before anything of it is deleted, and a second look follows."""
    outside = Outside()

    outcome = outside.run(UNINSTALLED)

    assert outside.done == [
        ("asked", WIDGETS),
        ("asked", GADGETS),
        ("vectors", ["1/7/F-1"]),
        ("items", ["a", "b", "c"]),
    ]
    assert outside.sent == [UNINSTALLED.second_look(WAITS)]
    assert outcome == Outcome(
        "completed",
        "the first look",
        {"deleted_items": 3, "deleted_vectors": 1, "deleted_repositories": 2, "installed_repositories": 0},
    )


def test_the_table_is_looked_at_in_parts_and_what_is_left_is_another_message() -> None:
    """Each message deletes at least one part. Only the last one asks for the second look."""
    outside = Outside(at_once=1, seconds=300)

    first = outside.run(UNINSTALLED)
    [rest] = outside.sent
    assert isinstance(rest, ForgetJob)
    outside.clock.time = 0
    second = outside.run(rest)

    assert (first.status, first.reason) == ("continued", "the time of this invocation is up")
    assert rest == UNINSTALLED.continued(FINDING.key)
    assert (second.status, second.facts["deleted_items"]) == ("completed", 1)
    assert outside.items == []
    assert outside.sent[1:] == [rest.second_look(WAITS)]


def test_the_second_look_waits_in_one_message_after_the_other() -> None:
    """Each is young when it is done: the age of a message is an alarm. Nothing is looked at meanwhile."""
    outside, job = Outside(), UNINSTALLED.second_look(WAITS)

    while job.waits_left:
        assert job.waits
        assert outside.run(job) == Outcome("continued", "the second look waits")
        sent = outside.sent[-1]
        assert isinstance(sent, ForgetJob)
        job = sent

    assert (outside.done, len(outside.sent), job.waits) == ([], WAITS - 1, True)


def test_items_stay_until_their_vectors_are_gone() -> None:
    """Nothing else knows the vectors' keys."""
    outside = Outside(is_index_busy=True)

    with pytest.raises(Retry):
        outside.run(UNINSTALLED)

    assert outside.items == [STATE, FINDING, OTHER]
    assert outside.sent == []


@pytest.mark.parametrize(("seconds", "installed", "asked"), [(1, [], 1), (61, [], 2), (100, [WIDGETS], 1)])
def test_github_is_asked_again_before_it_is_a_minute_later(seconds: float, installed: list[int], asked: int) -> None:
    """Somebody may install the App again while the table is read; one that is installed is kept."""
    outside = Outside(items=[STATE, FINDING], at_once=1, seconds=seconds, installed={*installed})

    outside.run(UNINSTALLED)

    assert outside.done.count(("asked", WIDGETS)) == asked
    assert bool(outside.items) is bool(installed)
