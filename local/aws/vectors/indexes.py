"""Vector buckets and their indexes.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
"""

import json
import re
import time
from dataclasses import dataclass

from local.aws.protocol import ACCOUNT, REGION, AwsError, Json, invalid
from local.aws.store import Store

SCHEMA = """
CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY, created REAL NOT NULL);
CREATE TABLE IF NOT EXISTS indexes (
    number INTEGER PRIMARY KEY AUTOINCREMENT, bucket TEXT NOT NULL, name TEXT NOT NULL, dimension INTEGER NOT NULL,
    metric TEXT NOT NULL, hidden_keys TEXT NOT NULL, created REAL NOT NULL, UNIQUE (bucket, name)
);
CREATE TABLE IF NOT EXISTS vectors (
    index_number INTEGER NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL, length REAL NOT NULL,
    metadata TEXT NOT NULL, PRIMARY KEY (index_number, key)
);
"""
METRIC = "cosine"
_ARN = re.compile(r"arn:aws:s3vectors:[a-z0-9-]+:[0-9]{12}:bucket/([^/]+)(?:/index/([^/]+))?")


@dataclass(frozen=True)
class Index:
    """The settings of an index, fixed from its creation on. `hidden_keys` are the non-filterable metadata keys."""

    number: int
    bucket: str
    name: str
    dimension: int
    metric: str
    hidden_keys: frozenset[str]
    created: float


def create_vector_bucket(store: Store, body: Json) -> Json:
    """Create a vector bucket."""
    name = body["vectorBucketName"]
    if store.row("SELECT 1 FROM buckets WHERE name = ?", name):
        raise _conflict("A vector bucket with the specified name already exists")
    store.run("INSERT INTO buckets VALUES (?, ?)", name, time.time())
    return {"vectorBucketArn": _arn(name)}


def get_vector_bucket(store: Store, body: Json) -> Json:
    """Answer what is known of a vector bucket."""
    bucket = store.row("SELECT * FROM buckets WHERE name = ?", _names(body)[0])
    if bucket is None:
        raise _not_found("vector bucket")
    name, created = bucket
    return {"vectorBucket": {"vectorBucketName": name, "vectorBucketArn": _arn(name), "creationTime": created}}


def list_vector_buckets(store: Store, _: Json) -> Json:
    """List all vector buckets, on one page."""
    rows = store.rows("SELECT name FROM buckets ORDER BY name")
    return {
        "vectorBuckets": [get_vector_bucket(store, {"vectorBucketName": row["name"]})["vectorBucket"] for row in rows]
    }


def delete_vector_bucket(store: Store, body: Json) -> Json:
    """Delete a vector bucket that has no index left."""
    name = get_vector_bucket(store, body)["vectorBucket"]["vectorBucketName"]
    if store.row("SELECT 1 FROM indexes WHERE bucket = ?", name):
        raise _conflict("The specified vector bucket is not empty")
    store.run("DELETE FROM buckets WHERE name = ?", name)
    return {}


def delete_index(store: Store, body: Json) -> Json:
    """Delete an index with its vectors."""
    index = find_index(store, body)
    store.run("DELETE FROM vectors WHERE index_number = ?", index.number)
    store.run("DELETE FROM indexes WHERE number = ?", index.number)
    return {}


def create_index(store: Store, body: Json) -> Json:
    """Create an index for cosine distances; dimension and non-filterable keys cannot be changed later."""
    bucket = get_vector_bucket(store, body)["vectorBucket"]["vectorBucketName"]
    name, dimension, metric = body["indexName"], body["dimension"], body["distanceMetric"]
    hidden = body.get("metadataConfiguration", {}).get("nonFilterableMetadataKeys", [])
    if metric != METRIC:
        raise invalid(f"Only indexes with the distance metric {METRIC} are here.")
    if store.row("SELECT 1 FROM indexes WHERE bucket = ? AND name = ?", bucket, name):
        raise _conflict("An index with the specified name already exists")
    store.run(
        "INSERT INTO indexes (bucket, name, dimension, metric, hidden_keys, created) VALUES (?, ?, ?, ?, ?, ?)",
        *(bucket, name, dimension, metric, json.dumps(hidden), time.time()),
    )
    return {"indexArn": _arn(bucket, name)}


def get_index(store: Store, body: Json) -> Json:
    """Answer what an index was created with."""
    index = find_index(store, body)
    shown: Json = {
        **_brief(index.bucket, index.name, index.created),
        "dataType": "float32",
        "dimension": index.dimension,
        "distanceMetric": index.metric,
    }
    if index.hidden_keys:
        shown["metadataConfiguration"] = {"nonFilterableMetadataKeys": sorted(index.hidden_keys)}
    return {"index": shown}


def list_indexes(store: Store, body: Json) -> Json:
    """List the indexes of a vector bucket, all on one page."""
    bucket = get_vector_bucket(store, body)["vectorBucket"]["vectorBucketName"]
    rows = store.rows("SELECT name, created FROM indexes WHERE bucket = ? ORDER BY name", bucket)
    return {"indexes": [_brief(bucket, row["name"], row["created"]) for row in rows]}


def find_index(store: Store, body: Json) -> Index:
    """Find the index that a request names, by bucket and name or by resource name."""
    bucket, name = _names(body)
    row = store.row("SELECT * FROM indexes WHERE bucket = ? AND name = ?", bucket, name)
    if row is None:
        raise _not_found("index")
    return Index(**{**row, "hidden_keys": frozenset(json.loads(row["hidden_keys"]))})


def _names(body: Json) -> tuple[str | None, str | None]:
    """The names of the bucket and the index that a request is about."""
    arn = _ARN.fullmatch(body.get("indexArn") or body.get("vectorBucketArn") or "")
    return (arn[1], arn[2]) if arn else (body.get("vectorBucketName"), body.get("indexName"))


def _brief(bucket: str, name: str, created: float) -> Json:
    arn = _arn(bucket, name)
    return {"vectorBucketName": bucket, "indexName": name, "indexArn": arn, "creationTime": created}


def _arn(bucket: str, index: str | None = None) -> str:
    arn = f"arn:aws:s3vectors:{REGION}:{ACCOUNT}:bucket/{bucket}"
    return f"{arn}/index/{index}" if index else arn


def _not_found(what: str) -> AwsError:
    """The error for a vector bucket or an index that does not exist."""
    return AwsError("NotFoundException", f"The specified {what} could not be found", 404)


def _conflict(message: str) -> AwsError:
    """The error where something that exists is in the way."""
    return AwsError("ConflictException", message, 409)
