"""A table and vector indexes as the template makes them, in a local AWS that has no template."""

from typing import Any

from local.aws import LocalAws


def create_table(aws: LocalAws, name: str) -> Any:
    """Create a table for the ledger."""
    keys = (("pk", "HASH"), ("sk", "RANGE"))
    aws.client("dynamodb").create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": key, "KeyType": kind} for key, kind in keys],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key, _ in keys],
    )
    return aws.table(name)


def create_indexes(aws: LocalAws, bucket: str, *names: str, dimension: int = 2) -> None:
    """Create a vector bucket with these indexes."""
    aws.client("s3vectors").create_vector_bucket(vectorBucketName=bucket)
    for name in names:
        add_index(aws, bucket, name, dimension=dimension)


def add_index(aws: LocalAws, bucket: str, name: str, *, dimension: int) -> None:
    """Create one more index in a vector bucket."""
    aws.client("s3vectors").create_index(
        vectorBucketName=bucket,
        indexName=name,
        dataType="float32",
        dimension=dimension,
        distanceMetric="cosine",
        metadataConfiguration={"nonFilterableMetadataKeys": ["text"]},
    )


def vector_keys(aws: LocalAws, bucket: str, index: str) -> set[str]:
    """The keys of the first 1,000 vectors of an index."""
    found = aws.client("s3vectors").list_vectors(vectorBucketName=bucket, indexName=index, maxResults=1_000)
    return {vector["key"] for vector in found["vectors"]}
