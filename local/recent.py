"""Records that do not grow without end: the oldest are dropped, and a reader of a dropped one gets an error."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T = TypeVar("T")


class Dropped(LookupError):
    """A record that was asked for is no longer there."""


class Recent(Sequence[T]):
    """Every record that was ever made, of which only the newest are still there; safe to use from several threads.

    A record keeps its place, and the length counts the dropped ones too: `records[mark:]` is all that came after
    `mark = len(records)`. Reading a dropped one raises Dropped, also while reading all; `kept` are the others.
    There are at most `most`, with no more than `most_bytes` together, but always the newest one. A slice has no step.
    """

    def __init__(self, most: int = 1_000, most_bytes: int = 0) -> None:
        self._most, self._most_bytes = most, most_bytes
        self._lock = threading.Lock()
        self._records: deque[T] = deque()
        self._sizes: deque[int] = deque()
        self._bytes = self._dropped = 0

    def append(self, record: T, size: int = 0) -> None:
        """Add a record of `size` bytes, and drop the oldest ones if that is too much."""
        with self._lock:
            self._records.append(record)
            self._sizes.append(size)
            self._bytes += size
            while len(self._sizes) > 1 and (len(self._sizes) > self._most or self._bytes > self._most_bytes):
                self._bytes -= self._sizes.popleft()
                self._records.popleft()
                self._dropped += 1

    def extend(self, records: Iterable[T]) -> None:
        """Add several records."""
        for record in records:
            self.append(record)

    def clear(self) -> None:
        """Begin again, as if there never was a record."""
        with self._lock:
            self._records.clear()
            self._sizes.clear()
            self._bytes = self._dropped = 0

    @property
    def kept(self) -> list[T]:
        """The records that are still there, oldest first."""
        with self._lock:
            return list(self._records)

    def __len__(self) -> int:
        with self._lock:
            return self._dropped + len(self._records)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        with self._lock:
            wanted = range(self._dropped + len(self._records))[place]
            if isinstance(wanted, range) and not wanted:
                return []
            first = wanted.start if isinstance(wanted, range) else wanted
            if first < self._dropped:
                raise Dropped(f"record {first} was dropped: there are only those from {self._dropped} on")
            at = first - self._dropped
            return list(islice(self._records, at, at + len(wanted))) if isinstance(wanted, range) else self._records[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it changes
