"""The common forms of GraphQL's answers: connections, which are lists read page by page, and errors with types."""

import base64
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from graphql import GraphQLError, GraphQLResolveInfo

from local.github.answers import ApiError
from local.github.views import Json

T = TypeVar("T")
_MOST_ITEMS = 100


def connect(read: Callable[[], Sequence[T]], view: Callable[[T], Json]) -> Callable[..., Json]:
    """The resolver of a connection: the `first` of the items that are read, `after` a cursor, or the `last` ones."""

    def resolve(
        info: GraphQLResolveInfo[Any],
        *,
        first: int | None = None,
        last: int | None = None,
        after: str | None = None,
        **_: object,
    ) -> Json:
        size, items = _size(info.field_name, first, last), read()
        start = int(base64.b64decode(after).decode()) if after else 0
        end = min(start + size, len(items)) if first is not None else len(items)
        start = start if first is not None else max(end - size, 0)
        return {
            "totalCount": len(items),
            "nodes": [view(item) for item in items[start:end]],
            "pageInfo": {"endCursor": base64.b64encode(str(end).encode()).decode(), "hasNextPage": end < len(items)},
        }

    return resolve


def _size(field: str, first: int | None, last: int | None) -> int:
    size = first if first is not None else last
    if size is None:
        message = f"You must provide a `first` or `last` value to properly paginate the `{field}` connection."
        raise GraphQLError(message, extensions={"type": "MISSING_PAGINATION_BOUNDARIES"})
    if not 0 <= size <= _MOST_ITEMS:
        message = (
            f"Requesting {size} records on the `{field}` connection exceeds the `first` limit of {_MOST_ITEMS} records."
        )
        raise GraphQLError(message, extensions={"type": "EXCESSIVE_PAGINATION"})
    return size


def node_not_found(message: str) -> GraphQLError:
    """The error for what is not there, or may not be seen."""
    return GraphQLError(message, extensions={"type": "NOT_FOUND"})


def unknown_id(text: str) -> GraphQLError:
    """The error for a global id that names nothing, or nothing of the kind that is wanted."""
    return node_not_found(f"Could not resolve to a node with the global id of '{text}'.")


def forbidden(message: str = "Resource not accessible by integration") -> GraphQLError:
    """The error for what the token may not do."""
    return GraphQLError(message, extensions={"type": "FORBIDDEN", "extensions": {"saml_failure": False}})


def refusal(refused: ApiError) -> GraphQLError:
    """The error for what REST refuses with 422, or with 403, with the first of its sentences."""
    body = refused.answer.body
    first = body["errors"][0] if "errors" in body else body["message"]
    message = first if isinstance(first, str) else first["message"]
    forbids = refused.answer.status == HTTPStatus.FORBIDDEN
    return forbidden(message) if forbids else GraphQLError(message, extensions={"type": "UNPROCESSABLE"})
