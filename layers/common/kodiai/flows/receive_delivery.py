"""Receive a delivery: verify → read → decide → send. GitHub shows the answer in its webhook log."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kodiai.core.config.settings import BadParameters, RepositoryLists, WebhookSettings
from kodiai.core.errors import Broken, KodiaiError, Retry
from kodiai.core.events.decide import Ignored, decide
from kodiai.core.events.job import ForgetJob, Mention, QueuedJob
from kodiai.core.events.payloads import MAX_BODY_BYTES, Malformed, read_event
from kodiai.core.events.signature import check_signature

if TYPE_CHECKING:
    from kodiai.ports.jobs import JobQueue

UNAVAILABLE = "The queue or its settings cannot be reached. Nothing was done: redeliver this in some minutes."
BROKEN = "Something is wrong on our side and is in our log. Nothing was done: redeliver this once it is fixed."
NOT_BASE64 = "The body is not valid base64."
FIRST_PING = "The webhook arrives here. No secret is stored yet, so nothing else is accepted."

# A dot would be read as a continuation of a job.
_GUID = re.compile(r"[A-Za-z0-9-]{1,100}")
# https://docs.github.com/en/webhooks/webhook-events-and-payloads#delivery-headers
_OUR_APP = "x-github-hook-installation-target-id"
_EVENT_NAME = re.compile(r"[a-z0-9_]{1,100}")

WebhookOutcome = Literal["queued", "nothing", "refused", "unavailable", "broken"]


@dataclass(frozen=True)
class Delivery:
    """A webhook's request: headers by their names in lower case, and the body as it was sent."""

    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class WebhookResponse:
    """The answer to GitHub; `facts` (delivery, repository, …) are logged too, `cause` only: it may name internals."""

    status: int
    outcome: WebhookOutcome
    reason: str
    facts: Mapping[str, str | int] = field(default_factory=dict)
    cause: str | None = None


def receive_delivery(
    delivery: Delivery,
    read_settings: Callable[[], WebhookSettings],
    read_lists: Callable[[], RepositoryLists],
    queue: "JobQueue",
) -> WebhookResponse:
    """Answer a delivery; with 202 only after its one job is queued.

    A repository that the lists exclude costs no more than this answer. The functions behind the queues check them too,
    and make lists that cannot be read known: for them a message waits, and GitHub does not deliver again.
    GitHub does not deliver again by itself: after a failure on our side a sweep has it redelivered, or a person does.
    Source: https://docs.github.com/en/webhooks/using-webhooks/handling-failed-webhook-deliveries
    """
    if len(delivery.body) > MAX_BODY_BYTES:
        return WebhookResponse(413, "refused", f"The body is over {MAX_BODY_BYTES} bytes.", _facts(delivery))
    try:
        return _receive(delivery, read_settings(), read_lists, queue)
    except Retry as busy:
        return WebhookResponse(503, "unavailable", UNAVAILABLE, _facts(delivery), str(busy))
    except Broken as broken:
        facts = _facts(delivery)
        # GitHub sends its ping when the App is registered, before anybody can store the secret that signs it.
        if facts.get("event") == "ping" and isinstance(broken, BadParameters) and "webhook/secret" in broken.missing:
            return WebhookResponse(200, "nothing", FIRST_PING, facts)
        return WebhookResponse(500, "broken", BROKEN, facts, str(broken))


def _receive(
    delivery: Delivery, settings: WebhookSettings, read_lists: Callable[[], RepositoryLists], queue: "JobQueue"
) -> WebhookResponse:
    facts = _facts(delivery)
    mismatch = check_signature(delivery.body, delivery.headers.get("x-hub-signature-256"), settings.secrets())
    if mismatch is not None:
        return WebhookResponse(401, "refused", mismatch.value, facts)
    if "event" not in facts or "delivery" not in facts:
        return WebhookResponse(
            400, "refused", "The headers X-GitHub-Event and X-GitHub-Delivery are missing or malformed."
        )
    event = read_event(str(facts["event"]), delivery.body)
    if isinstance(event, Malformed):
        return WebhookResponse(400, "refused", event.reason, facts)
    job = decide(event, str(facts["delivery"]), delivery.headers.get(_OUR_APP))
    if isinstance(job, Ignored):
        return WebhookResponse(200, "nothing", job.reason, facts)
    facts |= {**job.facts, "trigger": job.trigger}
    excluded = _excluded(job, read_lists)
    if excluded is not None:
        return WebhookResponse(200, "nothing", f"{excluded}: nothing is done there.", facts)
    queue.send("mentions" if isinstance(job, Mention) else "reviews", job)
    return WebhookResponse(202, "queued", _promise(job), facts)


def _excluded(job: QueuedJob, read_lists: Callable[[], RepositoryLists]) -> str | None:
    """Say why nothing is done for a job's repository; what is stored is deleted whatever the lists say."""
    if not isinstance(job, ForgetJob):
        with suppress(KodiaiError):
            return read_lists().why_not(job.repository)
    return None


def _promise(job: QueuedJob) -> str:
    match job:
        case Mention():
            return f"The comment on {job.subject} is queued."
        case ForgetJob():
            return f"The data of {job.subject} will be deleted, unless they have the App."
    return f"The job for {job.subject} is queued."


def _facts(delivery: Delivery) -> dict[str, str | int]:
    """The delivery's GUID and its event's name, as far as they are valid."""
    forms = (("delivery", "x-github-delivery", _GUID), ("event", "x-github-event", _EVENT_NAME))
    return {name: text for name, header, form in forms if form.fullmatch(text := delivery.headers.get(header, ""))}
