"""Reads and writes the core's dataclasses as JSON; what does that for a type is built when it is first needed."""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")

_built: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """The adapter for a type."""
    return _built(kind)
