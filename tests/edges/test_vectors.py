"""The index of remembered findings, over real HTTP to the local S3 Vectors, which refuses what AWS refuses."""

import itertools
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from kodiai.core.memory.remembered import Vector
from kodiai.edges.vectors import S3VectorIndex
from local.aws import LocalAws
from tests.aws_resources import create_indexes
from tests.builders import a_remembered
from tests.edges.deployed_aws import client_at, nobody_there

FINDING = a_remembered(
    finding="F-3fa1c2",
    repository="Acme/widgets",
    problem="`n` is never changed. “Ünïcode” too.",
    outcome="wont_fix",
    is_merged=True,
    accepted_by=("ann",),
    dismissed_by=("bob", "cid"),
    at=1_700_000_000,
)


def towards(*numbers: float) -> Vector:
    return [*numbers, *[0.0] * (4 - len(numbers))]


EAST, NORTH_EAST, NORTH = towards(1), towards(1, 1), towards(0, 1)


@pytest.fixture(scope="session")
def new_bucket(aws: LocalAws) -> Callable[[], str]:
    """Make a bucket with an index as the template makes it, but for its dimension."""
    count = itertools.count(1)

    def create() -> str:
        name = f"vectors-{next(count)}"
        create_indexes(aws, name, "model-4", dimension=4)
        return name

    return create


@pytest.fixture
def bucket(new_bucket: Callable[[], str]) -> str:
    return new_bucket()


@pytest.fixture
def index(aws: LocalAws, bucket: str) -> S3VectorIndex:
    return S3VectorIndex(aws.client("s3vectors"), bucket, "model-4")


def read(aws: LocalAws, bucket: str, key: str) -> dict[str, Any]:
    """The metadata of a vector."""
    answer = aws.client("s3vectors").get_vectors(
        vectorBucketName=bucket, indexName="model-4", keys=[key], returnMetadata=True
    )
    metadata: dict[str, Any] = answer["vectors"][0]["metadata"]
    return metadata


def write(aws: LocalAws, bucket: str, key: str, metadata: Mapping[str, Any]) -> None:
    entry = {"key": key, "data": {"float32": list(EAST)}, "metadata": dict(metadata)}
    aws.client("s3vectors").put_vectors(vectorBucketName=bucket, indexName="model-4", vectors=[entry])


def test_a_finding_comes_back_as_it_was_put_with_its_distance(index: S3VectorIndex) -> None:
    """Everything of it, people and all; the distance is the cosine distance."""
    index.put([(FINDING, EAST)])

    [found] = index.nearest(NORTH_EAST, [1], 5)

    assert found.remembered == FINDING
    assert found.distance == pytest.approx(1 - 0.5**0.5)


def test_the_nearest_come_first_and_no_more_than_asked_for(index: S3VectorIndex) -> None:
    """Nothing is asked for none of them, and AWS gives no more than 100."""
    index.put([(replace(FINDING, number=n), towards(1, n / 100)) for n in range(120)])

    nearest = index.nearest(EAST, [1], 3)

    assert [each.remembered.number for each in nearest] == [0, 1, 2]
    assert index.nearest(EAST, [1], 0) == ()
    assert len(index.nearest(EAST, [1], 200)) == 100


def test_only_the_repositories_that_are_asked_for_are_searched(index: S3VectorIndex) -> None:
    """The query itself leaves out the others: a nearer one takes no place. No repository is none."""
    here, there, elsewhere = (replace(FINDING, repository_id=each) for each in (1, 2, 3))
    index.put([(here, NORTH), (there, NORTH_EAST), (elsewhere, EAST)])

    def found(*ids: int) -> list[int]:
        return [each.remembered.repository_id for each in index.nearest(EAST, ids, 2)]

    assert found(1) == [1]
    assert found(1, 2) == [2, 1]
    assert found(9) == []
    assert found() == []


def test_only_what_was_fixed_or_what_people_accepted_or_dismissed_counts_as_judged(index: S3VectorIndex) -> None:
    """The query itself leaves out the others: a hundred nearer open findings hide no dismissed one."""
    untouched = replace(FINDING, outcome="open", accepted_by=(), dismissed_by=())
    open_ones = [(replace(untouched, number=n), EAST) for n in range(100, 200)]
    judged = [
        replace(untouched, number=1, dismissed_by=("bob",)),
        replace(untouched, number=2, accepted_by=("ann",)),
        replace(untouched, number=3, outcome="fixed"),
    ]
    index.put([*open_ones, *((each, towards(1, each.number)) for each in judged)])

    assert [each.remembered for each in index.nearest(EAST, [1], 100, only_judged=True)] == judged
    assert [each.remembered.outcome for each in index.nearest(EAST, [1], 100)] == ["open"] * 100
    assert index.nearest(EAST, [2], 100, only_judged=True) == ()


def test_writing_again_overwrites(index: S3VectorIndex) -> None:
    """A finding has one place, also where it is there twice in one write; the last one counts."""
    fixed, reopened = replace(FINDING, outcome="fixed"), replace(FINDING, outcome="open")

    index.put([(FINDING, EAST)])
    index.put([(fixed, NORTH), (reopened, NORTH_EAST)])

    assert [each.remembered for each in index.nearest(EAST, [1], 5)] == [reopened]
    assert index.vectors([FINDING.key])[FINDING.key] == pytest.approx(NORTH_EAST)


def test_metadata_to_filter_by_stands_alone_and_the_rest_is_one_text(
    aws: LocalAws, bucket: str, index: S3VectorIndex
) -> None:
    """The names are a format: what was written once is read by every later version."""
    index.put([(FINDING, EAST)])

    metadata = read(aws, bucket, "1/7/F-3fa1c2")

    assert json.loads(metadata.pop("text")) == {
        "repository": "Acme/widgets",
        "finding": "F-3fa1c2",
        "path": "src/app.py",
        "title": "The last page is never fetched",
        "problem": "`n` is never changed. “Ünïcode” too.",
        "reason": "",
        "rule": None,
        "is_merged": True,
        "accepted_by": ["ann"],
        "dismissed_by": ["bob", "cid"],
        "at": 1_700_000_000,
    }
    assert metadata == {
        "repository": 1,
        "owner": "acme",
        "outcome": "wont_fix",
        "category": "correctness",
        "severity": "MEDIUM",
        "number": 7,
        "judged": True,
    }


@pytest.mark.parametrize("character", ["x", "数", '"', "\x00", "🙂", "\ud800"])
def test_no_finding_is_too_long_to_be_put(index: S3VectorIndex, character: str) -> None:
    """Texts and lists are cut so that the metadata fits in any script, and however JSON writes it."""
    many = tuple(f"{'a' * 35}{n:04}" for n in range(2_000))
    long = replace(
        FINDING,
        path=character * 10_000,
        title=character * 10_000,
        problem=character * 50_000,
        accepted_by=many,
        dismissed_by=many,
    )

    index.put([(long, EAST)])

    [found] = index.nearest(EAST, [1], 1)
    shown = character.replace("\ud800", "?")
    assert found.remembered == replace(
        long,
        path=shown * 500,
        title=shown * 300,
        problem=shown * 2_000,
        accepted_by=many[:50],
        dismissed_by=many[:50],
    )


def test_many_long_findings_fit_into_their_requests(aws: LocalAws) -> None:
    """AWS takes 20 MiB at once, and JSON writes some characters with twelve bytes."""
    create_indexes(aws, "vectors-long", "model-1024", dimension=1_024)
    long = replace(FINDING, path="🙂" * 500, title="🙂" * 300, problem="🙂" * 2_000)

    vectors = aws.client("s3vectors")
    index = S3VectorIndex(vectors, "vectors-long", "model-1024")
    index.put([(replace(long, number=n), [-0.012345678901234567] * 1_024) for n in range(500)])

    pages = vectors.get_paginator("list_vectors").paginate(vectorBucketName="vectors-long", indexName="model-1024")
    assert len({each["key"] for page in pages for each in page["vectors"]}) == 500


@pytest.mark.parametrize(
    "change",
    [
        {"text": "not JSON"},
        {"text": "[]"},
        {"text": "{}"},
        {"text": None},
        {"outcome": "praised"},
        {"severity": None},
        {"number": "seven"},
    ],
)
def test_an_unreadable_vector_is_left_out(
    aws: LocalAws, bucket: str, index: S3VectorIndex, change: Mapping[str, Any]
) -> None:
    """A later version wrote it, or nobody knows who; the others are found all the same."""
    index.put([(FINDING, EAST)])
    metadata = {**read(aws, bucket, FINDING.key), **change}
    write(aws, bucket, "1/8/F-1", {name: value for name, value in metadata.items() if value is not None})

    found = index.nearest(EAST, [1], 5)

    assert [each.remembered for each in found] == [FINDING]


def test_an_addition_of_a_later_version_does_not_matter(aws: LocalAws, bucket: str, index: S3VectorIndex) -> None:
    """It is not read."""
    index.put([(FINDING, EAST)])
    metadata = read(aws, bucket, FINDING.key)
    text = json.dumps({**json.loads(metadata["text"]), "mood": "good"})

    write(aws, bucket, FINDING.key, {**metadata, "text": text, "language": "Python"})

    assert [each.remembered for each in index.nearest(EAST, [1], 5)] == [FINDING]


def test_many_are_written_read_and_deleted_in_batches(index: S3VectorIndex) -> None:
    """AWS takes no more than some hundreds at once; keys that are not there, or there twice, do not matter."""
    findings = [replace(FINDING, number=n) for n in range(1_001)]
    keys = [each.key for each in findings]

    index.put([(each, towards(1, each.number)) for each in findings])
    vectors = index.vectors([*keys, "1/9999/F-1", keys[0]])
    index.delete([*keys[:-1], "1/9999/F-1", keys[0]])

    assert vectors == {each.key: towards(1, each.number) for each in findings}
    assert [each.remembered for each in index.nearest(EAST, [1], 100)] == findings[-1:]


def test_nothing_is_asked_about_nothing() -> None:
    """No request, which would fail here."""
    index = S3VectorIndex(client_at("s3vectors", nobody_there()), "bucket", "model-4")

    index.put([])
    index.delete([])

    assert index.vectors([]) == {}
    assert index.nearest(EAST, [], 5) == ()
