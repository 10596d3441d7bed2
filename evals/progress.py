"""Which push of which case each pull request of a run is at."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True)
class Position:
    """A push of a case. `repeat` counts the case's pull requests from 1, `push` its pushes from 0."""

    case: str
    repeat: int
    push: int


class Progress:
    """The position of each pull request, by title: the runner sets it, the recorded answers read it. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, Position] = {}

    def move(self, title: str, position: Position) -> None:
        """Set the position of a pull request."""
        with self._lock:
            self._places[title] = position

    def position(self, title: str | None) -> Position | None:
        """Get the position of a pull request, None if it has none."""
        with self._lock:
            return self._places.get(title) if title is not None else None
