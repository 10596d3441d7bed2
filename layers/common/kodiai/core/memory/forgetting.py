"""What is deleted of a repository: the items of the table, and the vectors that some of them name."""

from collections.abc import Sequence
from dataclasses import dataclass

from kodiai.core.events.job import ItemKey


@dataclass(frozen=True)
class StoredItem:
    """An item about a repository ("owner/name").

    `repository_id` is GitHub's global id and `vector` the key of the vector that the item names, where it has them.
    """

    key: ItemKey
    repository: str
    repository_id: str | None = None
    vector: str | None = None


@dataclass(frozen=True)
class StoredItems:
    """The items that one look at the table has found; `after` is the last one looked at, None at the table's end."""

    items: Sequence[StoredItem]
    after: ItemKey | None
