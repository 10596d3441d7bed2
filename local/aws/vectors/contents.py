"""Vectors are put, read, listed, deleted and searched.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_S3_Vectors.html
"""

import heapq
import json
from collections.abc import Iterable

from local.aws.protocol import Json, invalid
from local.aws.store import Store
from local.aws.vectors.filters import check_filter, matches
from local.aws.vectors.indexes import METRIC, Index, find_index
from local.aws.vectors.vector import (
    Candidate,
    Vector,
    candidate,
    distance,
    read_query,
    read_vector,
    show,
    vector_in,
)

_USUALLY_LISTED = 500
_MOST_FOUND = 100


class Contents:
    """The vectors of all indexes.

    An index that was asked is in memory too, without what cannot be filtered by: reading 100,000 vectors takes longer
    than comparing them.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loaded: dict[int, dict[str, Candidate]] = {}

    def put_vectors(self, body: Json) -> Json:
        """Write up to 500 vectors; one that is refused refuses them all."""
        index = find_index(self._store, body)
        vectors = [read_vector(index, entry) for entry in body["vectors"]]
        if len({vector.key for vector in vectors}) < len(vectors):
            raise invalid("Duplicate vector keys in one request")
        for one in vectors:
            self._store.run(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
                *(index.number, one.key, one.data.tobytes(), one.length, json.dumps(one.metadata)),
            )
        if index.number in self._loaded:
            self._loaded[index.number] |= {one.key: candidate(index, one) for one in vectors}
        return {}

    def get_vectors(self, body: Json) -> Json:
        """Read up to 100 vectors by key; keys that do not exist are left out."""
        index = find_index(self._store, body)
        found = [self._vector(index, key) for key in dict.fromkeys(body["keys"])]
        return {"vectors": [show(vector, body) for vector in found if vector]}

    def list_vectors(self, body: Json) -> Json:
        """List vectors in the order of their keys, a page of maxResults at a time."""
        size = body.get("maxResults", _USUALLY_LISTED)
        rows = self._store.rows(
            "SELECT * FROM vectors WHERE index_number = ? AND key > ? ORDER BY key LIMIT ?",
            *(find_index(self._store, body).number, body.get("nextToken", ""), size + 1),
        )
        more = {"nextToken": rows[size - 1]["key"]} if len(rows) > size else {}
        return {"vectors": [show(vector_in(row), body) for row in rows[:size]], **more}

    def delete_vectors(self, body: Json) -> Json:
        """Delete up to 500 vectors; keys that do not exist are no error."""
        index = find_index(self._store, body)
        for key in body["keys"]:
            self._store.run("DELETE FROM vectors WHERE index_number = ? AND key = ?", index.number, key)
            self._loaded.get(index.number, {}).pop(key, None)
        return {}

    def query_vectors(self, body: Json) -> Json:
        """Find the nearest vectors among those that meet the filter, nearest first.

        Every vector is compared, so nothing is missed; AWS answers approximately.
        """
        index = find_index(self._store, body)
        most, condition = body["topK"], body.get("filter")
        if most > _MOST_FOUND:
            raise invalid(f"Invalid topK: must be between 1 and {_MOST_FOUND}")
        if condition is not None:
            check_filter(condition, index.hidden_keys)
        wanted = tuple(candidate(index, read_query(index, body["queryVector"])).place)
        nearest = heapq.nsmallest(
            most,
            (
                (distance(wanted, one.place), one.key)
                for one in self._candidates(index)
                if condition is None or matches(condition, one.filterable)
            ),
        )
        asked, with_distance = {"returnMetadata": body.get("returnMetadata")}, body.get("returnDistance")
        found = [(far, self._vector(index, key)) for far, key in nearest]
        shown = [{**show(one, asked), **({"distance": far} if with_distance else {})} for far, one in found if one]
        return {"vectors": shown, "distanceMetric": METRIC}

    def _vector(self, index: Index, key: str) -> Vector | None:
        row = self._store.row("SELECT * FROM vectors WHERE index_number = ? AND key = ?", index.number, key)
        return vector_in(row) if row else None

    def _candidates(self, index: Index) -> Iterable[Candidate]:
        if index.number not in self._loaded:
            vectors = map(vector_in, self._store.each("SELECT * FROM vectors WHERE index_number = ?", index.number))
            self._loaded[index.number] = {vector.key: candidate(index, vector) for vector in vectors}
        return self._loaded[index.number].values()
