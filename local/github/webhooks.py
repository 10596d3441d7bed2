"""Webhook deliveries: signed, sent one after another, logged, and never repeated unless asked."""

import hashlib
import hmac
import json
import queue
import ssl
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

import httpx

TIMEOUT_SECONDS = 10
_LARGEST_LOGGED_ANSWER = 10_000


@dataclass
class Delivery:
    """One attempt to deliver. `status` is None until it is answered, and 0 where nobody answered (`error` says why).

    `at` is in epoch seconds, `duration` in seconds. A redelivery keeps its GUID and its bytes.
    """

    id: int
    guid: str
    event: str
    action: str
    payload: dict[str, Any]
    raw: bytes
    at: float
    redelivery: bool = False
    status: int | None = None
    response: str = ""
    error: str | None = None
    duration: float = 0.0


@cache
def _trusted() -> ssl.SSLContext:
    """Reading the certificates takes longer than starting all the rest, so it happens once."""
    return ssl.create_default_context()


class Postman:
    """The background thread that carries deliveries to one address, in order.

    Source: https://docs.github.com/webhooks/webhook-events-and-payloads#delivery-headers
    """

    def __init__(self, url: str | None, secret: str, app: int, hook: int, clock: Callable[[], float]) -> None:
        self.url = url
        self.secret = secret
        self.deliveries: list[Delivery] = []
        self._app, self._hook, self._clock = app, hook, clock
        self._ids = count(5_000_001)
        self._ended = threading.Event()
        self._waiting: queue.Queue[Delivery | None] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def start(self) -> None:
        """Begin to carry."""
        self._thread.start()

    def stop(self) -> None:
        """Carry what is waiting no further, and end."""
        self._ended.set()
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join(TIMEOUT_SECONDS + 1)

    def post(self, event: str, action: str, payload: dict[str, Any]) -> Delivery:
        """Put a payload in line; without an address it is logged only."""
        raw = json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode()
        return self._put(Delivery(next(self._ids), str(uuid.uuid4()), event, action, payload, raw, self._clock()))

    def post_again(self, old: Delivery) -> Delivery:
        """Put the same delivery in line once more."""
        again = Delivery(
            next(self._ids), old.guid, old.event, old.action, old.payload, old.raw, self._clock(), redelivery=True
        )
        return self._put(again)

    def settle(self, seconds: float) -> bool:
        """Wait until everything in line was answered; False where the time was too short."""
        until = time.monotonic() + seconds
        with self._waiting.all_tasks_done:
            while self._waiting.unfinished_tasks:
                left = until - time.monotonic()
                if left <= 0:
                    return False
                self._waiting.all_tasks_done.wait(left)
        return True

    def _put(self, delivery: Delivery) -> Delivery:
        self.deliveries.append(delivery)
        self._waiting.put(delivery)
        return delivery

    def _run(self) -> None:
        with httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False, verify=_trusted()) as client:
            while (delivery := self._waiting.get()) is not None:
                if self.url is not None and not self._ended.is_set():
                    self._deliver(client, self.url, delivery)
                self._waiting.task_done()
            self._waiting.task_done()

    def _deliver(self, client: httpx.Client, url: str, delivery: Delivery) -> None:
        begun = time.monotonic()
        try:
            response = client.post(url, content=delivery.raw, headers=self._headers(delivery))
        except httpx.HTTPError as error:
            delivery.status, delivery.error = 0, str(error) or type(error).__name__
        else:
            delivery.response = response.text[:_LARGEST_LOGGED_ANSWER]
            delivery.status = response.status_code
        delivery.duration = time.monotonic() - begun

    def _headers(self, delivery: Delivery) -> dict[str, str]:
        headers = {
            "Accept": "*/*",
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/044aadd",
            "X-GitHub-Delivery": delivery.guid,
            "X-GitHub-Event": delivery.event,
            "X-GitHub-Hook-ID": str(self._hook),
            "X-GitHub-Hook-Installation-Target-ID": str(self._app),
            "X-GitHub-Hook-Installation-Target-Type": "integration",
        }
        if self.secret:
            headers["X-Hub-Signature"] = f"sha1={self._sign(delivery.raw, 'sha1')}"
            headers["X-Hub-Signature-256"] = f"sha256={self._sign(delivery.raw, 'sha256')}"
        return headers

    def _sign(self, raw: bytes, digest: str) -> str:
        return hmac.new(self.secret.encode(), raw, getattr(hashlib, digest)).hexdigest()
