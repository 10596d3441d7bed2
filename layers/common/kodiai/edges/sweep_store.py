"""The items of a sweep in the table: its lease, how far it looked, and which heads have a run.

An item "SWEPT" of a pull request says for which head a sweep has queued a job, so that it does so once.
"""

from collections.abc import Sequence, Set
from contextlib import suppress
from typing import Any

from kodiai.core.errors import Retry
from kodiai.core.events.missed import KnownRuns, OpenPullRequest
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.aws import batches
from kodiai.edges.ledger_items import Item
from kodiai.edges.ledger_table import (
    ENTRY,
    FREE,
    LEASE,
    REPLACING,
    RETENTION_DAYS,
    Condition,
    LedgerItems,
    LostRace,
    entry,
    held_by,
    update,
)
from kodiai.ports.jobs import Clock

_MOST_READ = 100


class DynamoSweepStore(LedgerItems):
    """The port `SweepStore`: the sweep's own item, and what there is about pull requests of all repositories."""

    def __init__(self, table: Any, clock: Clock, *, retention_days: int = RETENTION_DAYS) -> None:
        super().__init__(table, "SWEEP", clock, retention_days=retention_days)

    def claim(self, owner: str, until: float) -> float:
        lease, now = {"lease_owner": owner, "lease_until": int(until)}, self._now()
        try:
            item = self._write(update(self._key("STATE"), lease, when=Condition(FREE, {"now": now}, also_expired=True)))
        except LostRace as lost:
            left = int(lost.item["lease_until"]) - now
            raise Retry("another sweep is at work", after_seconds=max(left, 1)) from lost
        return float(item.get("settled_until", 0))

    def release(self, owner: str, settled_until: float) -> None:
        sets, ours = {"settled_until": int(settled_until)}, held_by(owner)._replace(also_expired=True)
        with suppress(LostRace):
            self._write(update(self._key("STATE"), sets, removes=LEASE, when=ours))

    def worked_for(self, repositories: Sequence[RepositoryRef]) -> Set[int]:
        keys = [{"pk": f"OWNER#{each.owner_id}", "sk": f"{ENTRY}{each.id}"} for each in repositories]
        found = [item for some in batches(keys, _MOST_READ) for item in self._read_all(some)]
        return {each.id for each, item in zip(repositories, found, strict=True) if item}

    def runs_of(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[KnownRuns]:
        keys = [_key(each, sort) for each in pull_requests for sort in ("STATE", "SWEPT")]
        items = self._read_all(keys)
        known = list(zip(pull_requests, items[::2], items[1::2], strict=True))
        ended = {each.id: _key(each, f"RUN#{state['ended_run']}") for each, state, _ in known if "ended_run" in state}
        runs = dict(zip(ended, self._read_all(list(ended.values())), strict=True)) if ended else {}
        return [
            KnownRuns(
                was_reviewed="completed_head" in state,
                heads=frozenset(filter(None, (state.get("completed_head"), runs.get(each.id, {}).get("head")))),
                is_under_way="running" in state,
                swept=swept.get("state"),
            )
            for each, state, swept in known
        ]

    def note(self, pull_request: OpenPullRequest) -> None:
        self._write(entry(pull_request.repository, self._now()))
        self._write(update(_key(pull_request, "SWEPT"), {"state": pull_request.state}, when=REPLACING))


def _key(pull_request: OpenPullRequest, sort: str) -> Item:
    return {"pk": f"PR#{pull_request.repository.id}#{pull_request.number}", "sk": sort}
