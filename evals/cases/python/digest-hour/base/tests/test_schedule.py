from datetime import UTC, datetime, timedelta

from digest import schedule
from digest.subscribers import Subscriber

NOON = datetime(2025, 2, 3, 12, tzinfo=UTC)


def test_a_new_subscriber_is_planned_for_the_next_morning():
    assert schedule.first(NOON) == datetime(2025, 2, 4, 7, tzinfo=UTC)


def test_who_is_paused_is_never_due():
    assert list(schedule.due([Subscriber("a@example.com", paused=True)], NOON)) == []


def test_a_digest_that_is_half_a_day_late_is_skipped():
    subscriber = Subscriber("a@example.com", next_due=NOON - timedelta(hours=12))

    assert schedule.is_late(subscriber, NOON)
