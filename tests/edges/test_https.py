"""The wait that a server asks for with the header `retry-after`."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from kodiai.edges.https import read_retry_after
from tests.tables import each_row


@each_row(
    ("header", "seconds"),
    [
        ("37", 37),
        ("2.5", 2.5),
        ("Sat, 31 Dec 9999 23:59:59 GMT", 86_400),
        ("9" * 400, 86_400),
        *((nonsense, None) for nonsense in ("", "soon", "0", "-5", "nan", "Wed, 99 Oct 2015")),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_a_wait_is_understood_in_every_form(header: str, seconds: float | None) -> None:
    """Seconds or a date, at most a day; a wait that makes no sense is none."""
    assert read_retry_after(header) == seconds


def test_a_wait_until_a_date_ends_then() -> None:
    """By our own clock."""
    in_an_hour = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)

    assert 3_540 < (read_retry_after(in_an_hour) or 0) <= 3_600
