"""TimeShare: how long a step may take that shows less where it does not finish."""

from collections.abc import Callable

_OF_WHAT_IS_LEFT = 1 / 4


def plenty() -> float:
    """Seconds that are left where nothing ends soon."""
    return 3_600.0


class TimeShare:
    """At most so many seconds, and a quarter of the time that is left when the step begins.

    A step that raised OutOfTime instead would raise it again on every try.
    """

    def __init__(self, time_left: Callable[[], float], most_seconds: float) -> None:
        left = time_left()
        self._time_left = time_left
        self._until = left - min(most_seconds, left * _OF_WHAT_IS_LEFT)

    def is_used_up(self) -> bool:
        """Whether the step has to end."""
        return self._time_left() <= self._until
