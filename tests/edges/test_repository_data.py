"""Everything that is stored about a repository is found by its keys, and deleted; nothing else is."""

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from kodiai.core.errors import Retry
from kodiai.core.events.job import ItemKey
from kodiai.core.memory.forgetting import StoredItem
from kodiai.edges.repository_data import DynamoRepositoryData, S3StoredVectors
from local.aws import LocalAws
from tests.aws_resources import add_index, create_indexes, vector_keys

OWN: list[dict[str, Any]] = [
    {"pk": "PR#1#7", "sk": "STATE"},
    {"pk": "PR#1#7", "sk": "FINDING#F-1"},
    {"pk": "PR#1#12", "sk": "STATE"},
    {"pk": "REPO#1", "sk": "MONTH#2026-11"},
    {"pk": "REPO#1", "sk": "RULE#R-1"},
    {"pk": "REPO#1", "sk": "REMEMBERED#00000007#F-1", "key": "1/7/F-1", "index": "titan"},
    {"pk": "REPO#1", "sk": "REMEMBERED#00000012#F-2", "key": "1/12/F-2"},
    {"pk": "OWNER#100", "sk": "SHARES#1", "private": True},
    {"pk": "OWNER#100", "sk": "REPO#1", "repository": "acme/widgets", "seen": 1_000},
    {"pk": "REPO#1", "sk": "PROPOSAL#0000001000.000000#P-1", "repository_id": 1, "number": 7},
    {"pk": "PROPOSAL#P-1", "sk": "META", "repository_id": 1, "number": 7},
    {"pk": "PROPOSAL#P-1", "sk": "CONTENT#00000001#c1#000", "repository_id": 1, "number": 7},
    {"pk": "REPO#1", "sk": "PROPOSAL#0000001001.000000#P-2", "repository_id": 1},
    {"pk": "PROPOSAL#P-2", "sk": "META", "repository_id": 1},
    {"pk": "REPO#1", "sk": "PROPOSAL#0000001002.000000#P-3", "repository_id": 1, "number": 12},
    {"pk": "PROPOSAL#P-3", "sk": "META", "repository_id": 1, "number": 12},
]
SISTER: list[dict[str, Any]] = [
    {"pk": "PR#2#7", "sk": "STATE"},
    {"pk": "OWNER#100", "sk": "REPO#2", "repository": "acme/gadgets", "seen": 1_000},
    {"pk": "PROPOSAL#P-4", "sk": "META", "repository_id": 2, "number": 7},
]
STRANGER: list[dict[str, Any]] = [
    {"pk": "PR#4#7", "sk": "STATE"},
    {"pk": "REPO#3", "sk": "REMEMBERED#00000007#F-1", "key": "3/7/F-1"},
    {"pk": "OWNER#200", "sk": "REPO#4", "repository": "acme2/widgets", "seen": 1_000},
    {"pk": "OWNER#100", "sk": "SPENT#2026-11", "spent": 1},
    {"pk": "PR#acme/old#7", "sk": "STATE"},
    {"pk": "PROPOSAL#P-5", "sk": "META", "repository_id": 4, "number": 7},
]
_COUNT = itertools.count(1)


@pytest.fixture
def data(table: Any) -> DynamoRepositoryData:
    """The table, with items of three owners."""
    put(table, *OWN, *SISTER, *STRANGER)
    return DynamoRepositoryData(table)


def put(table: Any, *items: dict[str, Any]) -> None:
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


def stored(item: dict[str, Any], repository: int, **more: Any) -> StoredItem:
    return StoredItem(ItemKey(pk=item["pk"], sk=item["sk"]), repository, **more)


def keys(items: Sequence[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(item["pk"], item["sk"]) for item in items}


def test_every_item_is_found_with_its_repository(data: DynamoRepositoryData) -> None:
    """By the id, with the vector as far as it names one; not what is counted for an owner or has no id."""
    found = data.look(None)

    pull, finding, other, month, rule, remembered, uncertain, shares, entry, *proposals = OWN
    assert found.after is None
    assert {item for item in found.items if item.repository_id == 1} == {
        *(stored(item, 1) for item in (pull, finding, other, month, rule, shares, *proposals)),
        stored(remembered, 1, vector="1/7/F-1"),
        stored(uncertain, 1, vector="1/12/F-2"),
        stored(entry, 1, is_entry=True),
    }
    assert {item.repository_id for item in found.items} == {1, 2, 3, 4}
    assert len(found.items) == len([*OWN, *SISTER, *STRANGER]) - 2


def test_an_owners_repositories_are_found_by_the_owners_id(data: DynamoRepositoryData) -> None:
    """Whatever the owner's login is now."""
    assert (data.repositories_of(100), data.repositories_of(300)) == ({1, 2}, set())


def test_a_repository_is_found_by_its_name(data: DynamoRepositoryData, table: Any) -> None:
    """Several had a name that was given again; one that was transferred has the name that it had last."""
    put(
        table,
        {"pk": "OWNER#100", "sk": "REPO#5", "repository": "acme/Gadgets", "seen": 2_000},
        {"pk": "OWNER#300", "sk": "REPO#1", "repository": "eve/widgets", "seen": 3_000},
    )

    gadgets = [(each.ref.id, each.ref.owner_id, each.seen) for each in data.named("ACME/gadgets")]
    widgets = data.named("acme/widgets"), [each.ref.id for each in data.named("eve/widgets")]

    assert gadgets == [(5, 100, 2_000), (2, 100, 1_000)]
    assert widgets == ([], [1])


def test_a_large_table_is_read_in_parts_that_follow_each_other(table: Any) -> None:
    """DynamoDB looks at 1 MB at a time."""
    large = [{"pk": f"PR#{n % 2}#{n}", "sk": "STAGED#1#1", "data": b"x" * 300_000} for n in range(8)]
    put(table, *large)
    data = DynamoRepositoryData(table)

    parts = [data.look(None)]
    while parts[-1].after is not None:
        parts.append(data.look(parts[-1].after))

    assert len(parts) > 2
    found = [(item.key.pk, item.key.sk) for part in parts for item in part.items]
    assert sorted(found) == sorted(keys(large))


def test_everything_about_a_pull_request_is_found(data: DynamoRepositoryData) -> None:
    """Its items, what is remembered of its findings, and its proposals, their pointers last; not those of others."""
    found = data.of_pull_request(1, 7)

    assert found == (
        stored(OWN[1], 1),
        stored(OWN[0], 1),
        stored(OWN[5], 1, vector="1/7/F-1"),
        stored(OWN[11], 1),
        stored(OWN[10], 1),
        stored(OWN[9], 1),
    )


def test_a_pull_request_of_more_than_a_page_is_found(table: Any) -> None:
    """DynamoDB returns 1 MB at a time."""
    parts = [{"pk": "PR#1#7", "sk": f"STAGED#1#{n}", "data": b"x" * 300_000} for n in range(8)]
    put(table, *parts)

    found = DynamoRepositoryData(table).of_pull_request(1, 7)

    assert [item.key.sk for item in found] == [f"STAGED#1#{n}" for n in range(8)]


def test_a_deleted_item_is_gone_and_may_be_deleted_again(table: Any, data: DynamoRepositoryData) -> None:
    """More than the 25 of one request, and nothing of anybody else."""
    put(table, *({"pk": "PR#1#7", "sk": f"ANSWER#{n}"} for n in range(60)))
    items = data.look(None).items

    data.delete([item for item in items if item.repository_id == 1])
    data.delete([item for item in items if item.repository_id == 1][:3])

    left = keys(table.scan()["Items"])
    assert keys(OWN) & left == set()
    assert left <= keys(SISTER) | keys(STRANGER)
    assert keys(STRANGER) <= left


class Indexes:
    """A vector bucket with indexes, each with the vectors of two repositories."""

    def __init__(self, aws: LocalAws, *names: str) -> None:
        self._aws, self.client = aws, aws.client("s3vectors")
        self.bucket = f"repository-data-{next(_COUNT)}"
        self.names = names
        create_indexes(aws, self.bucket, *names)
        for name in names:
            for start in range(0, 600, 300):
                vectors = [
                    {"key": f"{n % 2}/{n}/F", "data": {"float32": [1.0, 0.0]}} for n in range(start, start + 300)
                ]
                self.client.put_vectors(vectorBucketName=self.bucket, indexName=name, vectors=vectors)

    def keys(self) -> dict[str, set[str]]:
        return {name: vector_keys(self._aws, self.bucket, name) for name in self.names}


def test_vectors_are_deleted_from_every_index(aws: LocalAws) -> None:
    """Also from one of an earlier model, more than the 500 of one request, and again without harm."""
    indexes = Indexes(aws, "titan-embed-text-v2-1024", "voyage-code-3-1024")
    vectors = S3StoredVectors(indexes.client, indexes.bucket)
    wanted = [f"0/{n}/F" for n in range(0, 1_200, 2)]

    vectors.delete(wanted)
    vectors.delete(wanted)
    vectors.delete([])

    left = {f"1/{n}/F" for n in range(1, 600, 2)}
    assert indexes.keys() == dict.fromkeys(indexes.names, left)


def test_the_rest_of_repositories_is_deleted_from_every_index(aws: LocalAws) -> None:
    """By what the vectors say of themselves, whatever their length: more than a query finds, and nothing else."""
    client, bucket = aws.client("s3vectors"), f"repository-data-{next(_COUNT)}"
    client.create_vector_bucket(vectorBucketName=bucket)
    for name, dimension in (("titan-3", 3), ("voyage-2", 2)):
        add_index(aws, bucket, name, dimension=dimension)
        for repository in (1, 2, 3):
            data = {"float32": [-1.0] * dimension}
            some = [
                {"key": f"{repository}/{n}/F", "data": data, "metadata": {"repository": repository}} for n in range(150)
            ]
            client.put_vectors(vectorBucketName=bucket, indexName=name, vectors=some)
    vectors = S3StoredVectors(client, bucket)

    there = [vectors.repositories_left([1, 9]), vectors.repositories_left([9]), vectors.repositories_left([])]
    deleted = [vectors.delete_rest([1, 2]), vectors.delete_rest([1, 2]), vectors.delete_rest([])]

    assert (there, deleted) == ([{1}, set(), set()], [600, 0, 0])
    left = {f"3/{n}/F" for n in range(150)}
    assert [vector_keys(aws, bucket, name) for name in ("titan-3", "voyage-2")] == [left, left]


def test_more_than_one_attempt_deletes_is_left_to_the_next(aws: LocalAws) -> None:
    """An index that goes on finding some must not hold a function until its time is up, nor count as empty."""
    client, bucket = aws.client("s3vectors"), f"repository-data-{next(_COUNT)}"
    create_indexes(aws, bucket, "titan-2")
    data = {"float32": [1.0, 0.0]}
    some = [{"key": f"1/{n}/F", "data": data, "metadata": {"repository": 1}} for n in range(150)]
    client.put_vectors(vectorBucketName=bucket, indexName="titan-2", vectors=some)
    vectors = S3StoredVectors(client, bucket, most_queries=2)

    with pytest.raises(Retry, match="More vectors are left"):
        vectors.delete_rest([1])

    assert vectors.delete_rest([1]) == 0


def test_an_index_that_no_longer_exists_holds_no_vectors(aws: LocalAws) -> None:
    """A deployment whose bucket or index was deleted must not keep its items for ever."""
    empty = Indexes(aws)

    S3StoredVectors(empty.client, empty.bucket).delete(["1/7/F-1"])
    S3StoredVectors(empty.client, "no-such-bucket").delete(["1/7/F-1"])
    found = [S3StoredVectors(empty.client, name).delete_rest([1]) for name in (empty.bucket, "no-such-bucket", None)]
    assert found == [0, 0, 0]

    assert empty.client.list_indexes(vectorBucketName=empty.bucket)["indexes"] == []
    with pytest.raises(empty.client.exceptions.NotFoundException):
        empty.client.get_vector_bucket(vectorBucketName="no-such-bucket")
