"""The meaning of GitHub's refusals, and of its being busy.

References: https://docs.github.com/en/rest?apiVersion=2026-03-10 and https://docs.github.com/en/graphql/reference
"""

import re
import time
from collections.abc import Sequence
from typing import Any

import httpx

from kodiai.core.errors import Broken, Refused, Retry
from kodiai.core.json_object import JsonObject
from kodiai.core.text.secrets import masked
from kodiai.edges.https import read_retry_after

# What GitHub asks for where it limits without saying how long, and the longest that a primary limit lasts.
# https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
_LIMITED_SECONDS = 60.0
_PRIMARY_SECONDS = 3_600.0
_LIMITED = re.compile(r"secondary rate limit|submitted too quickly", re.IGNORECASE)
_SAID = 500  # characters of what GitHub says
# The types of GraphQL's errors.
LIMITS = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
NOT_PERMITTED = frozenset({"FORBIDDEN", "INSUFFICIENT_SCOPES"})


class Missing(Refused):
    """404: there is no such thing, or we may not see it."""


class Unauthorized(Retry):
    """401: GitHub does not take our credentials, which may be new."""


class Unprocessable(Refused):
    """422: GitHub read the request and refuses its content; `complaints` are its sentences about it."""

    def __init__(self, said: str, complaints: Sequence[str]) -> None:
        super().__init__(said)
        self.complaints = complaints


class Transient(Retry):
    """A failure that may be over at the next try."""


def translate_status(response: httpx.Response) -> Exception:
    """Say what an error answer means: wait, give up, or go on without."""
    status, body = response.status_code, _body(response)
    errors = body.get("errors")
    complaints = [_complaint(error) for error in errors] if isinstance(errors, list) else []
    said = masked(": ".join([str(body.get("message") or response.reason_phrase), *complaints])[:_SAID])
    wait = _wait_seconds(response, said)
    if status >= 500 and wait is None:  # noqa: PLR2004 - HTTP status codes, here and below
        return Transient(f"GitHub is busy: {status} {said}")
    if status >= 500 or status in (408, 409, 429) or (status == 403 and wait is not None):  # noqa: PLR2004
        return Retry(f"GitHub is busy: {status} {said}", after_seconds=wait)
    if status in (404, 410):
        return Missing(f"GitHub says {status} {said}: it is gone, or the App may not see it")
    if status == 422:  # noqa: PLR2004
        limited = _LIMITED.search(said)
        return Retry(f"GitHub is busy: {said}", after_seconds=wait) if limited else Unprocessable(said, complaints)
    if status == 401:  # noqa: PLR2004
        return Unauthorized(f"GitHub does not take our token: {said}", after_seconds=1)
    return Refused(f"GitHub says {status} {said}: look at what the App or the token is permitted here")


def translate_errors(errors: Sequence[JsonObject]) -> Exception:
    """Say what the errors in an answer of GraphQL mean."""
    kinds = {error.get("type") for error in errors}
    said = masked("; ".join(str(error.get("message", "")) for error in errors)[:_SAID])
    if kinds & LIMITS:
        return Retry(f"GitHub is busy: {said}", after_seconds=_LIMITED_SECONDS)
    if "NOT_FOUND" in kinds:
        return Missing(f"GitHub says {said}: it is gone, or the App may not see it")
    if kinds & NOT_PERMITTED:
        return Refused(f"GitHub says {said}: look at what the App or the token is permitted here")
    if kinds == {None}:
        return Retry(f"GitHub could not answer: {said}")
    return Broken(f"GitHub refused the request: {said}")


def _wait_seconds(response: httpx.Response, said: str) -> float | None:
    """The seconds for which GitHub asks us to wait, None where it does not.

    Source: https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    retry_after = response.headers.get("retry-after")
    if retry_after is not None:
        return read_retry_after(retry_after) or _LIMITED_SECONDS
    if response.headers.get("x-ratelimit-remaining") == "0":
        try:
            left = float(response.headers.get("x-ratelimit-reset", "")) - time.time()
        except ValueError:
            return _LIMITED_SECONDS
        return min(max(1.0, left), _PRIMARY_SECONDS)
    return _LIMITED_SECONDS if response.status_code == 429 or _LIMITED.search(said) else None  # noqa: PLR2004


def _complaint(error: Any) -> str:
    """GitHub's complaint: about a review a sentence, about most other things by field."""
    if not isinstance(error, dict):
        return str(error)
    field, text = str(error.get("field", "")), str(error.get("message") or error.get("code", ""))
    return text if text.startswith(field) else f"{field} {text}"


def _body(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
