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
from kodiai.edges.ledger_table import ENTRY, FREE, RETENTION_DAYS, LedgerItems, LostRace, entry, update
from kodiai.ports import Clock

_MOST_READ = 100


class DynamoSweepStore(LedgerItems):
    """The sweep's own item, and what there is about pull requests of all repositories."""

    def __init__(self, table: Any, clock: Clock, *, retention_days: int = RETENTION_DAYS) -> None:
        super().__init__(table, "SWEEP", clock, retention_days=retention_days)

    def claim(self, owner: str, until: float) -> float:
        """Take the lease until then; when the deliveries begin that are not settled, 0 if nobody knows.

        Raises Retry while another sweep is at work.
        """
        lease, now = {"lease_owner": owner, "lease_until": int(until)}, self._now()
        try:
            item = self._write(update(self._key("STATE"), lease, only=FREE, given={"now": now}, replaces=True))
        except LostRace as lost:
            left = int(lost.item["lease_until"]) - now
            raise Retry("another sweep is at work", after_seconds=max(left, 1)) from lost
        return float(item.get("settled_until", 0))

    def release(self, owner: str, settled_until: float) -> None:
        """Give the lease back if it is still ours, and store until when all deliveries are settled."""
        sets, lease = {"settled_until": int(settled_until)}, ("lease_owner", "lease_until")
        ours = update(
            self._key("STATE"),
            sets,
            removes=lease,
            only="lease_owner = :owner",
            given={"owner": owner},
            replaces=True,
        )
        with suppress(LostRace):
            self._write(ours)

    def worked_for(self, repositories: Sequence[RepositoryRef]) -> Set[int]:
        """The ids of those repositories for which this deployment has worked before."""
        keys = [{"pk": f"OWNER#{each.owner_id}", "sk": f"{ENTRY}{each.id}"} for each in repositories]
        found = [item for some in batches(keys, _MOST_READ) for item in self._read_all(some)]
        return {each.id for each, item in zip(repositories, found, strict=True) if item}

    def runs_of(self, pull_requests: Sequence[OpenPullRequest]) -> Sequence[KnownRuns]:
        """Read what there is of each of up to 50 pull requests."""
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
        """Store that a job was queued for the head of a pull request."""
        self._write(entry(pull_request.repository, self._now()))
        self._write(update(_key(pull_request, "SWEPT"), {"state": pull_request.state}, replaces=True))


def _key(pull_request: OpenPullRequest, sort: str) -> Item:
    return {"pk": f"PR#{pull_request.repository.id}#{pull_request.number}", "sk": sort}
