"""S3 Vectors as boto3 meets it: one POST for each operation, JSON in and out."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from local.aws.clock import Clock
from local.aws.protocol import Answer, AwsError, Json, Request, json_answer, rest_error
from local.aws.store import Store
from local.aws.vectors import catalog, contents

OPERATIONS: Mapping[str, Callable[[Store, Json], Json]] = MappingProxyType(
    {
        "CreateIndex": catalog.create_index,
        "CreateVectorBucket": catalog.create_vector_bucket,
        "DeleteIndex": catalog.delete_index,
        "DeleteVectorBucket": catalog.delete_vector_bucket,
        "DeleteVectors": contents.delete_vectors,
        "GetIndex": catalog.get_index,
        "GetVectorBucket": catalog.get_vector_bucket,
        "GetVectors": contents.get_vectors,
        "ListIndexes": catalog.list_indexes,
        "ListVectorBuckets": catalog.list_vector_buckets,
        "ListVectors": contents.list_vectors,
        "PutVectors": contents.put_vectors,
        "QueryVectors": contents.query_vectors,
    }
)


class S3Vectors:
    """Every vector bucket of one account, kept in a file or in memory."""

    def __init__(self, file: Path | None, clock: Clock) -> None:
        self._store = Store(file, catalog.SCHEMA, clock)

    def answer(self, request: Request) -> Answer:
        """Answer one request."""
        operation = request.path.strip("/")
        act = OPERATIONS.get(operation)
        if act is None:
            message = f"S3 Vectors has no operation {operation} here."
            return rest_error(AwsError("UnknownOperationException", message, 404))
        try:
            return json_answer(act(self._store, request.json()))
        except AwsError as error:
            return rest_error(error)

    def close(self) -> None:
        """Stop, and close the file."""
        self._store.close()
