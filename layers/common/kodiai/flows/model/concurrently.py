"""At once: independent work on threads, with one limit for all of it."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from kodiai.core.errors import Broken, OutOfTime

T = TypeVar("T")


class Slots:
    """Bounds how many tasks run at the same time; once one has failed no other is begun."""

    def __init__(self, most: int) -> None:
        self._free = threading.Semaphore(most)
        self._failed = threading.Event()

    def run(self, task: Callable[[], T]) -> T:
        """Do a task as soon as there is a slot. Raises OutOfTime where another one has failed."""
        with self._free:
            if self._failed.is_set():
                raise OutOfTime("another question has failed", after_seconds=0)
            try:
                return task()
            except BaseException:
                self._failed.set()
                raise


def run_concurrently(tasks: Sequence[Callable[[], T]], threads: int) -> list[T]:
    """Do independent tasks on so many threads, begun in order, and give their results in order.

    The most severe failure is raised once all are done: Broken before any other, OutOfTime last.
    """
    with ThreadPoolExecutor(max_workers=threads) as pool:
        futures = [pool.submit(task) for task in tasks]
    failures = [error for future in futures if (error := future.exception()) is not None]
    if failures:
        raise min(failures, key=lambda error: (not isinstance(error, Broken), isinstance(error, OutOfTime)))
    return [future.result() for future in futures]
