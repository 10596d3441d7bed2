"""A ping as GitHub sends it, to see whether webhooks arrive and are accepted.

Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#ping
"""

import hashlib
import hmac
import json
import uuid

import httpx

from cli.errors import CommandError

_TIMEOUT_SECONDS = 15
_SAID = 300  # characters


def send_ping(url: str, secret: str) -> None:
    """Send a signed ping. Raises CommandError, with what was answered, unless it is accepted."""
    body = json.dumps({"zen": "Keep it logically awesome."}).encode()
    headers = {
        "Content-Type": "application/json",
        "X-GitHub-Event": "ping",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-Hub-Signature-256": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
    }
    try:
        response = httpx.post(url, content=body, headers=headers, timeout=_TIMEOUT_SECONDS)
    except httpx.HTTPError as error:
        raise CommandError(f"{url} cannot be reached: {error}") from error
    if not response.is_success:
        raise CommandError(f"{url} answered {response.status_code}: {response.text[:_SAID]}")
