"""The memory of a repository in DynamoDB: its rules, what its findings led to, and its owner's pool."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError

from kodiai.core.events.job import RepositoryRef
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.memory.rule import MOST_RULES, Rule
from kodiai.edges.ledger_items import Item
from kodiai.edges.ledger_table import LedgerItems, LostRace, update
from kodiai.ports import Clock

_RULE: TypeAdapter[Rule] = TypeAdapter(Rule)
_REMEMBERED: TypeAdapter[RememberedFinding] = TypeAdapter(RememberedFinding)


class DynamoRepositoryMemory(LedgerItems):
    """The memory of one repository. An item that cannot be read is left out."""

    def __init__(self, table: Any, repository: RepositoryRef, clock: Clock) -> None:
        super().__init__(table, f"REPO#{repository.id}", clock)
        self._repository = repository
        self._owner = f"OWNER#{repository.owner_id}"

    def rules(self) -> tuple[Rule, ...]:
        """Read its rules, oldest first."""
        rules: list[Rule] = []
        for item in self._items("RULE#"):
            if "removed_by" in item:
                continue
            with suppress(ValidationError):
                rules.append(_RULE.validate_python({**item, "id": item["sk"].removeprefix("RULE#")}))
        return tuple(sorted(rules, key=lambda rule: (rule.at, rule.id)))

    def add_rule(self, rule: Rule) -> bool:
        """Store a rule and count it in the same write, once for each id; False if there are as many as may be."""
        facts = _RULE.dump_python(rule, exclude={"id"})
        room = "attribute_not_exists(#rules) OR #rules < :most"
        writes = [
            update(self._key(f"RULE#{rule.id}"), facts, only="attribute_not_exists(pk)"),
            update(self._key("RULES"), {}, adds={"rules": 1}, only=room, given={"most": MOST_RULES}),
        ]
        try:
            self._transact(writes)
        except LostRace as lost:
            return 0 in lost.lost  # an earlier try has stored it
        return True

    def remove_rule(self, rule_id: str, key: str) -> bool:
        """Remove a rule and its count in the same write; the item stays for a while with the comment that asked for it.

        False if there is none of this id, unless the same comment has removed it.
        """
        item, only = self._key(f"RULE#{rule_id}"), "attribute_exists(pk) AND attribute_not_exists(removed_by)"
        gone = update(item, {"removed_by": key, **self._expiry()}, only=only)
        try:
            self._transact([gone, update(self._key("RULES"), {}, adds={"rules": -1})])
        except LostRace:
            return bool(self._read(item).get("removed_by") == key)
        return True

    def remembered(self, number: int | None = None) -> tuple[StoredMemory, ...]:
        """Read what is remembered of a pull request, or of all (None), by its number and the id of the finding."""
        found: list[StoredMemory] = []
        for item in self._items("REMEMBERED#" if number is None else f"REMEMBERED#{number:08}#"):
            with suppress(ValidationError):
                remembered = _REMEMBERED.validate_python(item)
                found.append(StoredMemory(remembered, item.get("index"), bool(item.get("forgotten"))))
        return tuple(found)

    def store(self, findings: Sequence[StoredMemory]) -> None:
        """Store what is remembered, each under its name. What a person had forgotten stays as it is."""
        for each in findings:
            facts = {**_REMEMBERED.dump_python(each.remembered), "key": each.remembered.key}
            flags = {"index": each.index, "forgotten": each.is_forgotten or None}
            change = update(
                self._key(f"REMEMBERED#{each.remembered.number:08}#{each.remembered.finding}"),
                {**facts, **{name: flag for name, flag in flags.items() if flag is not None}},
                removes=[name for name, flag in flags.items() if flag is None],
                only="" if each.is_forgotten else "attribute_not_exists(forgotten)",
            )
            with suppress(LostRace):
                self._write(change)

    def share(self, *, is_private: bool, shares: bool) -> None:
        """Put the repository into its owner's pool, or take it out."""
        key: Item = {"pk": self._owner, "sk": f"SHARES#{self._repository.id}"}
        if shares:
            self._put({**key, "repository": self._repository.name, "private": is_private})
        else:
            self._delete(key)

    def shared(self, *, with_private: bool) -> Sequence[int]:
        """The ids of the repositories of the owner's pool; private ones only where asked for."""
        pool = self._items("SHARES#", pk=self._owner)
        public = (item for item in pool if with_private or item.get("private") is False)
        return [int(item["sk"].removeprefix("SHARES#")) for item in public]
