"""Shared by the edges over HTTPS: the trusted authorities, and the wait that a service asks for."""

import ssl
import time
from email.utils import parsedate_to_datetime
from functools import cache

import httpx

_LONGEST_WAIT_SECONDS = 86_400.0


@cache
def trusted() -> ssl.SSLContext:
    """The trusted authorities; read once, because that takes 25 milliseconds, and each event makes clients."""
    return httpx.create_ssl_context()


def read_retry_after(text: str) -> float | None:
    """Read a `retry-after`, a number of seconds or a date, in seconds; None if it is no time to wait.

    The longest wait is a day.
    Source: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
    """
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(seconds, _LONGEST_WAIT_SECONDS) if seconds > 0 else None
