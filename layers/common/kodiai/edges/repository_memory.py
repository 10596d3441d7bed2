"""The memory of a repository in DynamoDB: its rules, what its findings led to, and its owner's pool."""

from collections.abc import Iterable, Sequence, Set
from contextlib import suppress
from typing import Any

from boto3.dynamodb.conditions import Attr
from pydantic import ValidationError

from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.precedents import suffice
from kodiai.core.memory.remembered import RememberedFinding, StoredMemory
from kodiai.core.memory.rule import MOST_RULES, Rule
from kodiai.edges.adapter import adapter
from kodiai.edges.aws import batches
from kodiai.edges.ledger_items import Item
from kodiai.edges.ledger_table import NEW, RETENTION_DAYS, SHORT_SECONDS, Condition, LedgerItems, LostRace, update
from kodiai.ports.jobs import Clock

_MOST_READ = 100
_REMEMBERED = "REMEMBERED#"


class DynamoRepositoryMemory(LedgerItems):
    """The port `RepositoryMemory`. An item that cannot be read is left out."""

    def __init__(
        self, table: Any, repository: RepositoryRef, clock: Clock, *, retention_days: int = RETENTION_DAYS
    ) -> None:
        super().__init__(table, f"REPO#{repository.id}", clock, retention_days=retention_days)
        self._repository = repository
        self._owner = f"OWNER#{repository.owner_id}"

    def rules(self) -> tuple[Rule, ...]:
        rules: list[Rule] = []
        for item in self._items("RULE#"):
            if "removed_by" in item:
                continue
            with suppress(ValidationError):
                rules.append(adapter(Rule).validate_python({**item, "id": item["sk"].removeprefix("RULE#")}))
        return tuple(sorted(rules, key=lambda rule: (rule.at, rule.id)))

    def add_rule(self, rule: Rule) -> bool:
        """Count those that are there, while no other is added: a counter would count expired ones too.

        Raises Retry where others keep adding rules.
        """
        facts = adapter(Rule).dump_python(rule, exclude={"id"})
        for tries_left in (2, 1, 0):
            version = int(self._get("RULES").get("version", 0))
            stored = self._items("RULE#")
            if any(item["sk"] == f"RULE#{rule.id}" for item in stored):
                return True  # an earlier try has stored it
            if sum("removed_by" not in item for item in stored) >= MOST_RULES:
                return False
            as_read = (
                Condition("version = :before", {"before": version})
                if version
                else Condition("attribute_not_exists(version)")
            )
            writes = [
                update(self._key(f"RULE#{rule.id}"), facts, when=NEW),
                update(self._key("RULES"), {"version": version + 1}, when=as_read),
            ]
            try:
                self._transact(writes)
            except LostRace:
                if not tries_left:
                    raise
            else:
                break
        return True

    def remove_rule(self, rule_id: str, key: str) -> bool:
        """Keep the item for a while, with the comment that asked for it."""
        item, stored = self._key(f"RULE#{rule_id}"), "attribute_exists(pk) AND attribute_not_exists(removed_by)"
        sets = {"removed_by": key, "expires_at": self._now() + SHORT_SECONDS}
        try:
            self._write(update(item, sets, when=Condition(stored)))
        except LostRace:
            return bool(self._read(item).get("removed_by") == key)
        return True

    def remembered(self, number: int | None = None) -> tuple[StoredMemory, ...]:
        """Read them in the order of pull requests and of findings' ids."""
        return _read(self._items(_REMEMBERED if number is None else f"{_REMEMBERED}{number:08}#"))

    def dismissals_suffice(self) -> bool:
        """Look at the newest megabyte of what is remembered: most repositories have less."""
        only = Attr("dismissed_by").size().gt(0)
        page = self._last_page(_REMEMBERED, FilterExpression=only, ConsistentRead=True)
        return "LastEvaluatedKey" in page or suffice([each.remembered for each in _read(page["Items"])])

    def kept(self, findings: Sequence[RememberedFinding]) -> Set[str]:
        """Read 100 items at a time."""
        distinct = list({each.key: each for each in findings}.values())
        kept: set[str] = set()
        for some in batches(distinct, _MOST_READ):
            places = [{"pk": f"REPO#{each.repository_id}", "sk": _sort(each)} for each in some]
            items = self._read_all(places, ProjectionExpression="pk, sk, expires_at, forgotten")
            kept |= {each.key for each, item in zip(some, items, strict=True) if item and "forgotten" not in item}
        return kept

    def store(self, findings: Sequence[StoredMemory]) -> None:
        self._write_each([self._stored(each) for each in findings])

    def _stored(self, memory: StoredMemory) -> Item:
        facts = {**adapter(RememberedFinding).dump_python(memory.remembered), "key": memory.remembered.key}
        flags = {"index": memory.index, "forgotten": memory.is_forgotten or None}
        return update(
            self._key(_sort(memory.remembered)),
            {**facts, **{name: flag for name, flag in flags.items() if flag is not None}},
            removes=[name for name, flag in flags.items() if flag is None],
            when=Condition("" if memory.is_forgotten else "attribute_not_exists(forgotten)"),
        )

    def share(self, *, is_private: bool, shares: bool) -> None:
        place = f"SHARES#{self._repository.id}"
        before = self._get("SHARES").get("owner")
        if before not in (None, self._repository.owner_id):  # it was transferred: its new owner decides
            self._delete({"pk": f"OWNER#{before}", "sk": place})
        if shares:
            # First: without it nothing would be deleted after a transfer.
            self._put({**self._key("SHARES"), "owner": self._repository.owner_id})
            self._put({"pk": self._owner, "sk": place, "private": is_private})
        elif before is not None:
            self._delete({"pk": self._owner, "sk": place})
            self._delete(self._key("SHARES"))

    def shared(self, *, with_private: bool) -> Sequence[int]:
        pool = self._items("SHARES#", pk=self._owner)
        public = (item for item in pool if with_private or item.get("private") is False)
        return [int(item["sk"].removeprefix("SHARES#")) for item in public]


def _read(items: Iterable[Item]) -> tuple[StoredMemory, ...]:
    found: list[StoredMemory] = []
    for item in items:
        with suppress(ValidationError):
            remembered = adapter(RememberedFinding).validate_python(item)
            found.append(StoredMemory(remembered, item.get("index"), bool(item.get("forgotten"))))
    return tuple(found)


def _sort(remembered: RememberedFinding) -> str:
    return f"{_REMEMBERED}{remembered.number:08}#{remembered.finding}"
