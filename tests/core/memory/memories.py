"""The outside of the memory in memory: an index, embeddings by words, and what the ledger knows."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from kodiai.core.errors import KodiaiError
from kodiai.core.memory.remembered import Neighbor, RememberedFinding, StoredMemory, Vector
from kodiai.core.memory.rule import MOST_RULES, Rule
from kodiai.ports.models import EmbeddingPurpose

INDEX = "words-8"


@dataclass
class WordEmbeddings:
    """Embeds a text as the lengths of its first words; `before` is done first each time."""

    before: Callable[[], object] = lambda: None
    asked: list[tuple[str, EmbeddingPurpose]] = field(default_factory=list)

    def embed(self, text: str, purpose: EmbeddingPurpose) -> Vector:
        self.before()
        self.asked.append((text, purpose))
        return [float(len(word)) for word in text.split()[:8]]


@dataclass
class ListedIndex:
    """An index with these nearest findings; `failing` is raised by what it names."""

    near: Sequence[Neighbor] = ()
    failing: Mapping[str, KodiaiError] = field(default_factory=dict)
    there: dict[str, tuple[RememberedFinding, Vector]] = field(default_factory=dict)
    asked: list[tuple[tuple[int, ...], int]] = field(default_factory=list)
    name: str = INDEX

    def nearest(
        self,
        vector: Vector,  # noqa: ARG002 - as the real one is called
        repository_ids: Sequence[int],
        most: int,
        *,
        only_judged: bool = False,
    ) -> tuple[Neighbor, ...]:
        self._do("nearest")
        self.asked.append((tuple(repository_ids), most))
        near = [each for each in self.near if each.remembered.repository_id in repository_ids]
        return tuple(each for each in near if each.remembered.is_judged or not only_judged)[:most]

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
        self._do("put")
        self.there |= {remembered.key: (remembered, vector) for remembered, vector in findings}

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        self._do("vectors")
        return {key: self.there[key][1] for key in keys if key in self.there}

    def delete(self, keys: Sequence[str]) -> None:
        self._do("delete")
        for key in keys:
            self.there.pop(key, None)

    def _do(self, what: str) -> None:
        if what in self.failing:
            raise self.failing[what]


@dataclass
class KeptMemory:
    """The ledger's entries about the memory of one repository; `pool` are sharing ones by id, and whether private.

    `expired` are keys that the index may still have; `failing` is raised by the question which are
    kept, `asked` are those that it was about. `suffices` is whether its dismissals may suppress a finding.
    """

    kept_rules: list[Rule] = field(default_factory=list)
    stored: dict[str, StoredMemory] = field(default_factory=dict)
    pool: dict[int, bool] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    own: int = 1
    expired: Set[str] = frozenset()
    failing: KodiaiError | None = None
    asked: list[list[str]] = field(default_factory=list)
    suffices: bool = True

    def rules(self) -> tuple[Rule, ...]:
        return tuple(self.kept_rules)

    def add_rule(self, rule: Rule) -> bool:
        if rule.id in [each.id for each in self.kept_rules]:
            return True
        if len(self.kept_rules) >= MOST_RULES:
            return False
        self.kept_rules.append(rule)
        return True

    def remove_rule(self, rule_id: str, key: str) -> bool:
        left = [each for each in self.kept_rules if each.id != rule_id]
        if len(left) < len(self.kept_rules):
            self.removed[rule_id] = key
        self.kept_rules = left
        return self.removed.get(rule_id) == key

    def remembered(self, number: int | None = None) -> tuple[StoredMemory, ...]:
        return tuple(each for each in self.stored.values() if number in (None, each.remembered.number))

    def dismissals_suffice(self) -> bool:
        return self.suffices

    def kept(self, findings: Sequence[RememberedFinding]) -> Set[str]:
        if self.failing is not None:
            raise self.failing
        self.asked.append([each.key for each in findings])
        return {each.key for each in findings} - self.expired

    def store(self, findings: Sequence[StoredMemory]) -> None:
        self.stored |= {each.remembered.name: replace(each) for each in findings}

    def share(self, *, is_private: bool, shares: bool) -> None:
        self.pool.pop(self.own, None)
        if shares:
            self.pool[self.own] = is_private

    def shared(self, *, with_private: bool) -> Sequence[int]:
        return [each for each, is_private in self.pool.items() if with_private or not is_private]
