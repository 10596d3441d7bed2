"""Everything that is stored about a repository is found by its keys, and deleted; nothing else is."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import boto3
import pytest

from kodiai.core.errors import Broken, Retry
from kodiai.core.events.job import ItemKey
from kodiai.core.memory.forgetting import StoredItem
from kodiai.edges.repository_data import DynamoRepositoryData, S3StoredVectors
from local.aws import LocalAws
from tests.aws_resources import create_indexes, vector_keys
from tests.edges.moto_aws import aws_that_says

OWN: list[dict[str, Any]] = [
    {"pk": "PR#acme/widgets#7", "sk": "STATE"},
    {"pk": "PR#acme/widgets#7", "sk": "FINDING#F-1"},
    {"pk": "PR#acme/widgets#12", "sk": "STATE"},
    {"pk": "REPO#acme/widgets", "sk": "MONTH#2026-11"},
    {"pk": "REPO#acme/widgets", "sk": "RULE#R-1"},
    {"pk": "REPO#acme/widgets", "sk": "REMEMBERED#00000007#F-1", "key": "R_1/7/F-1", "index": "titan"},
    {"pk": "REPO#acme/widgets", "sk": "REMEMBERED#00000012#F-2", "key": "R_1/12/F-2"},
    {"pk": "OWNER#acme", "sk": "SHARES#R_1", "repository": "acme/widgets", "private": True},
    {"pk": "REPO#acme/widgets", "sk": "PROPOSAL#0000001000.000000#P-1", "repository": "acme/widgets", "number": 7},
    {"pk": "PROPOSAL#P-1", "sk": "META", "repository": "acme/widgets", "number": 7},
    {"pk": "PROPOSAL#P-1", "sk": "CONTENT#00000001#c1#000", "repository": "acme/widgets", "number": 7},
    {"pk": "REPO#acme/widgets", "sk": "PROPOSAL#0000001001.000000#P-2", "repository": "acme/widgets"},
    {"pk": "PROPOSAL#P-2", "sk": "META", "repository": "acme/widgets"},
    {"pk": "REPO#acme/widgets", "sk": "PROPOSAL#0000001002.000000#P-3", "repository": "acme/widgets", "number": 12},
    {"pk": "PROPOSAL#P-3", "sk": "META", "repository": "acme/widgets", "number": 12},
]
SISTER: list[dict[str, Any]] = [
    {"pk": "PR#acme/gadgets#7", "sk": "STATE"},
    {"pk": "OWNER#acme", "sk": "SHARES#R_2", "repository": "acme/gadgets"},
    {"pk": "PROPOSAL#P-4", "sk": "META", "repository": "acme/gadgets", "number": 7},
]
STRANGER: list[dict[str, Any]] = [
    {"pk": "PR#acme2/widgets#7", "sk": "STATE"},
    {"pk": "REPO#acm/widgets", "sk": "REMEMBERED#00000007#F-1", "key": "R_3/7/F-1"},
    {"pk": "OWNER#acme2", "sk": "SHARES#R_4", "repository": "acme2/widgets"},
    {"pk": "PROPOSAL#P-5", "sk": "META", "repository": "acme2/widgets", "number": 7},
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


def stored(item: dict[str, Any], repository: str, **more: str) -> StoredItem:
    return StoredItem(ItemKey(pk=item["pk"], sk=item["sk"]), repository, **more)


def keys(items: Sequence[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(item["pk"], item["sk"]) for item in items}


def test_everything_about_an_owners_repositories_is_found(data: DynamoRepositoryData) -> None:
    """Each item with its repository, its id and its vector as far as it names them; nobody else's."""
    found = data.of_owner("acme", None)

    pull, finding, other, month, rule, remembered, uncertain, shares, *proposals = OWN
    assert found.after is None
    assert set(found.items) == {
        *(stored(item, "acme/widgets") for item in (pull, finding, other, month, rule, *proposals)),
        stored(remembered, "acme/widgets", repository_id="R_1", vector="R_1/7/F-1"),
        stored(uncertain, "acme/widgets", repository_id="R_1", vector="R_1/12/F-2"),
        stored(shares, "acme/widgets", repository_id="R_1"),
        stored(SISTER[0], "acme/gadgets"),
        stored(SISTER[1], "acme/gadgets", repository_id="R_2"),
        stored(SISTER[2], "acme/gadgets"),
    }


def test_the_pool_of_an_owner_is_found_whatever_the_capitals_of_the_login(table: Any) -> None:
    """It is kept in lower case."""
    share = {"pk": "OWNER#acme", "sk": "SHARES#R_1", "repository": "Acme/Widgets"}
    put(table, share, {"pk": "OWNER#acme", "sk": "SHARES#R_2"})

    found = DynamoRepositoryData(table).of_owner("Acme", None)

    assert list(found.items) == [stored(share, "Acme/Widgets", repository_id="R_1")]


def test_a_large_table_is_read_in_parts_that_follow_each_other(table: Any) -> None:
    """DynamoDB looks at 1 MB at a time; a part may have nothing of the owner."""
    large = [{"pk": f"PR#acme{n % 2}/widgets#{n}", "sk": "STAGED#1#1", "data": b"x" * 300_000} for n in range(8)]
    put(table, *large)
    data = DynamoRepositoryData(table)

    parts = [data.of_owner("acme0", None)]
    while parts[-1].after is not None:
        parts.append(data.of_owner("acme0", parts[-1].after))

    assert len(parts) > 2
    found = [(item.key.pk, item.key.sk) for part in parts for item in part.items]
    assert sorted(found) == sorted(keys(large[::2]))


def test_everything_about_a_pull_request_is_found(data: DynamoRepositoryData) -> None:
    """Its items, what is remembered of its findings, and its proposals, their pointers last; not those of others."""
    found = data.of_pull_request("acme/widgets", 7)

    assert found == (
        stored(OWN[1], "acme/widgets"),
        stored(OWN[0], "acme/widgets"),
        stored(OWN[5], "acme/widgets", repository_id="R_1", vector="R_1/7/F-1"),
        stored(OWN[10], "acme/widgets"),
        stored(OWN[9], "acme/widgets"),
        stored(OWN[8], "acme/widgets"),
    )


def test_a_pull_request_of_more_than_a_page_is_found(table: Any) -> None:
    """DynamoDB returns 1 MB at a time."""
    parts = [{"pk": "PR#acme/widgets#7", "sk": f"STAGED#1#{n}", "data": b"x" * 300_000} for n in range(8)]
    put(table, *parts)

    found = DynamoRepositoryData(table).of_pull_request("acme/widgets", 7)

    assert [item.key.sk for item in found] == [f"STAGED#1#{n}" for n in range(8)]


def test_what_is_deleted_is_gone_and_may_be_deleted_again(table: Any, data: DynamoRepositoryData) -> None:
    """More than the 25 of one request, and nothing of anybody else."""
    put(table, *({"pk": "PR#acme/widgets#7", "sk": f"ANSWER#{n}"} for n in range(60)))
    items = data.of_owner("acme", None).items

    data.delete([item for item in items if item.repository == "acme/widgets"])
    data.delete(items[:3])

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
                    {"key": f"R_{n % 2}/{n}/F", "data": {"float32": [1.0, 0.0]}} for n in range(start, start + 300)
                ]
                self.client.put_vectors(vectorBucketName=self.bucket, indexName=name, vectors=vectors)

    def keys(self) -> dict[str, set[str]]:
        return {name: vector_keys(self._aws, self.bucket, name) for name in self.names}


def test_vectors_are_deleted_from_every_index(aws: LocalAws) -> None:
    """Also from one of an earlier model, more than the 500 of one request, and again without harm."""
    indexes = Indexes(aws, "titan-embed-text-v2-1024", "voyage-code-3-1024")
    vectors = S3StoredVectors(indexes.client, indexes.bucket)
    wanted = [f"R_0/{n}/F" for n in range(0, 1_200, 2)]

    vectors.delete(wanted)
    vectors.delete(wanted)
    vectors.delete([])

    left = {f"R_1/{n}/F" for n in range(1, 600, 2)}
    assert indexes.keys() == dict.fromkeys(indexes.names, left)


def test_what_no_longer_exists_holds_no_vectors(aws: LocalAws) -> None:
    """A deployment whose bucket or index was deleted must not keep its items for ever."""
    empty = Indexes(aws)

    S3StoredVectors(empty.client, empty.bucket).delete(["R_1/7/F-1"])
    S3StoredVectors(empty.client, "no-such-bucket").delete(["R_1/7/F-1"])

    assert empty.client.list_indexes(vectorBucketName=empty.bucket)["indexes"] == []
    with pytest.raises(empty.client.exceptions.NotFoundException):
        empty.client.get_vector_bucket(vectorBucketName="no-such-bucket")


@contextmanager
def vectors_that_say(status: int, code: str) -> Iterator[S3StoredVectors]:
    with aws_that_says(status, code) as url:
        session = boto3.Session("local", "local", region_name="eu-west-1")
        yield S3StoredVectors(session.client("s3vectors", endpoint_url=url), "memory")


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [(503, "ServiceUnavailableException", Retry), (429, "TooManyRequestsException", Retry),
     (403, "AccessDeniedException", Broken)],
)  # fmt: skip
def test_an_index_that_cannot_be_reached_is_an_error(status: int, code: str, outcome: type[Exception]) -> None:
    """The items that name its vectors have to stay."""
    with vectors_that_say(status, code) as vectors, pytest.raises(outcome, match=code):
        vectors.delete(["R_1/7/F-1"])
