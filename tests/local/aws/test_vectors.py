"""S3 Vectors: buckets, indexes, and vectors that are put, read, listed, deleted and searched."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.aws import LocalAws
from tests.tables import each_row


@dataclass
class Index:
    s3v: Any
    bucket: str
    name: str

    def where(self) -> dict[str, str]:
        return {"vectorBucketName": self.bucket, "indexName": self.name}

    def put(self, **vectors: list[float]) -> None:
        self.put_with({key: (data, {}) for key, data in vectors.items()})

    def put_with(self, vectors: dict[str, tuple[list[float], dict[str, Any]]]) -> None:
        entries = [
            {"key": key, "data": {"float32": data}, "metadata": metadata} for key, (data, metadata) in vectors.items()
        ]
        self.s3v.put_vectors(**self.where(), vectors=entries)

    def query(self, vector: list[float], top: int = 10, **more: Any) -> list[dict[str, Any]]:
        answer = self.s3v.query_vectors(
            **self.where(), queryVector={"float32": vector}, topK=top, returnDistance=True, **more
        )
        found: list[dict[str, Any]] = answer["vectors"]
        return found

    def keys(self, vector: list[float], top: int = 10, **more: Any) -> list[str]:
        return [one["key"] for one in self.query(vector, top, **more)]


@pytest.fixture(scope="session")
def s3v(aws: LocalAws) -> Any:
    return aws.client("s3vectors")


@pytest.fixture
def new_index(s3v: Any, fresh_name: Callable[[], str]) -> Callable[..., Index]:
    def create(dimension: int = 2, metric: str = "cosine", hidden: tuple[str, ...] = ()) -> Index:
        name = fresh_name()
        s3v.create_vector_bucket(vectorBucketName=name)
        more = {"metadataConfiguration": {"nonFilterableMetadataKeys": list(hidden)}} if hidden else {}
        s3v.create_index(
            vectorBucketName=name,
            indexName="findings",
            dataType="float32",
            dimension=dimension,
            distanceMetric=metric,
            **more,
        )
        return Index(s3v, name, "findings")

    return create


@pytest.fixture
def index(new_index: Callable[..., Index]) -> Index:
    return new_index()


def test_the_nearest_vectors_come_first_with_their_cosine_distance(index: Index) -> None:
    """Same direction 0, right angle 1, opposite 2, whatever the lengths."""
    index.put(same=[2.0, 0.0], across=[0.0, 5.0], opposite=[-1.0, 0.0])

    found = index.query([1.0, 0.0])

    assert [(one["key"], round(one["distance"], 6)) for one in found] == [
        ("same", 0.0),
        ("across", 1.0),
        ("opposite", 2.0),
    ]


def test_euclidean_distance_is_the_straight_line(new_index: Callable[..., Index]) -> None:
    """Three and four make five."""
    index = new_index(metric="euclidean")
    index.put(far=[3.0, 4.0], here=[0.0, 0.0])

    assert [(one["key"], one["distance"]) for one in index.query([0.0, 0.0])] == [("here", 0.0), ("far", 5.0)]


def test_a_query_answers_no_more_than_top_k(index: Index) -> None:
    """The nearest ones are kept."""
    index.put(near=[1.0, 0.1], nearer=[1.0, 0.05], nearest=[1.0, 0.0])

    assert index.keys([1.0, 0.0], top=2) == ["nearest", "nearer"]


def test_the_filter_is_met_before_the_nearest_are_counted(index: Index) -> None:
    """A near vector of another repository does not take a place among the top K."""
    index.put_with(
        {
            "near": ([1.0, 0.0], {"repository": "other"}),
            "far": ([0.0, 1.0], {"repository": "mine"}),
        }
    )

    assert index.keys([1.0, 0.0], top=1, filter={"repository": "mine"}) == ["far"]


@each_row(
    ("condition", "expected"),
    [
        ({"severity": "MAJOR"}, {"a"}),
        ({"severity": {"$eq": "MAJOR"}}, {"a"}),
        ({"severity": {"$ne": "MAJOR"}}, {"b", "c"}),
        ({"line": {"$gt": 10}}, {"b"}),
        ({"line": {"$gte": 10, "$lt": 20}}, {"a"}),
        ({"line": {"$lte": 20}}, {"a", "b"}),
        ({"severity": {"$in": ["MAJOR", "MINOR"]}}, {"a", "b"}),
        ({"severity": {"$nin": ["MAJOR"]}}, {"b", "c"}),
        ({"line": {"$exists": False}}, {"c"}),
        ({"line": {"$exists": True}}, {"a", "b"}),
        ({"labels": "x"}, {"c"}),
        ({"labels": {"$in": ["y", "z"]}}, {"c"}),
        ({"open": True}, {"a"}),
        ({"open": 1}, set()),
        ({"$and": [{"severity": "MAJOR"}, {"line": 10}]}, {"a"}),
        ({"$or": [{"line": 10}, {"labels": "y"}]}, {"a", "c"}),
        ({"severity": "MAJOR", "line": 11}, set()),
    ],
)
def test_filters_compare_metadata(index: Index, condition: dict[str, Any], expected: set[str]) -> None:
    """Every operator; a list in the metadata matches by any of its elements."""
    index.put_with(
        {
            "a": ([1.0, 0.0], {"severity": "MAJOR", "line": 10, "open": True}),
            "b": ([1.0, 0.0], {"severity": "MINOR", "line": 20}),
            "c": ([1.0, 0.0], {"labels": ["x", "y"]}),
        }
    )

    assert set(index.keys([1.0, 0.0], filter=condition)) == expected


@pytest.mark.parametrize(
    "condition",
    [{}, {"line": {"$regex": "x"}}, {"$not": [{"a": 1}]}, {"line": {"$gt": "x"}}, {"a": {"$in": []}}, {"$or": []}],
)
def test_a_malformed_filter_is_refused(index: Index, s3v: Any, condition: dict[str, Any]) -> None:
    """boto3 raises ValidationException, also on an empty index."""
    with pytest.raises(s3v.exceptions.ValidationException, match="Invalid query filter"):
        index.query([1.0, 0.0], filter=condition)


def test_a_non_filterable_key_is_stored_and_cannot_be_filtered_by(new_index: Callable[..., Index], s3v: Any) -> None:
    """It may be long, and comes back whole."""
    index = new_index(hidden=("text",))
    index.put_with({"a": ([1.0, 0.0], {"text": "x" * 30_000})})

    (found,) = index.query([1.0, 0.0], returnMetadata=True)
    with pytest.raises(s3v.exceptions.ValidationException, match="text is a non-filterable"):
        index.query([1.0, 0.0], filter={"text": "x"})

    assert found["metadata"] == {"text": "x" * 30_000}


@pytest.mark.parametrize(
    ("metadata", "message"),
    [
        ({"text": "x" * 2048}, "Filterable metadata must have at most 2048 bytes"),
        ({"hidden": "x" * 41_000}, "Metadata must have at most 40960 bytes"),
        ({"nested": {"a": 1}}, "Invalid metadata value for nested"),
        ({f"key{n}": 1 for n in range(51)}, "at most 50 keys"),
    ],
)
def test_metadata_over_the_limits_is_refused(
    new_index: Callable[..., Index], metadata: dict[str, Any], message: str
) -> None:
    """2 KiB filterable, 40 KiB in all, 50 keys, no nesting."""
    index = new_index(hidden=("hidden",))

    with pytest.raises(ClientError, match=message):
        index.put_with({"a": ([1.0, 0.0], metadata)})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1.0], "has length 1, but must have length 2"),
        ([0.0, 0.0], "must not be all zeros"),
        ([1e39, 0.0], "finite float32"),
    ],
)
def test_a_vector_that_does_not_fit_the_index_is_refused(index: Index, data: list[float], message: str) -> None:
    """Neither stored nor searched for."""
    with pytest.raises(ClientError, match=message):
        index.put(a=data)
    with pytest.raises(ClientError, match=message):
        index.query(data)


def test_one_bad_vector_refuses_the_whole_put(index: Index, s3v: Any) -> None:
    """Nothing of it is stored."""
    with pytest.raises(s3v.exceptions.ValidationException):
        index.put(good=[1.0, 0.0], bad=[1.0])

    assert index.keys([1.0, 0.0]) == []


@pytest.mark.parametrize("top", [0, 101])
def test_top_k_is_between_1_and_100(index: Index, top: int) -> None:
    """Otherwise the query is refused; 0 is stopped by boto3 itself."""
    with pytest.raises(Exception, match="topK"):
        index.query([1.0, 0.0], top=top)


def test_more_than_500_vectors_in_one_put_are_refused(index: Index) -> None:
    """500 are fine."""
    many: dict[str, tuple[list[float], dict[str, Any]]] = {f"key{n}": ([1.0, float(n)], {}) for n in range(501)}

    with pytest.raises(ClientError, match="has to be from 1 to 500"):
        index.put_with(many)
    many.popitem()
    index.put_with(many)

    assert len(index.keys([1.0, 0.0], top=100)) == 100


def test_putting_a_key_again_replaces_its_vector(index: Index, s3v: Any) -> None:
    """Data and metadata are the new ones."""
    index.put_with({"a": ([1.0, 0.0], {"version": 1})})
    index.put_with({"a": ([0.0, 1.0], {"version": 2})})

    (found,) = s3v.get_vectors(**index.where(), keys=["a"], returnData=True, returnMetadata=True)["vectors"]

    assert found == {"key": "a", "data": {"float32": [0.0, 1.0]}, "metadata": {"version": 2}}


def test_getting_vectors_leaves_out_what_does_not_exist(index: Index, s3v: Any) -> None:
    """And what was not asked for."""
    index.put(a=[1.0, 0.0])

    assert s3v.get_vectors(**index.where(), keys=["a", "b"])["vectors"] == [{"key": "a"}]


def test_deleted_vectors_are_not_found_any_more(index: Index, s3v: Any) -> None:
    """Deleting what does not exist is no error."""
    index.put(a=[1.0, 0.0], b=[1.0, 0.0])

    s3v.delete_vectors(**index.where(), keys=["a", "never there"])

    assert index.keys([1.0, 0.0]) == ["b"]


def test_a_query_sees_what_was_written_and_deleted_since_the_one_before(index: Index, s3v: Any) -> None:
    """An index that is in memory is kept up to date; a put that was refused has changed nothing of it."""
    index.put(a=[1.0, 0.0], b=[1.0, 0.1])
    before = index.keys([1.0, 0.0])

    index.put(a=[0.0, 1.0], c=[1.0, 0.05])
    s3v.delete_vectors(**index.where(), keys=["b"])
    with pytest.raises(s3v.exceptions.ValidationException):
        index.put(d=[1.0, 0.0], e=[1.0])

    assert before == ["a", "b"]
    assert index.keys([1.0, 0.0]) == ["c", "a"]
    assert [one["key"] for one in index.query([0.0, 1.0], returnMetadata=True)] == ["a", "c"]


def test_vectors_are_listed_page_by_page(index: Index, s3v: Any) -> None:
    """With boto3's own paginator, each once."""
    index.put_with({f"key{n}": ([1.0, 0.0], {"n": n}) for n in range(5)})

    pages = s3v.get_paginator("list_vectors").paginate(
        **index.where(), returnMetadata=True, PaginationConfig={"PageSize": 2}
    )
    listed = [[vector["metadata"]["n"] for vector in page["vectors"]] for page in pages]

    assert listed == [[0, 1], [2, 3], [4]]


def test_an_index_tells_what_it_was_created_with(new_index: Callable[..., Index], s3v: Any) -> None:
    """By names or by resource name."""
    index = new_index(dimension=256, hidden=("text",))

    shown = s3v.get_index(**index.where())["index"]

    assert (shown["dimension"], shown["distanceMetric"], shown["dataType"]) == (256, "cosine", "float32")
    assert shown["metadataConfiguration"] == {"nonFilterableMetadataKeys": ["text"]}
    assert s3v.get_index(indexArn=shown["indexArn"])["index"] == shown
    assert shown["indexArn"] == f"arn:aws:s3vectors:us-east-1:123456789012:bucket/{index.bucket}/index/findings"


def test_what_does_not_exist_raises_not_found(index: Index, s3v: Any) -> None:
    """Bucket or index."""
    with pytest.raises(s3v.exceptions.NotFoundException, match="index could not be found"):
        s3v.get_index(vectorBucketName=index.bucket, indexName="nowhere")
    with pytest.raises(s3v.exceptions.NotFoundException, match="vector bucket could not be found"):
        s3v.get_vector_bucket(vectorBucketName="nowhere")


def test_what_exists_cannot_be_created_again(index: Index, s3v: Any) -> None:
    """boto3 raises ConflictException; deployments have to look first."""
    with pytest.raises(s3v.exceptions.ConflictException):
        s3v.create_vector_bucket(vectorBucketName=index.bucket)
    with pytest.raises(s3v.exceptions.ConflictException):
        s3v.create_index(**index.where(), dataType="float32", dimension=2, distanceMetric="cosine")
