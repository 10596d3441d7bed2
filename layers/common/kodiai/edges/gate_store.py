"""The standings of a repository's pull requests, next to the state of each in the ledger."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from kodiai.core.gate.standing import Member, Mirror, Standing
from kodiai.core.github.names import RepositoryRef
from kodiai.edges.adapter import adapter
from kodiai.edges.ledger_items import Item
from kodiai.edges.ledger_table import RETENTION_DAYS, LedgerItems, update
from kodiai.ports.jobs import Clock

_AT_ONCE = 100


class DynamoGateStore(LedgerItems):
    """The port `GateStore`."""

    def __init__(
        self, table: Any, repository: RepositoryRef, clock: Clock, *, retention_days: int = RETENTION_DAYS
    ) -> None:
        super().__init__(table, f"REPO#{repository.id}", clock, retention_days=retention_days)
        self._repository = repository

    def stand(self, number: int, standing: Standing) -> tuple[Mirror, ...]:
        return mirrors_of(self._write(update(self._state(number), {"standing": asdict(standing)})))

    def members(self, pull_requests: Collection[int]) -> dict[int, Member]:
        numbers = sorted(pull_requests)
        some = [numbers[at : at + _AT_ONCE] for at in range(0, len(numbers), _AT_ONCE)]
        items = [item for each in some for item in self._read_all([self._state(number) for number in each])]
        return {number: member(item) for number, item in zip(numbers, items, strict=True)}

    def watch(self, mirror: Mirror) -> None:
        for number in mirror.heads:
            self._write(update(self._state(number), {}, adds={"mirrors": {_written(mirror)}}))

    def forget(self, number: int, mirrors: Sequence[Mirror]) -> None:
        if mirrors:
            self._write(update(self._state(number), {}, drops={"mirrors": set(map(_written, mirrors))}))

    def _state(self, number: int) -> Item:
        return {"pk": f"PR#{self._repository.id}#{number}", "sk": "STATE"}


def mirrors_of(state: Item) -> tuple[Mirror, ...]:
    """The mirrors that a pull request knows of."""
    return tuple(adapter(Mirror).validate_json(text) for text in sorted(state.get("mirrors", ())))


def _written(mirror: Mirror) -> str:
    return json.dumps(asdict(mirror), sort_keys=True)


def member(state: Item) -> Member:
    """A pull request by the item of its state."""
    found = state.get("standing")
    return Member(adapter(Standing).validate_python(found) if found else None, "running" in state, mirrors_of(state))
