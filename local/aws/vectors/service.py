"""S3 Vectors: the operations on vector buckets, indexes and vectors."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.concurrency import run_in_threadpool

from local.aws.protocol import AwsError, Json
from local.aws.shapes import check_request
from local.aws.store import Store
from local.aws.vectors import indexes
from local.aws.vectors.contents import Contents

LARGEST_REQUEST = (
    20 * 1024 * 1024
)  # bytes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html


class S3Vectors:
    """Every vector bucket of one account, kept in a file or in memory.

    Requests are answered one after the other, and all of what one of them writes is kept, or nothing.
    """

    def __init__(self, file: Path | None) -> None:
        self._store = store = Store(file, indexes.SCHEMA)
        contents = Contents(store)
        self._operations: dict[str, Callable[[Json], Json]] = {
            "CreateIndex": partial(indexes.create_index, store),
            "CreateVectorBucket": partial(indexes.create_vector_bucket, store),
            "DeleteIndex": partial(indexes.delete_index, store),
            "DeleteVectorBucket": partial(indexes.delete_vector_bucket, store),
            "DeleteVectors": contents.delete_vectors,
            "GetIndex": partial(indexes.get_index, store),
            "GetVectorBucket": partial(indexes.get_vector_bucket, store),
            "GetVectors": contents.get_vectors,
            "ListIndexes": partial(indexes.list_indexes, store),
            "ListVectorBuckets": partial(indexes.list_vector_buckets, store),
            "ListVectors": contents.list_vectors,
            "PutVectors": contents.put_vectors,
            "QueryVectors": contents.query_vectors,
        }
        self._turn = asyncio.Lock()

    async def ask(self, operation: str, body: Json) -> Json:
        """Answer a request. Raises AwsError."""
        async with self._turn:
            return await run_in_threadpool(self._answer, operation, body)

    def close(self) -> None:
        """Close the file; the server has stopped by then."""
        self._store.close()

    def _answer(self, operation: str, body: Json) -> Json:
        if operation not in self._operations:
            raise AwsError("UnknownOperationException", f"S3 Vectors has no operation {operation} here.", 404)
        check_request("s3vectors", operation, body)
        with self._store.transaction():
            return self._operations[operation](body)
