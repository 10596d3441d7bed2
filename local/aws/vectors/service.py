"""S3 Vectors as boto3 uses it: one POST for each operation, JSON in and out."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws.protocol import AwsError, Json, json_response, read_json, rest_error
from local.aws.shapes import check_request
from local.aws.store import Store
from local.aws.vectors import indexes
from local.aws.vectors.contents import Contents
from local.aws.vectors.errors import invalid

_LARGEST = 20 * 1024 * 1024  # bytes: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html


class S3Vectors:
    """An ASGI application with every vector bucket of one account, kept in a file or in memory.

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            request = Request(scope, receive)
            if len(await request.body()) > _LARGEST:
                raise invalid("The request is larger than 20 MiB")
            response = json_response(await self.ask(scope["path"][1:], await read_json(request)))
        except AwsError as error:
            response = rest_error(error)
        await response(scope, receive, send)

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
