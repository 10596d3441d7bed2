"""Vectors are put, read, listed, deleted and searched.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_S3_Vectors.html
"""

import json
from typing import Any

from local.aws.protocol import Json
from local.aws.store import Store
from local.aws.vectors.errors import invalid
from local.aws.vectors.filters import check_filter, matches
from local.aws.vectors.indexes import find_index
from local.aws.vectors.vector import read_query, read_vector, show, vector_in

_MOST_PUT = 500
_MOST_GET = 100
_MOST_DELETED = 500
_MOST_LISTED = 1000
_MOST_FOUND = 100


def put_vectors(store: Store, body: Json) -> Json:
    """Write up to 500 vectors; one that is refused refuses them all."""
    index = find_index(store, body)
    vectors = [read_vector(index, entry) for entry in _listed(body, "vectors", _MOST_PUT)]
    if len({vector.key for vector in vectors}) < len(vectors):
        raise invalid("Duplicate vector keys in one request")
    for one in vectors:
        store.run(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
            *(index.number, one.key, one.data.tobytes(), one.length, json.dumps(one.metadata)),
        )
    return {}


def get_vectors(store: Store, body: Json) -> Json:
    """Read up to 100 vectors by key; keys that do not exist are left out."""
    index = find_index(store, body)
    wanted = "SELECT * FROM vectors WHERE index_number = ? AND key = ?"
    rows = [store.row(wanted, index.number, key) for key in dict.fromkeys(_listed(body, "keys", _MOST_GET))]
    return {"vectors": [show(vector_in(row), body) for row in rows if row]}


def list_vectors(store: Store, body: Json) -> Json:
    """List vectors in the order of their keys, a page of maxResults at a time."""
    size = _number(body, "maxResults", 500, _MOST_LISTED)
    rows = store.rows(
        "SELECT * FROM vectors WHERE index_number = ? AND key > ? ORDER BY key LIMIT ?",
        *(find_index(store, body).number, body.get("nextToken", ""), size + 1),
    )
    more = {"nextToken": rows[size - 1]["key"]} if len(rows) > size else {}
    return {"vectors": [show(vector_in(row), body) for row in rows[:size]], **more}


def delete_vectors(store: Store, body: Json) -> Json:
    """Delete up to 500 vectors; keys that do not exist are no error."""
    index = find_index(store, body)
    for key in _listed(body, "keys", _MOST_DELETED):
        store.run("DELETE FROM vectors WHERE index_number = ? AND key = ?", index.number, key)
    return {}


def query_vectors(store: Store, body: Json) -> Json:
    """Find the nearest vectors among those that meet the filter, nearest first.

    Every vector is compared, so nothing is missed; AWS answers approximately.
    """
    index, most, condition = find_index(store, body), _number(body, "topK", None, _MOST_FOUND), body.get("filter")
    if condition is not None:
        check_filter(condition, index.hidden_keys)
    query = read_query(index, body["queryVector"])
    vectors = [vector_in(row) for row in store.rows("SELECT * FROM vectors WHERE index_number = ?", index.number)]
    candidates = [vector for vector in vectors if condition is None or matches(condition, vector.metadata)]
    ranked = sorted((query.distance(one, index.metric), one.key, one) for one in candidates)[:most]
    asked = {"returnMetadata": body.get("returnMetadata")}
    with_distance = body.get("returnDistance")
    found = [{**show(one, asked), **({"distance": far} if with_distance else {})} for far, _, one in ranked]
    return {"vectors": found, "distanceMetric": index.metric}


def _listed(body: Json, name: str, most: int) -> list[Any]:
    values: list[Any] = body[name]
    if not 1 <= len(values) <= most:
        raise invalid(f"Invalid {name}: between 1 and {most} are allowed")
    return values


def _number(body: Json, name: str, otherwise: int | None, most: int) -> int:
    value = body.get(name, otherwise)
    if not isinstance(value, int) or not 1 <= value <= most:
        raise invalid(f"Invalid {name}: must be between 1 and {most}")
    return value
