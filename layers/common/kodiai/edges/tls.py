"""What the other end of an HTTPS connection is checked with."""

import ssl
from functools import cache

import httpx


@cache
def trusted() -> ssl.SSLContext:
    """The authorities that are trusted; read once, because that takes 25 milliseconds, and each event makes clients."""
    return httpx.create_ssl_context()
