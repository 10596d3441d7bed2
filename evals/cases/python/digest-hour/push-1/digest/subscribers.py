"""Who gets a digest."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo


@dataclass
class Subscriber:
    """Somebody who gets a digest, daily or, with a `weekday` from 1 to 7, once a week."""

    address: str
    next_due: datetime | None = None
    paused: bool = False
    time_zone: str = "UTC"
    hour: int = 7
    weekday: int | None = None

    def __post_init__(self) -> None:
        ZoneInfo(self.time_zone)  # raises for a zone that nobody knows
        if not 0 <= self.hour <= 23:
            raise ValueError(f"no hour of the day: {self.hour}")
        if self.weekday is not None and not 1 <= self.weekday <= 7:
            raise ValueError(f"no day of the week: {self.weekday}")
