"""The data of a repository that is deleted: the items of the table, and the vectors that some of them name."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.events.job import ItemKey
from kodiai.core.github.names import RepositoryRef


@dataclass(frozen=True)
class StoredItem:
    """An item about a repository, which GitHub knows by `repository_id`.

    `vector` is the key of the vector that the item names, None if it names none. `is_entry` is whether the item is
    what says that the repository has items: it is deleted last.
    """

    key: ItemKey
    repository_id: int
    vector: str | None = None
    is_entry: bool = False


@dataclass(frozen=True)
class StoredItems:
    """The items that one look at the table has found; `after` is the last one looked at, None at the table's end."""

    items: Sequence[StoredItem]
    after: ItemKey | None


@dataclass(frozen=True)
class StoredRepository:
    """A repository that has items, as it was when it was last heard of, and when that was (epoch seconds)."""

    ref: RepositoryRef
    seen: int
