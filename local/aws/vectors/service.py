"""S3 Vectors as boto3 uses it: one POST for each operation, JSON in and out."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from local.aws.protocol import AwsError, Json, json_response, read_json, rest_error
from local.aws.store import Store
from local.aws.vectors import contents, indexes

_OPERATIONS: Mapping[str, Callable[[Store, Json], Json]] = MappingProxyType(
    {
        "/CreateIndex": indexes.create_index,
        "/CreateVectorBucket": indexes.create_vector_bucket,
        "/DeleteVectors": contents.delete_vectors,
        "/GetIndex": indexes.get_index,
        "/GetVectorBucket": indexes.get_vector_bucket,
        "/GetVectors": contents.get_vectors,
        "/ListIndexes": indexes.list_indexes,
        "/ListVectors": contents.list_vectors,
        "/PutVectors": contents.put_vectors,
        "/QueryVectors": contents.query_vectors,
    }
)


class S3Vectors:
    """An ASGI application with every vector bucket of one account, kept in a file or in memory.

    Requests are answered one after the other, and all of what one of them writes is kept, or nothing.
    """

    def __init__(self, file: Path | None) -> None:
        self._store = Store(file, indexes.SCHEMA)
        self._turn = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            body = await read_json(Request(scope, receive))
            async with self._turn:
                response = json_response(await run_in_threadpool(self._answer, scope["path"], body))
        except AwsError as error:
            response = rest_error(error)
        await response(scope, receive, send)

    def close(self) -> None:
        """Close the file; the server has stopped by then."""
        self._store.close()

    def _answer(self, path: str, body: Json) -> Json:
        if path not in _OPERATIONS:
            raise AwsError("UnknownOperationException", f"S3 Vectors has no operation {path} here.", 404)
        with self._store.transaction():
            return _OPERATIONS[path](self._store, body)
