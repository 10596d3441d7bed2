"""S3 Vectors: buckets, indexes, and vectors that are put, read, listed, deleted and searched.

What the memory asks for comes back in tests/edges/test_vectors.py: the nearest first, no more than asked for, written
again, in batches.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws
from tests.tables import each_row

NORTH = [1.0, 0.0]


@dataclass
class Index:
    s3v: Any
    bucket: str
    name: str = "findings"

    @property
    def where(self) -> dict[str, str]:
        return {"vectorBucketName": self.bucket, "indexName": self.name}

    def put(self, vectors: dict[str, list[float]], **metadata: Any) -> None:
        entries = [{"key": key, "data": {"float32": data}, "metadata": metadata} for key, data in vectors.items()]
        self.s3v.put_vectors(**self.where, vectors=entries)

    def query(self, vector: list[float], top: int = 100, **more: Any) -> list[dict[str, Any]]:
        asked = {"queryVector": {"float32": vector}, "topK": top, "returnDistance": True, **more}
        return list(self.s3v.query_vectors(**self.where, **asked)["vectors"])

    def keys(self, vector: list[float] = NORTH, **more: Any) -> list[str]:
        return [one["key"] for one in self.query(vector, **more)]


@pytest.fixture(scope="session")
def s3v(aws: LocalAws) -> Any:
    return aws.client("s3vectors")


@pytest.fixture
def index(s3v: Any, fresh_name: Callable[[], str]) -> Index:
    """An index of vectors of two numbers, in which "text" is a non-filterable key."""
    made = Index(s3v, fresh_name())
    s3v.create_vector_bucket(vectorBucketName=made.bucket)
    create_index(made)
    return made


def create_index(index: Index, **changes: Any) -> None:
    hidden = {"nonFilterableMetadataKeys": ["text"]}
    settings = {"dataType": "float32", "dimension": 2, "distanceMetric": "cosine", "metadataConfiguration": hidden}
    index.s3v.create_index(**index.where, **settings | changes)


def test_the_distance_is_that_of_directions(index: Index) -> None:
    """Same direction 0, right angle 1, opposite 2, whatever the lengths."""
    index.put({"same": [2.0, 0.0], "across": [0.0, 5.0], "opposite": [-1.0, 0.0]})

    found = [(one["key"], round(one["distance"], 6)) for one in index.query(NORTH)]

    assert found == [("same", 0.0), ("across", 1.0), ("opposite", 2.0)]


@each_row(
    ("condition", "expected"),
    [
        ({"severity": {"$eq": "MAJOR"}}, {"a"}),
        ({"severity": {"$in": ["MAJOR", "MINOR"]}}, {"a", "b"}),
        ({"labels": {"$eq": "x"}}, {"c"}),
        ({"labels": {"$in": ["y", "z"]}}, {"c"}),
        ({"open": {"$eq": True}}, {"a"}),
        ({"open": {"$eq": 1}}, set()),
        ({"$and": [{"severity": {"$eq": "MAJOR"}}, {"line": {"$eq": 10}}]}, {"a"}),
        ({"severity": {"$eq": "MAJOR"}, "line": {"$eq": 11}}, set()),
    ],
)
def test_a_filter_compares_metadata(index: Index, condition: dict[str, Any], expected: set[str]) -> None:
    """The filter comes before the count of the nearest; a list matches by any of its elements."""
    index.put({"a": [0.0, 1.0]}, severity="MAJOR", line=10, open=True)
    index.put({"b": [0.0, 1.0]}, severity="MINOR", line=20)
    index.put({"c": [0.0, 1.0]}, labels=["x", "y"])
    index.put({"nearer": NORTH})

    assert set(index.keys(filter=condition, top=3)) == expected


@pytest.mark.parametrize(
    "condition",
    [
        {},
        {"a": {}},
        {"a": 1},
        {"a": {"$regex": "x"}},
        {"a": {"$gt": 1}},
        {"a": {"$eq": [1]}},
        {"a": {"$in": []}},
        {"$and": []},
        {"$or": [{"a": {"$eq": 1}}]},
        {"text": {"$eq": "x"}},
    ],
    ids=str,
)
def test_a_filter_that_is_malformed_or_not_known_is_refused(index: Index, s3v: Any, condition: dict[str, Any]) -> None:
    """boto3 raises ValidationException, also on an empty index."""
    with pytest.raises(s3v.exceptions.ValidationException, match="Invalid query filter"):
        index.query(NORTH, filter=condition)


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"seen": "x" * 2048}, "Filterable metadata must have at most 2048 bytes"),
        ({"text": "x" * 41_000}, "Metadata must have at most 40960 bytes"),
        ({"nested": {"a": 1}}, "Invalid metadata value for nested"),
        ({f"key{n}": 1 for n in range(51)}, "at most 50 keys"),
    ],
)
def test_metadata_over_the_limits_is_refused(index: Index, metadata: dict[str, Any], message: str) -> None:
    """2 KiB filterable, 40 KiB in all, 50 keys, no nesting."""
    with pytest.raises(ClientError, match=message):
        index.put({"a": NORTH}, **metadata)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1.0], "has length 1, but must have length 2"),
        ([0.0, 0.0], "must not be all zeros"),
        ([1e39, 0.0], "finite float32"),
    ],
)
def test_a_vector_that_does_not_fit_the_index_is_refused(index: Index, data: list[float], message: str) -> None:
    """It is not searched for, and nothing of a put with it is stored."""
    for refused in (lambda: index.put({"good": NORTH, "bad": data}), lambda: index.query(data)):
        with pytest.raises(ClientError, match=message):
            refused()

    assert index.keys() == []


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"top": 101}, "Invalid topK: must be between 1 and 100"),
        ({"filter": {"a": {"$eq": "x" * 20 * 2**20}}}, "The request is larger than 20 MiB"),
    ],
    ids=["too many", "too large"],
)
def test_a_query_that_asks_for_too_much_is_refused(index: Index, asked: dict[str, Any], message: str) -> None:
    """AWS refuses it."""
    with pytest.raises(ClientError, match=message):
        index.query(NORTH, **asked)


def test_a_vector_is_shown_as_far_as_is_asked_for(index: Index, s3v: Any) -> None:
    """Keys that do not exist are left out, and are no error where they are deleted."""
    index.put({"a": [0.0, 1.0]}, text="x" * 30_000)

    def get(**asked: bool) -> Any:
        return s3v.get_vectors(**index.where, keys=["a", "b"], **asked)["vectors"]

    assert get() == [{"key": "a"}]
    whole = {"key": "a", "data": {"float32": [0.0, 1.0]}, "metadata": {"text": "x" * 30_000}}
    assert get(returnData=True, returnMetadata=True) == [whole]
    s3v.delete_vectors(**index.where, keys=["a", "never there"])
    assert get() == []


def test_a_query_sees_what_was_written_and_deleted_since_the_one_before(index: Index, s3v: Any) -> None:
    """An index that is in memory is kept up to date."""
    index.put({"a": NORTH, "b": [1.0, 0.1]})
    before = index.keys()

    index.put({"a": [0.0, 1.0], "c": [1.0, 0.05]})
    s3v.delete_vectors(**index.where, keys=["b"])

    assert before == ["a", "b"]
    assert index.keys() == ["c", "a"]
    assert index.keys([0.0, 1.0]) == ["a", "c"]


def test_vectors_are_listed_page_by_page(index: Index, s3v: Any) -> None:
    """Boto3's own paginator lists each once."""
    index.put({f"key{n}": NORTH for n in range(5)})

    pages = s3v.get_paginator("list_vectors").paginate(**index.where, PaginationConfig={"PageSize": 2})

    assert [[vector["key"] for vector in page["vectors"]] for page in pages] == [
        ["key0", "key1"],
        ["key2", "key3"],
        ["key4"],
    ]


def test_an_index_has_what_it_was_created_with(index: Index, s3v: Any) -> None:
    """Names and resource names both find it."""
    shown = s3v.get_index(**index.where)["index"]

    assert (shown["dimension"], shown["distanceMetric"], shown["dataType"]) == (2, "cosine", "float32")
    assert shown["metadataConfiguration"] == {"nonFilterableMetadataKeys": ["text"]}
    assert s3v.get_index(indexArn=shown["indexArn"])["index"] == shown
    assert shown["indexArn"] == f"arn:aws:s3vectors:us-east-1:123456789012:bucket/{index.bucket}/index/findings"


def test_a_missing_duplicate_or_unknown_thing_is_refused(index: Index, s3v: Any) -> None:
    """boto3 raises its own exceptions; only an empty bucket can be deleted."""
    errors = s3v.exceptions
    with pytest.raises(errors.NotFoundException, match="index could not be found"):
        s3v.get_index(vectorBucketName=index.bucket, indexName="nowhere")
    with pytest.raises(errors.NotFoundException, match="vector bucket could not be found"):
        s3v.get_vector_bucket(vectorBucketName="nowhere")
    with pytest.raises(errors.ConflictException):
        s3v.create_vector_bucket(vectorBucketName=index.bucket)
    with pytest.raises(errors.ConflictException):
        create_index(index)
    with pytest.raises(errors.ConflictException):
        s3v.delete_vector_bucket(vectorBucketName=index.bucket)
    with pytest.raises(errors.ValidationException, match="Only indexes with the distance metric cosine are here"):
        create_index(Index(s3v, index.bucket, "straight"), distanceMetric="euclidean")
