"""Webhook deliveries: signed, sent one after another, logged, and repeated only by a redelivery."""

import hashlib
import hmac
import json
import threading
import time
import uuid
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import httpx

from local.github.hosted_repository import HostedRepository
from local.recent import Recent

TIMEOUT_SECONDS = 10
_LONGEST_LOGGED_ANSWER = 10_000
_FIRST_ID = 5_000_001
# Compressed, most have two or three thousand bytes.
MOST_DELIVERIES, _MOST_BYTES = 20_000, 64_000_000


@dataclass
class Delivery:
    """One attempt to deliver. `status` is None until it is answered, and 0 where nobody answered (`error` says why).

    `packed` is what is sent, compressed: there may be many of them. `at` is in epoch seconds, `duration` in seconds.
    A redelivery keeps its GUID and its bytes.
    """

    id: int
    guid: str
    event: str
    action: str
    packed: bytes
    at: float
    redelivery: bool = False
    status: int | None = None
    response: str = ""
    error: str | None = None
    duration: float = 0.0

    @property
    def raw(self) -> bytes:
        """The bytes that are sent."""
        return zlib.decompress(self.packed)

    @property
    def payload(self) -> dict[str, Any]:
        """The JSON that is sent."""
        payload: dict[str, Any] = json.loads(self.raw)
        return payload

    @cached_property
    def subject(self) -> "Subject":
        """The subject; read once, since all deliveries are searched by it."""
        payload = self.payload
        repository = payload.get("repository", {})
        return Subject(payload.get("installation", {}).get("id"), repository.get("id"), _pull_request(payload))


@dataclass(frozen=True)
class Subject:
    """The ids of the installation and the repository, and the number of the pull request; None where there is none."""

    installation: int | None
    repository: int | None
    pull_request: int | None


def packed(raw: bytes) -> bytes:
    """Compress what is sent."""
    return zlib.compress(raw, zlib.Z_BEST_SPEED)


def delivery_log(deliveries: Iterable[Delivery] = ()) -> Recent[Delivery]:
    """A log with these deliveries, oldest first."""
    log: Recent[Delivery] = Recent(MOST_DELIVERIES, _MOST_BYTES)
    for delivery in deliveries:
        log.append(delivery, len(delivery.packed))
    return log


class WebhookSender:
    """The background thread that sends deliveries to the App's address, in order.

    Without an address a delivery is logged only, or, where it `waits_for_url`, stays queued until there is one.
    `deliveries` are those of earlier times, of which the unanswered ones are sent first.
    Source: https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
    """

    def __init__(
        self,
        repository: HostedRepository,
        deliveries: Recent[Delivery],
        *,
        waits_for_url: bool = False,
    ) -> None:
        self.deliveries = deliveries
        self._repository, self._waits_for_url = repository, waits_for_url
        self._queue = deque(delivery for delivery in deliveries.kept if delivery.status is None)
        self._changed = threading.Condition()
        self._ended = False
        self._holds = False
        self._to_lose = 0
        self._is_sending = False
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def look_again(self) -> None:
        """Send what waited for an address, if the App has one now."""
        with self._changed:
            self._changed.notify_all()

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def stop(self) -> None:
        """End; what is still queued is not sent."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread.is_alive():
            self._thread.join(TIMEOUT_SECONDS + 1)

    def send(self, event: str, action: str, payload: dict[str, Any]) -> Delivery:
        """Queue a payload."""
        raw = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
        now = self._repository.now()
        return self._put(Delivery(self._new_id(), str(uuid.uuid4()), event, action, packed(raw), now))

    def redeliver(self, old: Delivery) -> Delivery:
        """Send the same delivery once more, before those that wait."""
        again = Delivery(
            self._new_id(), old.guid, old.event, old.action, old.packed, self._repository.now(), redelivery=True
        )
        return self._put(again, is_urgent=True)

    def lose_next(self, times: int) -> None:
        """Let the next deliveries get no answer: nobody hears of them."""
        with self._changed:
            self._to_lose += times

    @contextmanager
    def shuffled(self, order: Random) -> Iterator[None]:
        """Within, deliveries wait; then all that wait are sent in another order. GitHub promises none.

        Source: https://docs.github.com/webhooks/using-webhooks/best-practices-for-using-webhooks
        """
        with self._changed:
            self._changed.wait_for(lambda: not self._is_sending)
            self._holds = True
        try:
            yield
        finally:
            with self._changed:
                order.shuffle(waiting := list(self._queue))
                self._queue = deque(waiting)
                self._holds = False
                self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until everything in the queue that has an address was answered; False where that took longer."""
        with self._changed:
            return self._changed.wait_for(lambda: self._ended or not self._is_due(), seconds)

    def _new_id(self) -> int:
        return self.deliveries[-1].id + 1 if self.deliveries else _FIRST_ID

    def _put(self, delivery: Delivery, *, is_urgent: bool = False) -> Delivery:
        with self._changed:
            self.deliveries.append(delivery, len(delivery.packed))
            self._queue.insert(int(self._is_sending) if is_urgent else len(self._queue), delivery)
            self._changed.notify_all()
        return delivery

    def _is_due(self) -> bool:
        has_address = self._repository.app.hook_url is not None or not self._waits_for_url
        return bool(self._queue) and not self._holds and has_address

    def _run(self) -> None:
        # The address is on this machine; not to read the machine's certificates saves more than all the rest takes.
        with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False, verify=False) as client:  # noqa: S501
            while (due := self._next()) is not None:
                delivery, url = due
                if url is not None:
                    self._deliver(client, url, delivery)
                with self._changed:
                    self._queue.popleft()
                    self._is_sending = False
                    self._changed.notify_all()

    def _next(self) -> tuple[Delivery, str | None] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._is_due())
            if self._ended:
                return None
            self._is_sending = True
            return self._queue[0], self._repository.app.hook_url

    def _deliver(self, client: httpx.Client, url: str, delivery: Delivery) -> None:
        with self._repository.lock:
            pass  # what this delivery reports is over and stored now: nothing is sent that a kill could undo
        begun = time.monotonic()
        try:
            if self._is_lost():
                raise httpx.ConnectError("failed to connect to host")
            response = client.post(url, content=delivery.raw, headers=self._headers(delivery))
            status, text, error = response.status_code, response.text[:_LONGEST_LOGGED_ANSWER], None
        except httpx.HTTPError as failed:
            status, text, error = 0, "", str(failed) or type(failed).__name__
        with self._repository.acting():
            delivery.status, delivery.response, delivery.error = status, text, error
            delivery.duration = time.monotonic() - begun

    def _is_lost(self) -> bool:
        with self._changed:
            is_lost, self._to_lose = self._to_lose > 0, max(0, self._to_lose - 1)
            return is_lost

    def _headers(self, delivery: Delivery) -> dict[str, str]:
        headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/044aadd",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(self._repository.app.hook),
            "X-GitHub-Hook-Installation-Target-ID": str(self._repository.app.id),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
        }
        if secret := self._repository.app.hook_secret:
            signature = hmac.new(secret.encode(), delivery.raw, hashlib.sha256).hexdigest()
            headers["X-Hub-Signature-256"] = f"sha256={signature}"
        return headers


def _pull_request(payload: dict[str, Any]) -> int | None:
    """The number of the pull request; our check runs have it in their external id, and merge groups in their branch."""
    for name in ("pull_request", "issue"):
        if name in payload:
            return int(payload[name]["number"])
    for pull in payload.get("check_suite", {}).get("pull_requests", ()):
        return int(pull["number"])
    named = str(payload.get("check_run", {}).get("external_id") or "").partition("#")[2].partition("@")[0]
    number = named or payload.get("merge_group", {}).get("head_ref", "").rpartition("/pr-")[2].partition("-")[0]
    return int(number) if number.isdecimal() else None
