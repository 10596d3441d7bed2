"""Where each pull request of a run stands: which push of which case it is."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Where:
    """Which push of which case, of the case's pull requests the how many-th; a push is counted from 0."""

    case: str
    repeat: int
    push: int


class Course:
    """Where each pull request stands, by its title; told by who pushes, asked by who answers, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, Where] = {}

    def move(self, title: str, where: Where) -> None:
        """Note that this pull request is there now."""
        with self._lock:
            self._places[title] = where

    def where(self, title: str | None) -> Where | None:
        """Say where it is, None where nobody said."""
        with self._lock:
            return self._places.get(title) if title is not None else None
