from datetime import UTC, datetime, timedelta

import pytest
from digest import schedule
from digest.subscribers import Subscriber

NOON = datetime(2025, 2, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "hour", "expected"),
    [
        ("UTC", 7, datetime(2025, 2, 4, 7, tzinfo=UTC)),
        ("UTC", 13, datetime(2025, 2, 3, 13, tzinfo=UTC)),
        ("Europe/Berlin", 7, datetime(2025, 2, 4, 6, tzinfo=UTC)),
        ("America/New_York", 8, datetime(2025, 2, 3, 13, tzinfo=UTC)),
    ],
)
def test_a_new_subscriber_is_planned_for_their_hour(zone, hour, expected):
    subscriber = Subscriber("a@example.com", time_zone=zone, hour=hour)

    assert schedule.first(subscriber, NOON) == expected


def test_a_weekly_digest_comes_on_its_day():
    subscriber = Subscriber("a@example.com", weekday=3)

    assert schedule.first(subscriber, NOON).weekday() == subscriber.weekday


def test_the_next_weekly_digest_is_a_week_later():
    subscriber = Subscriber("a@example.com", weekday=3, next_due=NOON)

    schedule.plan(subscriber, NOON)

    assert subscriber.next_due == NOON + timedelta(days=7)


def test_who_is_paused_is_never_due():
    assert list(schedule.due([Subscriber("a@example.com", paused=True)], NOON)) == []


def test_a_digest_that_is_half_a_day_late_is_skipped():
    subscriber = Subscriber("a@example.com", next_due=NOON - timedelta(hours=12))

    assert schedule.is_late(subscriber, NOON)
