"""The index of remembered findings in Amazon S3 Vectors.

Limits: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kodiai.core.memory.remembered import Neighbor, RememberedFinding, Vector
from kodiai.edges.adapter import adapter
from kodiai.edges.aws import HASTY, batches, connect, translated

_MOST_FOUND = 100
_MOST_READ = 100
_MOST_WRITTEN = 300  # of the 500 that may be written at once: JSON may write such findings with 60 kB each

# What a query may filter by, with the repository and whether it is judged: 2 KB at most. All else is one text, which
# the template makes a key that is not filterable.
_FILTERABLE = ("outcome", "category", "severity", "number")
# Such findings with their vectors are less than the 20 MiB of a request, and each less than the 40 KB of its metadata.
_LONGEST: Mapping[str, int] = {"path": 500, "title": 300, "problem": 2_000, "accepted_by": 50, "dismissed_by": 50}


def connect_vectors() -> Any:
    """Connect to S3 Vectors, with short time-outs and no retry."""
    return connect("s3vectors", HASTY)


class S3VectorIndex:
    """The port `VectorIndex`: the index of this name in a vector bucket."""

    def __init__(self, client: Any, bucket: str, name: str) -> None:
        self._client = client
        self._bucket = bucket
        self.name = name

    def nearest(
        self, vector: Vector, repository_ids: Sequence[int], most: int, *, only_judged: bool = False
    ) -> tuple[Neighbor, ...]:
        """Leave out what cannot be read, such as what a later version wrote."""
        if not repository_ids or most < 1:
            return ()
        among = {"$eq": repository_ids[0]} if len(repository_ids) == 1 else {"$in": list(repository_ids)}
        only: dict[str, Any] = {"repository": among}
        found = self._ask(
            "query_vectors",
            queryVector={"float32": list(vector)},
            topK=min(most, _MOST_FOUND),
            filter={"$and": [only, {"judged": {"$eq": True}}]} if only_judged else only,
            returnMetadata=True,
            returnDistance=True,
        )
        neighbors = (_neighbor(hit) for hit in found["vectors"])
        return tuple(each for each in neighbors if each is not None)

    def put(self, findings: Sequence[tuple[RememberedFinding, Vector]]) -> None:
        vectors = {
            finding.key: {"key": finding.key, "data": {"float32": list(vector)}, "metadata": _metadata(finding)}
            for finding, vector in findings
        }
        for some in batches(list(vectors.values()), _MOST_WRITTEN):
            self._ask("put_vectors", vectors=some)

    def vectors(self, keys: Sequence[str]) -> Mapping[str, Vector]:
        answers = [self._ask("get_vectors", keys=some, returnData=True) for some in batches(_once(keys), _MOST_READ)]
        return {each["key"]: each["data"]["float32"] for answer in answers for each in answer["vectors"]}

    def delete(self, keys: Sequence[str]) -> None:
        for some in batches(_once(keys), _MOST_WRITTEN):
            self._ask("delete_vectors", keys=some)

    def _ask(self, operation: str, **request: Any) -> Any:
        with translated("The index of the memory cannot be used", "S3 Vectors"):
            return getattr(self._client, operation)(vectorBucketName=self._bucket, indexName=self.name, **request)


def _metadata(finding: RememberedFinding) -> dict[str, Any]:
    facts = asdict(finding)
    filterable = {name: facts.pop(name) for name in _FILTERABLE}
    rest = {name: _cut(fact, _LONGEST.get(name)) for name, fact in facts.items()}
    return {
        "repository": rest.pop("repository_id"),
        "owner": finding.repository.partition("/")[0].lower(),
        **filterable,
        "judged": finding.is_judged,
        "text": json.dumps(rest, ensure_ascii=False),
    }


def _cut(fact: Any, longest: int | None) -> Any:
    """The start of a text or a list; what of a text is no Unicode is replaced."""
    if isinstance(fact, str):
        return fact[:longest].encode(errors="replace").decode()
    return fact[:longest] if isinstance(fact, tuple) else fact


def _neighbor(hit: Mapping[str, Any]) -> Neighbor | None:
    """Read a hit; None where it does not hold a finding as we know it."""
    try:
        metadata = hit["metadata"]
        facts = {
            **json.loads(metadata["text"]),
            **{name: metadata[name] for name in _FILTERABLE},
            "repository_id": metadata["repository"],
        }
        return Neighbor(adapter(RememberedFinding).validate_python(facts), hit["distance"])
    except (ValueError, LookupError, TypeError):  # a ValidationError is a ValueError
        return None


def _once(keys: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(keys))
