"""A cache of what is made of files."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """Values by their keys; all of them are forgotten when they take over `most` bytes, and made again when needed.

    `size` says how many bytes a value takes.
    """

    def __init__(self, make: Callable[[K], V], size: Callable[[V], int], most: int = 100_000_000) -> None:
        self._make = make
        self._size = size
        self._most = most
        self._values: dict[K, V] = {}
        self._bytes = 0

    def __call__(self, key: K) -> V:
        """The value of a key."""
        values = self._values  # another thread may have them forgotten meanwhile
        if key in values:
            return values[key]
        value = self._make(key)
        self._bytes += self._size(value)
        if self._bytes > self._most:
            self._values, self._bytes = {}, self._size(value)
        self._values[key] = value
        return value


def size_of_lines(lines: list[str] | None) -> int:
    """The bytes that lines take in memory, roughly."""
    return sum(map(len, lines or ())) + 60 * len(lines or ())
