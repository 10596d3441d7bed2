"""Everything that is stored about repositories: the items of the table by their keys, and the vectors of all indexes.

Sources: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_S3_Vectors.html
"""

from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from typing import Any

from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config

from kodiai.core.errors import Retry
from kodiai.core.events.job import ItemKey
from kodiai.core.github.names import RepositoryRef
from kodiai.core.memory.forgetting import StoredItem, StoredItems, StoredRepository
from kodiai.edges.aws import batches, connect, translated
from kodiai.edges.ledger_items import Item
from kodiai.edges.ledger_table import ENTRY

_REMEMBERED = "REMEMBERED#"
_PROPOSAL = "PROPOSAL#"
_KEYS: Item = {
    "ProjectionExpression": "pk, sk, #key, repository, repository_id, #number, seen",
    "ExpressionAttributeNames": {"#key": "key", "#number": "number"},
}
_MOST_DELETED = 500
_MOST_FOUND = 100
_MOST_ASKED_ABOUT = 100
_MOST_QUERIES = 100
_CONFIG = Config(connect_timeout=2, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 3})


class DynamoRepositoryData:
    """The port `RepositoryData`."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def repositories_of(self, owner_id: int) -> Set[int]:
        entries = Key("pk").eq(f"OWNER#{owner_id}") & Key("sk").begins_with(ENTRY)
        return {int(item["sk"].removeprefix(ENTRY)) for item in self._query(entries)}

    def named(self, repository: str) -> Sequence[StoredRepository]:
        """Read which repositories have this name ("owner/name"), capitals or not, or had it when last heard of.

        The one that was heard of last comes first. Reads the whole table.
        """
        entries = self._everywhere(Attr("pk").begins_with("OWNER#") & Attr("sk").begins_with(ENTRY))
        known = map(_repository, entries)
        # A repository that was transferred has an entry at each of its owners: the newest one counts.
        newest = {each.ref.id: each for each in sorted(known, key=lambda each: each.seen)}.values()
        found = [each for each in newest if each.ref.name.lower() == repository.lower()]
        return sorted(found, key=lambda each: each.seen, reverse=True)

    def look(self, after: ItemKey | None) -> StoredItems:
        """Look at 1 MB.

        Items of the last second may be missing: to read them for certain costs twice as much.
        """
        part = self._scan(after)
        last = part.get("LastEvaluatedKey")
        return StoredItems(tuple(_stored(part["Items"])), None if last is None else ItemKey(**last))

    def of_pull_request(self, repository_id: int, number: int) -> tuple[StoredItem, ...]:
        """Put the pointers to its proposals last: a deletion that was cut off finds the rest by them."""
        of_repository = Key("pk").eq(f"REPO#{repository_id}")
        pointers = self._query(of_repository & Key("sk").begins_with(_PROPOSAL))
        proposals = {item["sk"].rpartition("#")[2]: item for item in pointers if item.get("number") == number}
        items = [
            *self._query(Key("pk").eq(f"PR#{repository_id}#{number}")),
            *self._query(of_repository & Key("sk").begins_with(f"{_REMEMBERED}{number:08}#")),
            *(item for each in proposals for item in self._query(Key("pk").eq(f"{_PROPOSAL}{each}"))),
            *proposals.values(),
        ]
        return tuple(_stored(items))

    def delete(self, items: Sequence[StoredItem]) -> None:
        with _asking(), self._table.batch_writer() as batch:
            for item in items:
                batch.delete_item(Key=item.key.model_dump())

    def _everywhere(self, condition: Any) -> list[Item]:
        found: list[Item] = []
        after: ItemKey | None = None
        while True:
            part = self._scan(after, FilterExpression=condition)
            found += part["Items"]
            if "LastEvaluatedKey" not in part:
                return found
            after = ItemKey(**part["LastEvaluatedKey"])

    def _scan(self, after: ItemKey | None, **more: Any) -> Any:
        start = {} if after is None else {"ExclusiveStartKey": after.model_dump()}
        with _asking():
            return self._table.scan(**_KEYS, **start, **more)

    def _query(self, condition: Any) -> Iterator[Item]:
        start: Item = {}
        while True:
            with _asking():
                page = self._table.query(KeyConditionExpression=condition, ConsistentRead=True, **_KEYS, **start)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


class S3StoredVectors:
    """The port `StoredVectors`, in a vector bucket; `client` is boto3's of S3 Vectors.

    An index that an earlier model used still has its vectors. What no longer exists has none. A deployment without
    embeddings has no bucket: it may be in a region without S3 Vectors.
    """

    def __init__(self, client: Any, bucket: str | None, *, most_queries: int = _MOST_QUERIES) -> None:
        self._client = client
        self._bucket = bucket
        self._most_queries = most_queries

    def delete(self, keys: Sequence[str]) -> None:
        for some in batches(keys, _MOST_DELETED):
            for index in self._indexes:
                with self._asking("The vectors cannot be deleted"):
                    self._client.delete_vectors(vectorBucketName=self._bucket, indexName=index, keys=list(some))

    def delete_rest(self, repository_ids: Sequence[int]) -> int:
        """Find them by their metadata: their items, which had their keys, have expired.

        A query is approximate, so it may miss some. Raises Retry after `most_queries` of an index that each found some.
        """
        some_ids = list(batches(repository_ids, _MOST_ASKED_ABOUT))
        return sum(self._delete_found(index, some) for some in some_ids for index in self._indexes)

    def repositories_left(self, repository_ids: Sequence[int]) -> Set[int]:
        some_ids = list(batches(repository_ids, _MOST_ASKED_ABOUT))
        found = (each for some in some_ids for index in self._indexes for each in self._found(index, some))
        return {int(each["metadata"]["repository"]) for each in found}

    def _delete_found(self, index: str, repository_ids: Sequence[int]) -> int:
        deleted = 0
        for _ in range(self._most_queries):
            keys = [each["key"] for each in self._found(index, repository_ids)]
            if not keys:
                return deleted
            with self._asking("The vectors cannot be deleted"):
                self._client.delete_vectors(vectorBucketName=self._bucket, indexName=index, keys=keys)
            deleted += len(keys)
        raise Retry("More vectors are left than are deleted at once.")

    def _found(self, index: str, repository_ids: Sequence[int]) -> Sequence[Any]:
        """At most 100 vectors of these repositories, with their metadata, wherever they point to."""
        found: dict[str, Any] = {"vectors": ()}  # where the index no longer exists
        with self._asking("The vectors cannot be found"):
            found = self._client.query_vectors(
                vectorBucketName=self._bucket,
                indexName=index,
                queryVector={"float32": [1.0] * self._dimension(index)},
                topK=_MOST_FOUND,
                filter={"repository": {"$in": list(repository_ids)}},
                returnMetadata=True,
            )
        return tuple(found["vectors"])

    def _dimension(self, index: str) -> int:
        described = self._client.get_index(vectorBucketName=self._bucket, indexName=index)["index"]
        return int(described["dimension"])

    @cached_property
    def _indexes(self) -> Sequence[str]:
        names: list[str] = []
        if self._bucket is None:
            return names
        with self._asking("The vector indexes cannot be listed"):
            pages = self._client.get_paginator("list_indexes").paginate(vectorBucketName=self._bucket)
            names += [index["indexName"] for page in pages for index in page["indexes"]]
        return names

    @contextmanager
    def _asking(self, what: str) -> Iterator[None]:
        with (
            translated(what, "S3 Vectors", with_message=True),
            suppress(self._client.exceptions.NotFoundException),
        ):
            yield


def connect_stored_vectors() -> Any:
    """Connect to S3 Vectors, with time for large requests."""
    return connect("s3vectors", _CONFIG)


def _repository(entry: Item) -> StoredRepository:
    ids = {"id": int(entry["sk"].removeprefix(ENTRY)), "owner_id": int(entry["pk"].removeprefix("OWNER#"))}
    return StoredRepository(RepositoryRef(name=entry["repository"], **ids), int(entry["seen"]))


def _asking() -> AbstractContextManager[None]:
    return translated("The table cannot be used", "DynamoDB", with_message=True)


def _stored(items: Sequence[Item]) -> Iterator[StoredItem]:
    """The items that are about a repository: all but what is counted for an owner."""
    for item in items:
        kind, _, rest = item["pk"].partition("#")
        key = ItemKey(pk=item["pk"], sk=item["sk"])
        match kind:
            case "PR" | "REPO" if (about := rest.partition("#")[0]).isdecimal():
                yield StoredItem(key, int(about), item.get("key") if item["sk"].startswith(_REMEMBERED) else None)
            case "PROPOSAL" if "repository_id" in item:
                yield StoredItem(key, int(item["repository_id"]))
            case "OWNER" if item["sk"].startswith((ENTRY, "SHARES#")):
                about = item["sk"].partition("#")[2]
                yield StoredItem(key, int(about), is_entry=item["sk"].startswith(ENTRY))
