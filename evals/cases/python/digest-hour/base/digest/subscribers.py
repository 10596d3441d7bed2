"""Who gets a digest."""

from dataclasses import dataclass
from datetime import datetime


@dataclass
class Subscriber:
    address: str
    next_due: datetime | None = None
    paused: bool = False
