"""Vectors are put, read, listed, deleted and searched.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_S3_Vectors.html
"""

import json
from typing import Any

from local.aws.protocol import Json
from local.aws.store import Row, Store
from local.aws.vectors.catalog import find_index
from local.aws.vectors.errors import invalid
from local.aws.vectors.filters import check_filter, matches
from local.aws.vectors.vector import read_query, read_vector, show, vector_in

_MOST_PUT = 500
_MOST_GET = 100
_MOST_DELETED = 500
_MOST_LISTED = 1000
_MOST_FOUND = 100
_NOT_HERE = ("queryTexts", "queryMode", "returnScores", "nextToken")


def put_vectors(store: Store, body: Json) -> Json:
    """Write up to 500 vectors; one that is refused refuses them all."""
    index = find_index(store, body)
    vectors = [read_vector(index, entry) for entry in _listed(body, "vectors", _MOST_PUT)]
    if len({vector.key for vector in vectors}) < len(vectors):
        raise invalid("Duplicate vector keys in one request")
    with store.transaction():
        for one in vectors:
            store.run(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
                *(index.number, one.key, one.data.tobytes(), one.length, json.dumps(one.metadata)),
            )
    return {}


def get_vectors(store: Store, body: Json) -> Json:
    """Read up to 100 vectors by key; keys that do not exist are left out."""
    index = find_index(store, body)
    keys = list(dict.fromkeys(_listed(body, "keys", _MOST_GET)))
    wanted = "SELECT * FROM vectors WHERE index_number = ? AND key = ?"
    rows = [row for key in keys for row in store.rows(wanted, index.number, key)]
    return {"vectors": [show(vector_in(row), body) for row in rows]}


def list_vectors(store: Store, body: Json) -> Json:
    """List vectors in the order of their keys, a page of maxResults at a time."""
    index = find_index(store, body)
    if "segmentCount" in body:
        raise invalid("Lists in segments are not known here")
    size = int(body.get("maxResults") or 500)
    if not 1 <= size <= _MOST_LISTED:
        raise invalid(f"Invalid maxResults: must be between 1 and {_MOST_LISTED}")
    rows = store.rows(
        "SELECT * FROM vectors WHERE index_number = ? AND key > ? ORDER BY key LIMIT ?",
        *(index.number, body.get("nextToken") or "", size + 1),
    )
    more = {"nextToken": rows[size - 1]["key"]} if len(rows) > size else {}
    return {"vectors": [show(vector_in(row), body) for row in rows[:size]], **more}


def delete_vectors(store: Store, body: Json) -> Json:
    """Delete up to 500 vectors; keys that do not exist are no error."""
    index = find_index(store, body)
    keys = _listed(body, "keys", _MOST_DELETED)
    with store.transaction():
        for key in keys:
            store.run("DELETE FROM vectors WHERE index_number = ? AND key = ?", index.number, key)
    return {}


def query_vectors(store: Store, body: Json) -> Json:
    """Find the nearest vectors among those that meet the filter, nearest first.

    Every vector is compared, so nothing is missed; AWS answers approximately.
    """
    index, most, condition = find_index(store, body), body.get("topK"), body.get("filter")
    for parameter in _NOT_HERE:
        if parameter in body:
            raise invalid(f"{parameter} is not known here")
    if not isinstance(most, int) or not 1 <= most <= _MOST_FOUND:
        raise invalid(f"Invalid topK: must be between 1 and {_MOST_FOUND}")
    if condition is not None:
        check_filter(condition, index.hidden_keys)
    query = read_query(index, body.get("queryVector"))
    rows = store.rows("SELECT * FROM vectors WHERE index_number = ?", index.number)
    candidates = [vector_in(row) for row in rows if _allowed(row, condition)]
    ranked = sorted((query.distance(one, index.metric), one.key, one) for one in candidates)[:most]
    distances = body.get("returnDistance")
    asked = {"returnMetadata": body.get("returnMetadata")}
    found = [{**show(one, asked), **({"distance": far} if distances else {})} for far, _, one in ranked]
    return {"vectors": found, "distanceMetric": index.metric}


def _allowed(row: Row, condition: Json | None) -> bool:
    return condition is None or matches(condition, json.loads(row["metadata"]))


def _listed(body: Json, name: str, most: int) -> list[Any]:
    values = body.get(name)
    if not isinstance(values, list) or not 1 <= len(values) <= most:
        raise invalid(f"Invalid {name}: between 1 and {most} are allowed")
    return values
