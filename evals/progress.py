"""The position of each pull request of a run."""

from typing import NamedTuple


class Position(NamedTuple):
    """A push of a case. `repeat` counts the case's pull requests from 1, `push` its pushes from 0."""

    case: str
    repeat: int
    push: int


Progress = dict[str | None, Position]
"""The position of each pull request, by title: the runner sets it, the recorded answers read it."""
