"""Which webhooks were lost, as GitHub's log of deliveries says, and which of them are worth a redelivery."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from kodiai.core.events.decide import may_lead_to_something

LISTED_SECONDS = 3 * 86_400
"""The time for which GitHub lists a delivery and delivers it again.

Source: https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks
"""

FAILED_AGAIN = "failed again"
UNUSABLE = "refused for good"
UNUSED = "not used"

_FIRST_FAILURE = 400
# What is wrong with the request itself stays wrong: 400 is malformed, 413 too large. A signature that is refused now
# (401) may be accepted once the secret is right, a path that is not there (404) once the address is.
_FOR_GOOD = frozenset({400, 413})


@dataclass(frozen=True)
class LoggedDelivery:
    """One attempt of GitHub to deliver a webhook; a redelivery has the `guid` of the first attempt.

    `delivered_at` is in seconds since the epoch. `status_code` is 0 where nobody answered.
    Source: https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook
    """

    id: int
    guid: str
    delivered_at: float
    redelivery: bool
    status_code: int
    event: str
    action: str | None = None

    @property
    def succeeded(self) -> bool:
        """Whether it was accepted."""
        return 0 < self.status_code < _FIRST_FAILURE


@dataclass(frozen=True)
class Failures:
    """The webhooks that did not arrive: those to deliver again, oldest first, and how many not, by the reason.

    `last_success` is when a webhook arrived last, 0 if none did.
    """

    due: tuple[LoggedDelivery, ...]
    given_up: Mapping[str, int]
    last_success: float


def failures(log: Iterable[LoggedDelivery]) -> Failures:
    """Find what did not arrive in a part of the log, which reaches up to its newest entry.

    What was redelivered before, by anybody, is not redelivered again. What failed before that part is not looked at.
    """
    entries = sorted(log, key=_order)
    guid = attrgetter("guid")
    due: list[LoggedDelivery] = []
    given_up: Counter[str] = Counter()
    for _, attempts in groupby(sorted(entries, key=guid), key=guid):
        first, *others = attempts
        if first.redelivery or any(each.succeeded for each in (first, *others)):
            continue
        reason = _reason(first, was_repeated=bool(others))
        if reason is None:
            due.append(first)
        else:
            given_up[reason] += 1
    arrived = (each.delivered_at for each in entries if each.succeeded)
    due.sort(key=_order)
    return Failures(tuple(due), given_up, max(arrived, default=0.0))


def _order(delivery: LoggedDelivery) -> tuple[float, int]:
    """GitHub tells times by the second."""
    return delivery.delivered_at, delivery.id


def _reason(delivery: LoggedDelivery, *, was_repeated: bool) -> str | None:
    """Why it is not delivered again, None if it is."""
    if not may_lead_to_something(delivery.event, delivery.action):
        return UNUSED
    if delivery.status_code in _FOR_GOOD:
        return UNUSABLE
    return FAILED_AGAIN if was_repeated else None
