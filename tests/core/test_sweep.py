"""A sweep, with everything outside in memory: what it does in which order, and what it leaves to the next one."""

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from kodiai.core.errors import Refused, Retry
from kodiai.core.events.job import DeliveryAttempt, QueuedJob
from kodiai.core.events.missed import Installation, KnownRuns, LastEvents, OpenPullRequest
from kodiai.core.events.redelivery import LoggedDelivery
from kodiai.core.github.names import RepositoryRef
from kodiai.flows.pull_request_ports import Deadline
from kodiai.flows.sweep import APPEARS_SECONDS, SweepPorts, sweep
from tests.builders import WIDGETS
from tests.core.events.test_missed import NEW
from tests.core.events.test_redelivery import logged
from tests.core.panel import Clock

NOW = 1_000_000.0


@dataclass
class Outside:
    """GitHub, the table and the queue. `answers` are what redeliveries are answered with, by guid: 202 unless given.

    One that is answered None never appears in the log. `busy` are guids whose redelivery GitHub has no time for, though
    it may carry it out; `gone` those that it no longer knows.
    """

    log: list[LoggedDelivery] = field(default_factory=list)
    answers: dict[str, int | None] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    pulls: dict[int | None, list[OpenPullRequest]] = field(default_factory=dict)
    known: dict[str, KnownRuns] = field(default_factory=dict)
    refusing: set[int | None] = field(default_factory=set)
    clock: Clock = field(default_factory=Clock)
    settled_until: float = 0
    lease: str | None = None
    redelivered: list[str] = field(default_factory=list)
    looked_at: list[int | None] = field(default_factory=list)
    queued: list[QueuedJob] = field(default_factory=list)
    has_app: bool = True
    hours: float = 24
    is_table_busy: bool = False

    def __post_init__(self) -> None:
        self.clock.time = NOW

    def deliveries(self, since: float) -> Iterable[LoggedDelivery]:
        return [each for each in reversed(self.log) if each.delivered_at >= since]

    def redeliver(self, delivery_id: int) -> None:
        first = next(each for each in self.log if each.id == delivery_id)
        if first.guid in self.gone:
            raise Refused("no such delivery")
        self.redelivered.append(first.guid)
        status = self.answers.get(first.guid, 202)
        if status is not None:
            again = replace(first, id=10**9 + len(self.log), delivered_at=self.clock.now(), redelivery=True)
            self.log.append(replace(again, status_code=status))
        if first.guid in self.busy:
            raise Retry("GitHub is busy")

    def claim(self, owner: str, until: float) -> float:
        assert until == self.clock.now() + 600 + APPEARS_SECONDS
        assert self.lease is None
        self.lease = owner
        return self.settled_until

    def release(self, owner: str, settled_until: float) -> None:
        assert self.lease == owner
        if self.is_table_busy:
            raise Retry("DynamoDB is busy")
        self.lease, self.settled_until = None, settled_until

    def worked_for(self, repositories: Sequence[RepositoryRef]) -> Set[int]:
        return {each.id for each in repositories if each == WIDGETS}

    def runs_of(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[KnownRuns]:
        assert len(pull_requests) <= 50
        return [self.known.get(each.id, KnownRuns()) for each in pull_requests]

    def note(self, pull_request: OpenPullRequest) -> None:
        assert len(self.queued) > 0
        self.known[pull_request.id] = KnownRuns(swept=pull_request.state)

    def send(self, queue: str, job: QueuedJob) -> None:
        assert queue == "reviews"
        self.queued.append(job)

    def sweep(self) -> Any:
        ids, now = list(self.pulls) if self.has_app else [None], self.clock.now()
        return sweep(
            SweepPorts(
                webhooks=self if self.has_app else None,
                installations=lambda: [Installation(each, 0, {}) for each in ids],
                open_installation=self._open,
                store=self,
                queue=self,
                deadline=Deadline(DeliveryAttempt("us", now, now + 600, 1, 1), self.clock),
                pause=self._pause,
                hours=self.hours,
            )
        )

    @contextmanager
    def _open(self, installation: Installation) -> Iterator["_Installed"]:
        self.looked_at.append(installation.id)
        yield _Installed(self, installation.id)

    def _pause(self) -> None:
        self.clock.time += 1


@dataclass
class _Installed:
    outside: Outside
    id: int | None

    def repositories(self) -> Sequence[RepositoryRef]:
        if self.id in self.outside.refusing:
            raise Refused("the App may not read pull requests here")
        return [WIDGETS, WIDGETS.model_copy(update={"name": "acme/other", "id": 99})]

    def updated(self, repositories: Sequence[RepositoryRef], since: float) -> Iterable[OpenPullRequest]:
        there = {each.id for each in repositories}
        return [
            each for each in self.outside.pulls[self.id] if each.repository.id in there and each.updated_at >= since
        ]

    def last_events(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[LastEvents]:
        return [LastEvents() for _ in pull_requests]


def lost(count: int, begin: float = NOW - 5_000) -> list[LoggedDelivery]:
    return [logged(f"{at:05}", begin + at, 500) for at in range(count)]


def pulls(count: int, **changes: Any) -> list[OpenPullRequest]:
    return [
        replace(NEW, id=f"PR_{at}", number=at + 1, created_at=NOW, updated_at=NOW, **changes) for at in range(count)
    ]


def test_failures_are_redelivered_oldest_first_a_second_apart() -> None:
    """The first one is tried, and those after it go on as soon as it has arrived."""
    outside = Outside(lost(3))

    facts = outside.sweep()["deliveries"]

    assert outside.redelivered == ["00000", "00001", "00002"]
    assert outside.clock.time == NOW + 2
    assert facts == {"looked_at": 3, "failed": 3, "redelivered": 3, "arrived": 3, "given_up": {}, "left": 0}
    assert (outside.lease, outside.settled_until) == (None, NOW - 60)


def test_a_sweep_does_so_much_and_the_next_one_goes_on_from_there() -> None:
    """A settled pull request is not looked at again."""
    outside = Outside(lost(310))

    first = outside.sweep()["deliveries"]
    settled = outside.settled_until
    second = outside.sweep()["deliveries"]

    assert (first["redelivered"], first["left"], settled) == (300, 10, outside.log[300].delivered_at)
    assert (second["redelivered"], second["left"]) == (10, 0)
    assert outside.redelivered == [f"{at:05}" for at in range(310)]


def test_a_redelivery_without_an_answer_of_github_is_not_sent_twice() -> None:
    """GitHub may have sent it or not. If it did, the log shows it; else the next sweep sends it."""
    sent, unsent = Outside(lost(2), busy={"00000"}), Outside(lost(2), busy={"00000"}, answers={"00000": None})

    for outside in (sent, unsent):
        facts = outside.sweep()["deliveries"]
        assert facts["problems"] == ["GitHub is busy"]
        outside.busy.clear()
        outside.answers.clear()
        outside.sweep()

    assert sent.redelivered == ["00000", "00001"]
    assert unsent.redelivered == ["00000", "00000", "00001"]
    assert unsent.clock.time >= NOW + APPEARS_SECONDS - 1


def test_a_delivery_that_github_no_longer_repeats_is_given_up() -> None:
    """The others go on. It delivers nothing again that is older than three days, so only those are looked at.

    A lease that cannot be given back ends by itself, and the line says what was done.
    """
    old = logged("old", NOW - 4 * 86_400, 500)
    outside = Outside([old, *lost(2), logged("good", NOW - 100, 202)], gone={"00000"}, is_table_busy=True)

    facts = outside.sweep()["deliveries"]

    assert (facts["looked_at"], facts["redelivered"], facts["given_up"]) == (3, 1, {"refused by GitHub": 1})
    assert outside.lease == "us"


def test_a_pull_request_is_queued_once_for_each_head() -> None:
    """Whatever comes of its job."""
    outside = Outside(pulls={5: pulls(120)})

    first, second = outside.sweep()["pull_requests"], outside.sweep()["pull_requests"]
    outside.pulls[5][0] = replace(outside.pulls[5][0], head="b" * 40)
    third = outside.sweep()["pull_requests"]

    assert first == {"installations": 1, "repositories": 2, "looked_at": 120, "without_run": 120, "queued": 120}
    assert (second["without_run"], second["queued"]) == (0, 0)
    assert (third["without_run"], third["queued"]) == (1, 1)


def test_pull_requests_are_left_alone_with_zero_hours() -> None:
    """Webhooks are still redelivered."""
    outside = Outside(lost(1), pulls={5: pulls(1)}, hours=0)

    assert outside.sweep().keys() == {"deliveries"}
    assert (outside.looked_at, outside.redelivered) == ([], ["00000"])


def test_an_installation_that_refuses_does_not_keep_the_others() -> None:
    """The line says which."""
    outside = Outside(pulls={5: pulls(1), 6: pulls(1, repository=WIDGETS)}, refusing={5})

    facts = outside.sweep()["pull_requests"]

    assert facts["problems"] == ["installation 5: the App may not read pull requests here"]
    assert (facts["installations"], facts["queued"]) == (1, 1)


def test_each_installation_comes_first_once_in_a_while() -> None:
    """The time may not suffice for all."""
    outside = Outside(pulls={5: [], 6: [], 7: []})

    for _ in range(3):
        outside.sweep()
        outside.clock.time += 3_600

    assert {tuple(outside.looked_at[at : at + 3]) for at in (0, 3, 6)} == {(5, 6, 7), (6, 7, 5), (7, 5, 6)}


def test_with_a_token_only_repositories_are_looked_at_that_have_been_worked_for() -> None:
    """Its account may be in many others. GitHub has no log of a repository's webhooks for it."""
    other = WIDGETS.model_copy(update={"name": "acme/other", "id": 99})
    outside = Outside(pulls={None: [*pulls(1), *pulls(1, repository=other)]}, has_app=False)

    facts = outside.sweep()

    assert "deliveries" not in facts
    assert (facts["pull_requests"]["repositories"], facts["pull_requests"]["queued"]) == (1, 1)
