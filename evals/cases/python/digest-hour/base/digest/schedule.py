"""Says who is due, and when they will be due again. All instants are aware and in UTC."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, time, timedelta

from digest.subscribers import Subscriber

HOUR = 7
LATE_AFTER = timedelta(hours=6)


def due(subscribers: Iterable[Subscriber], now: datetime) -> Iterator[Subscriber]:
    """Give those whose digest is due, those that were never planned included."""
    for subscriber in subscribers:
        if subscriber.paused:
            continue
        if subscriber.next_due is None or subscriber.next_due <= now:
            yield subscriber


def is_late(subscriber: Subscriber, now: datetime) -> bool:
    """Whether a digest is so late that it is skipped instead of sent."""
    return subscriber.next_due is not None and now - subscriber.next_due > LATE_AFTER


def plan(subscriber: Subscriber, now: datetime) -> None:
    """Write down when the next digest is due."""
    if subscriber.next_due is None:
        subscriber.next_due = first(now)
    while subscriber.next_due <= now:
        subscriber.next_due = following(subscriber.next_due)


def first(now: datetime) -> datetime:
    """Say when the first digest is due: at the next full hour of sending."""
    today = datetime.combine(now.date(), time(HOUR), UTC)
    return today if today > now else today + timedelta(days=1)


def following(last: datetime) -> datetime:
    """Say when the digest after this one is due."""
    return last + timedelta(days=1)
