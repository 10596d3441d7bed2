"""Sweep: have GitHub deliver again what did not arrive, and review open pull requests of which no webhook arrived.

GitHub does not deliver again by itself. Its log says what failed and what was delivered again, so a failure is
redelivered once, by whichever sweep. While a sweep may still have a redelivery under way that the log does not show,
no other one begins: it holds its lease until then, also if it is killed.
Source: https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries

A redelivery that fails is lost. As long as nothing has arrived since a failure, only one is tried, so that an outage
does not use them all up.
"""

from collections import Counter
from collections.abc import Callable, Sequence, Set
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field

from kodiai.core.errors import Refused, Retry
from kodiai.core.events.missed import Installation, OpenPullRequest, missed_job, missed_trigger
from kodiai.core.events.redelivery import FAILED_AGAIN, LISTED_SECONDS, LoggedDelivery, failures
from kodiai.core.json_object import JsonObject
from kodiai.flows.pull_request_ports import Deadline
from kodiai.ports.github import OpenPullRequests, WebhookLog
from kodiai.ports.jobs import JobQueue
from kodiai.ports.stores import SweepStore

APPEARS_SECONDS = 15
"""After this time a redelivery is in GitHub's log, or was not sent: GitHub waits ten seconds for an answer."""

_MOST_REDELIVERED = 300
_MOST_LOOKED_AT = 50_000
# What was sent this long before a look is answered, and the clocks agree.
_UNDER_WAY_SECONDS = 60
_REDELIVERY_SECONDS = 60
"""The time that is left for a redelivery and the look at what came of it."""
_PULL_REQUESTS_SECONDS = 30
_AT_ONCE = 50
_REFUSED = "refused by GitHub"


@dataclass(frozen=True)
class SweepPorts:
    """The ports of a sweep.

    `webhooks` is None where a token serves instead of an App: then GitHub has no log for us. `pause` waits a second.
    `hours` is how long ago a pull request may have been opened or pushed to; 0 looks at none.
    """

    webhooks: WebhookLog | None
    installations: Callable[[], Sequence[Installation]]
    open_installation: Callable[[Installation], AbstractContextManager[OpenPullRequests]]
    store: SweepStore
    queue: JobQueue
    deadline: Deadline
    pause: Callable[[], None]
    hours: float


def sweep(ports: SweepPorts) -> JsonObject:
    """Sweep once, and say what was found and done. Raises Retry while another sweep is at work."""
    attempt = ports.deadline.attempt
    settled_until = ports.store.claim(attempt.owner, attempt.deadline + APPEARS_SECONDS)
    facts: dict[str, JsonObject] = {}
    is_known = True
    if ports.webhooks is not None:
        redelivering = _Redelivering(ports.webhooks, ports)
        try:
            settled_until = redelivering.carry_out(settled_until)
        except (Retry, Refused) as problem:
            redelivering.problems.append(str(problem))
            is_known = not redelivering.sent
        facts["deliveries"] = redelivering.facts()
    if ports.hours > 0:
        facts["pull_requests"] = _Missed(ports).carry_out()
    if is_known:
        with suppress(Retry):  # it ends by itself
            ports.store.release(attempt.owner, settled_until)
    return facts


@dataclass
class _Redelivering:
    """The redeliveries of one sweep, and what came of them."""

    webhooks: WebhookLog
    ports: SweepPorts
    looked_at: int = 0
    failed: int = 0
    left: int = 0
    sent: set[str] = field(default_factory=set)
    arrived: dict[str, bool] = field(default_factory=dict)
    given_up: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def carry_out(self, settled_until: float) -> float:
        """Redeliver the failures since then, oldest first; give until when all are settled now."""
        now = self.ports.deadline.clock.now()
        log = []
        for entry in self.webhooks.deliveries(max(settled_until, now - LISTED_SECONDS)):
            log.append(entry)
            if len(log) == _MOST_LOOKED_AT:
                self.problems.append(f"only the last {_MOST_LOOKED_AT} deliveries were looked at")
                break
        found = failures(log)
        self.looked_at, self.failed = len(log), len(found.due) + sum(found.given_up.values())
        self.given_up.update(found.given_up)
        try:
            left = self._redeliver(found.due, found.last_success, now)
        finally:
            self._look(self.sent - self.arrived.keys(), now)
        self.left = len(left)
        return left[0].delivered_at if left else now - _UNDER_WAY_SECONDS

    def _redeliver(self, due: Sequence[LoggedDelivery], last_success: float, now: float) -> Sequence[LoggedDelivery]:
        """Redeliver one after the other; those that are left to the next sweep."""
        for at, delivery in enumerate(due):
            if at >= _MOST_REDELIVERED or self.ports.deadline.left() < _REDELIVERY_SECONDS:
                return due[at:]
            if at > 0:
                self.ports.pause()
            if not self._send(delivery):
                return due[at:]
            is_tried = delivery.delivered_at < last_success or any(self.arrived.values())
            if not is_tried and delivery.guid in self.sent and not self._look({delivery.guid}, now):
                return due[at + 1 :]
        return ()

    def _send(self, delivery: LoggedDelivery) -> bool:
        """Have it sent again; False where GitHub is busy, and it may or may not have been sent."""
        try:
            self.webhooks.redeliver(delivery.id)
        except Refused:
            self.given_up[_REFUSED] += 1
            return True
        except Retry as busy:
            self.problems.append(str(busy))
            self.sent.add(delivery.guid)
            return False
        self.sent.add(delivery.guid)
        return True

    def _look(self, guids: Set[str], now: float) -> bool:
        """Wait until the log says what came of these redeliveries; whether all of them arrived."""
        missing = set(guids)
        for attempt in range(APPEARS_SECONDS):
            if not missing:
                break
            if attempt:
                self.ports.pause()
            for entry in self.webhooks.deliveries(now - _UNDER_WAY_SECONDS):
                if entry.redelivery and entry.guid in missing:
                    self.arrived[entry.guid] = entry.succeeded
                    missing.discard(entry.guid)
        return all(self.arrived.get(guid, False) for guid in guids)

    def facts(self) -> JsonObject:
        """The figures for the log."""
        failed_again = sum(not arrived for arrived in self.arrived.values())
        given_up = self.given_up + Counter({FAILED_AGAIN: failed_again})
        return {
            "looked_at": self.looked_at,
            "failed": self.failed,
            "redelivered": len(self.sent),
            "arrived": len(self.arrived) - failed_again,
            "given_up": dict(given_up),
            "left": self.left,
            **({"problems": self.problems} if self.problems else {}),
        }


class _Missed:
    """The open pull requests whose heads have no run, of all installations."""

    def __init__(self, ports: SweepPorts) -> None:
        self._ports = ports
        self._counts: Counter[str] = Counter()
        self._problems: list[str] = []

    def carry_out(self) -> JsonObject:
        """Queue a job for each, once; what happened before the App was installed is left alone."""
        ports = self._ports
        now = ports.deadline.clock.now()
        begin = now - ports.hours * 3_600
        try:
            installations = self._in_turn(ports.installations(), now)
        except (Retry, Refused) as problem:
            self._problems.append(str(problem))
            installations = []
        for at, installation in enumerate(installations):
            if self._is_time_up():
                self._problems.append(f"{len(installations) - at} installations are left: the time is up")
                break
            try:
                self._look_at(installation, max(begin, installation.since))
            except (Retry, Refused) as problem:
                self._problems.append(f"installation {installation.id}: {problem}")
        names = ("installations", "repositories", "looked_at", "without_run", "queued")
        counts = {name: self._counts[name] for name in names}
        return {**counts, **({"problems": self._problems} if self._problems else {})}

    def _in_turn(self, installations: Sequence[Installation], now: float) -> Sequence[Installation]:
        """The installations, of which each comes first once in a while: the time may not suffice for all."""
        first = int(now // 3_600) % len(installations) if installations else 0
        return [*installations[first:], *installations[:first]]

    def _is_time_up(self) -> bool:
        return self._ports.deadline.left() < _PULL_REQUESTS_SECONDS

    def _look_at(self, installation: Installation, since: float) -> None:
        store = self._ports.store
        with self._ports.open_installation(installation) as github:
            repositories = github.repositories()
            if installation.id is None:  # a token's account may be in repositories that have no webhook
                worked_for = store.worked_for(repositories)
                repositories = [each for each in repositories if each.id in worked_for]
            self._counts["installations"] += 1
            self._counts["repositories"] += len(repositories)
            some: list[OpenPullRequest] = []
            for each in github.updated(repositories, since):
                some.append(each)
                if len(some) == _AT_ONCE:
                    self._ask_for_runs(some, installation, since, github)
                    some = []
                    if self._is_time_up():
                        self._problems.append(f"installation {installation.id}: the time is up")
                        return
            self._ask_for_runs(some, installation, since, github)

    def _ask_for_runs(
        self,
        pull_requests: Sequence[OpenPullRequest],
        installation: Installation,
        since: float,
        github: OpenPullRequests,
    ) -> None:
        """Queue a job for those whose head has no run, and then note it: it is queued again if that is cut off."""
        self._counts["looked_at"] += len(pull_requests)
        if not pull_requests:
            return
        known = zip(pull_requests, self._ports.store.runs_of(pull_requests), strict=True)
        lacking = [(each, runs) for each, runs in known if runs.lacks_run(each)]
        self._counts["without_run"] += len(lacking)
        if not lacking:
            return
        for (each, runs), last in zip(lacking, github.last_events([each for each, _ in lacking]), strict=True):
            trigger = missed_trigger(each, last, since, was_reviewed=runs.was_reviewed)
            if trigger is not None:
                self._ports.queue.send("reviews", missed_job(each, trigger, installation.id))
                self._counts["queued"] += 1
                self._ports.store.note(each)
