"""Vector buckets and their indexes.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from local.aws.protocol import ACCOUNT, REGION, Json
from local.aws.store import Row, Store
from local.aws.vectors.errors import conflict, invalid, not_found

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
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_ARN = re.compile(r"arn:aws[-a-z0-9]*:s3vectors:[a-z0-9-]+:[0-9]{12}:bucket/([^/]+)(?:/index/([^/]+))?")
_MOST_DIMENSIONS = 4096
_MOST_HIDDEN_KEYS = 10


@dataclass(frozen=True)
class Index:
    """What an index was created with: fixed from then on."""

    number: int
    bucket: str
    name: str
    dimension: int
    metric: str
    hidden_keys: frozenset[str]
    created: float

    @property
    def arn(self) -> str:
        """Return the index's resource name."""
        return f"{bucket_arn(self.bucket)}/index/{self.name}"

    @property
    def summary(self) -> Json:
        """Show the index as lists show it."""
        return {
            "vectorBucketName": self.bucket,
            "indexName": self.name,
            "indexArn": self.arn,
            "creationTime": self.created,
        }


def bucket_arn(name: str) -> str:
    """Return the resource name of a vector bucket."""
    return f"arn:aws:s3vectors:{REGION}:{ACCOUNT}:bucket/{name}"


def create_vector_bucket(store: Store, body: Json) -> Json:
    """Create a vector bucket."""
    name = _name(body.get("vectorBucketName"), "vectorBucketName")
    with store.transaction():
        if store.row("SELECT 1 FROM buckets WHERE name = ?", name):
            raise conflict("A vector bucket with the specified name already exists")
        store.run("INSERT INTO buckets VALUES (?, ?)", name, store.now())
    return {"vectorBucketArn": bucket_arn(name)}


def get_vector_bucket(store: Store, body: Json) -> Json:
    """Answer what is known of a vector bucket."""
    return {"vectorBucket": {**_show_bucket(find_bucket(store, body)), "encryptionConfiguration": _ENCRYPTION}}


def list_vector_buckets(store: Store, body: Json) -> Json:
    """List vector buckets by prefix, a page of maxResults at a time."""
    rows = store.rows("SELECT * FROM buckets ORDER BY name")
    chosen, more = _page(rows, body)
    return {"vectorBuckets": [_show_bucket(row) for row in chosen], **more}


def delete_vector_bucket(store: Store, body: Json) -> Json:
    """Delete a vector bucket that holds no index."""
    name = find_bucket(store, body)["name"]
    with store.transaction():
        if store.row("SELECT 1 FROM indexes WHERE bucket = ?", name):
            raise conflict("The specified vector bucket is not empty")
        store.run("DELETE FROM buckets WHERE name = ?", name)
    return {}


def create_index(store: Store, body: Json) -> Json:
    """Create an index; dimension, metric and non-filterable keys cannot be changed later."""
    bucket, name = find_bucket(store, body)["name"], _name(body.get("indexName"), "indexName")
    dimension, metric = body.get("dimension"), body.get("distanceMetric")
    if not isinstance(dimension, int) or not 1 <= dimension <= _MOST_DIMENSIONS:
        raise invalid("Invalid dimension: must be between 1 and 4096")
    if metric not in {"cosine", "euclidean"} or body.get("dataType") != "float32":
        raise invalid("Invalid distanceMetric or dataType")
    hidden = (body.get("metadataConfiguration") or {}).get("nonFilterableMetadataKeys") or []
    if len(hidden) > _MOST_HIDDEN_KEYS or len(set(hidden)) < len(hidden):
        raise invalid("Invalid metadataConfiguration: at most 10 different non-filterable keys")
    with store.transaction():
        if store.row("SELECT 1 FROM indexes WHERE bucket = ? AND name = ?", bucket, name):
            raise conflict("An index with the specified name already exists")
        store.run(
            "INSERT INTO indexes (bucket, name, dimension, metric, hidden_keys, created) VALUES (?, ?, ?, ?, ?, ?)",
            *(bucket, name, dimension, metric, json.dumps(hidden), store.now()),
        )
    return {"indexArn": f"{bucket_arn(bucket)}/index/{name}"}


def get_index(store: Store, body: Json) -> Json:
    """Answer what an index was created with."""
    index = find_index(store, body)
    shown: Json = {
        **index.summary,
        "dataType": "float32",
        "dimension": index.dimension,
        "distanceMetric": index.metric,
        "encryptionConfiguration": _ENCRYPTION,
    }
    if index.hidden_keys:
        shown["metadataConfiguration"] = {"nonFilterableMetadataKeys": sorted(index.hidden_keys)}
    return {"index": shown}


def list_indexes(store: Store, body: Json) -> Json:
    """List the indexes of a bucket by prefix, a page of maxResults at a time."""
    bucket = find_bucket(store, body)["name"]
    rows = store.rows("SELECT * FROM indexes WHERE bucket = ? ORDER BY name", bucket)
    chosen, more = _page(rows, body)
    return {"indexes": [_index_in(row).summary for row in chosen], **more}


def delete_index(store: Store, body: Json) -> Json:
    """Delete an index with its vectors."""
    number = find_index(store, body).number
    with store.transaction():
        store.run("DELETE FROM vectors WHERE index_number = ?", number)
        store.run("DELETE FROM indexes WHERE number = ?", number)
    return {}


def find_bucket(store: Store, body: Json) -> Row:
    """Find the bucket that a request names, or raise NotFoundException."""
    name = body.get("vectorBucketName") or _in_arn(body.get("vectorBucketArn"), 1)
    row = store.row("SELECT * FROM buckets WHERE name = ?", name)
    if row is None:
        raise not_found("vector bucket")
    return row


def find_index(store: Store, body: Json) -> Index:
    """Find the index that a request names, by bucket and name or by resource name."""
    arn = body.get("indexArn")
    bucket = _in_arn(arn, 1) if arn else body.get("vectorBucketName")
    name = _in_arn(arn, 2) if arn else body.get("indexName")
    if not bucket or not name:
        raise invalid("Must specify either indexArn or both vectorBucketName and indexName")
    row = store.row("SELECT * FROM indexes WHERE bucket = ? AND name = ?", bucket, name)
    if row is None:
        raise not_found("index")
    return _index_in(row)


_ENCRYPTION = {"sseType": "AES256"}


def _index_in(row: Row) -> Index:
    hidden = frozenset(json.loads(row["hidden_keys"]))
    plain = (row["number"], row["bucket"], row["name"], row["dimension"], row["metric"])
    return Index(*plain, hidden, row["created"])


def _show_bucket(row: Row) -> Json:
    name = row["name"]
    return {
        "vectorBucketName": name,
        "vectorBucketArn": bucket_arn(name),
        "creationTime": row["created"],
    }


def _name(value: Any, parameter: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise invalid(f"Invalid {parameter}: 3 to 63 lower-case letters, digits, hyphens and dots")
    return value


def _in_arn(arn: Any, part: int) -> str | None:
    found = _ARN.fullmatch(str(arn or ""))
    return found[part] if found else None


def _page(rows: list[Row], body: Json) -> tuple[list[Row], Json]:
    prefix, after = body.get("prefix") or "", body.get("nextToken") or ""
    left = [row for row in rows if row["name"].startswith(prefix) and row["name"] > after]
    size = int(body.get("maxResults") or 500)
    return left[:size], {"nextToken": left[size - 1]["name"]} if len(left) > size else {}
