"""Mails what is due."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from digest import schedule
from digest.subscribers import Subscriber

Mail = Callable[[str], None]


def tick(subscribers: Sequence[Subscriber], mail: Mail, now: datetime | None = None) -> int:
    """Mail everybody who is due. Returns how many mails were sent."""
    now = now or datetime.now(UTC)
    sent = 0
    for subscriber in schedule.due(subscribers, now):
        if subscriber.next_due is not None and not schedule.is_late(subscriber, now):
            mail(subscriber.address)
            sent += 1
        schedule.plan(subscriber, now)
    return sent
