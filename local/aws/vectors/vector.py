"""A vector with its key and metadata, and what S3 Vectors refuses about it.

Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
"""

import json
import math
from array import array
from dataclasses import dataclass
from typing import Any, NamedTuple

from local.aws.protocol import Json, invalid
from local.aws.store import Row
from local.aws.vectors.indexes import Index

_MOST_METADATA = 40 * 1024  # bytes
_MOST_FILTERABLE = 2048  # bytes
_MOST_METADATA_KEYS = 50
_LARGEST_FLOAT = 3.4028235e38


@dataclass(frozen=True)
class Vector:
    """A vector of 32-bit floats; `length` is its Euclidean norm."""

    key: str
    data: "array[float]"
    length: float
    metadata: Json


class Candidate(NamedTuple):
    """A vector that a query compares: `place` is normalized, because only the direction counts."""

    key: str
    place: "array[float]"
    filterable: Json


def candidate(index: Index, vector: Vector) -> Candidate:
    """Make a vector of an index ready to be compared."""
    place = array("f", [number / vector.length for number in vector.data])
    return Candidate(vector.key, place, _filterable(index, vector.metadata))


def distance(one: tuple[float, ...], other: "array[float]") -> float:
    """Return the cosine distance of two places, 0 to 2.

    It is half the square of the straight line, which `math.dist` computes in a third of the time of the product; one
    that is a tuple is not copied each time.
    """
    line = math.dist(one, other)
    return line * line / 2


def read_vector(index: Index, entry: Json) -> Vector:
    """Read a vector from a request; raise ValidationException with what is wrong."""
    key = entry["key"]
    data = _read_data(index, entry["data"])
    return Vector(key, data, math.hypot(*data), _read_metadata(index, entry.get("metadata", {})))


def read_query(index: Index, data: Any) -> Vector:
    """Read the vector whose nearest ones a query asks for."""
    numbers = _read_data(index, data)
    return Vector("", numbers, math.hypot(*numbers), {})


def vector_in(row: Row) -> Vector:
    """Read a vector from its row."""
    data = array("f")
    data.frombytes(row["data"])
    return Vector(row["key"], data, row["length"], json.loads(row["metadata"]))


def show(vector: Vector, asked: Json) -> Json:
    """Show a vector's key, and its data and metadata if the request asked for them."""
    data = {"data": {"float32": list(vector.data)}} if asked.get("returnData") else {}
    metadata = {"metadata": vector.metadata} if asked.get("returnMetadata") else {}
    return {"key": vector.key, **data, **metadata}


def _read_data(index: Index, data: Any) -> "array[float]":
    """Read the numbers of a vector, which have to fit the index."""
    numbers = data.get("float32")
    if not isinstance(numbers, list):
        raise invalid("Invalid vector data: float32 is required")
    if len(numbers) != index.dimension:
        raise invalid(
            f"Vector has length {len(numbers)}, but must have length {index.dimension} for index {index.name}"
        )
    # JSON from boto3 can say NaN and Infinity, as numbers or as text.
    if not all(type(one) in {int, float} and abs(one) <= _LARGEST_FLOAT for one in numbers):
        raise invalid("Vector data must contain finite float32 values")
    stored = array("f", numbers)
    if not any(stored):
        raise invalid("Vector must not be all zeros when the distance metric is cosine")
    return stored


def _read_metadata(index: Index, metadata: Any) -> Json:
    if not isinstance(metadata, dict):
        raise invalid("Metadata must be a JSON object")
    if len(metadata) > _MOST_METADATA_KEYS:
        raise invalid(f"Metadata must have at most {_MOST_METADATA_KEYS} keys")
    filterable = _filterable(index, metadata)
    for key, value in filterable.items():
        elements = value if isinstance(value, list) else [value]
        if not all(isinstance(element, str | int | float | bool) for element in elements):
            raise invalid(f"Invalid metadata value for {key}: a string, number, boolean or a list of these")
    if _bytes(filterable) > _MOST_FILTERABLE:
        raise invalid(f"Filterable metadata must have at most {_MOST_FILTERABLE} bytes")
    if _bytes(metadata) > _MOST_METADATA:
        raise invalid(f"Metadata must have at most {_MOST_METADATA} bytes")
    return metadata


def _filterable(index: Index, metadata: Json) -> Json:
    return {key: value for key, value in metadata.items() if key not in index.hidden_keys}


def _bytes(metadata: Json) -> int:
    return len(json.dumps(metadata, ensure_ascii=False, separators=(",", ":")).encode())
