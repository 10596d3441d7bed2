"""How long a service asks to be left alone, as the headers of its answers say it."""

import time
from email.utils import parsedate_to_datetime

_LONGEST_WAIT_SECONDS = 86_400.0


def read_retry_after(text: str, unit: float = 1.0) -> float | None:
    """Read a `retry-after`: a number of units, or the date when they are over; None where that is no time to wait.

    Nobody is believed who asks for more than a day.
    Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    try:
        seconds = float(text) * unit
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(seconds, _LONGEST_WAIT_SECONDS) if seconds > 0 else None
