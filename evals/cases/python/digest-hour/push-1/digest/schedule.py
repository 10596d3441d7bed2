"""Says who is due, and when they will be due again. All instants are aware and in UTC."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.subscribers import Subscriber

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
        subscriber.next_due = first(subscriber, now)
    while subscriber.next_due <= now:
        subscriber.next_due = following(subscriber, subscriber.next_due)


def first(subscriber: Subscriber, now: datetime) -> datetime:
    """Say when the first digest is due: the next time that the subscriber's clock shows their hour."""
    here = now.astimezone(ZoneInfo(subscriber.time_zone))
    at = here.replace(hour=subscriber.hour, minute=0, second=0, microsecond=0)
    while at <= here or not _is_day(subscriber, at):
        at += timedelta(days=1)
    return at.astimezone(UTC)


def following(subscriber: Subscriber, last: datetime) -> datetime:
    """Say when the digest after this one is due."""
    days = 1 if subscriber.weekday is None else 7
    return last + timedelta(days=days)


def _is_day(subscriber: Subscriber, at: datetime) -> bool:
    return subscriber.weekday is None or at.weekday() == subscriber.weekday
