"""GraphQL's connections: lists that are read forwards or backwards, page by page."""

import base64
from collections.abc import Callable, Sequence
from typing import TypeVar

from graphql import GraphQLError

from local.github.views import Json

T = TypeVar("T")
_MOST_ITEMS = 100


def connect(field: str, items: Sequence[T], view: Callable[[T], Json], asked: Json) -> Json:
    """A page of a connection, by `first`/`after` or `last`/`before`. Raises GraphQLError without either."""
    first, last = asked.get("first"), asked.get("last")
    size = first if first is not None else last
    if size is None:
        message = f"You must provide a `first` or `last` value to properly paginate the `{field}` connection."
        raise GraphQLError(message, extensions={"type": "MISSING_PAGINATION_BOUNDARIES"})
    if not 0 <= size <= _MOST_ITEMS:
        message = (
            f"Requesting {size} records on the `{field}` connection exceeds the `first` limit of {_MOST_ITEMS} records."
        )
        raise GraphQLError(message, extensions={"type": "EXCESSIVE_PAGINATION"})
    start = _read_cursor(asked.get("after"), 0)
    end = _read_cursor(asked.get("before"), len(items) + 1) - 1
    start, end = (start, min(end, start + size)) if first is not None else (max(start, end - size), end)
    return {
        "totalCount": len(items),
        "nodes": [view(item) for item in items[start:end]],
        "pageInfo": {
            "startCursor": _cursor(start + 1) if end > start else None,
            "endCursor": _cursor(end) if end > start else None,
            "hasNextPage": end < len(items),
            "hasPreviousPage": start > 0,
        },
    }


def _cursor(position: int) -> str:
    return base64.b64encode(f"cursor:{position}".encode()).decode()


def _read_cursor(text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        return int(base64.b64decode(text).decode().removeprefix("cursor:"))
    except ValueError as error:
        message = f"`{text}` does not appear to be a valid cursor."
        raise GraphQLError(message, extensions={"type": "INVALID_CURSOR_ARGUMENTS"}) from error
