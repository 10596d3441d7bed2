"""Reads and writes the core's dataclasses as JSON; what does that for a type is built when it is first needed."""

from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """The adapter for a type."""
    return _built(kind)


@cache
def _built(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
