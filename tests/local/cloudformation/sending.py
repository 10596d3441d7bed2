"""Sends a webhook to a deployed stack."""

import hashlib
import hmac
import json

import httpx


def webhook(url: str, secret: str) -> int:
    """Send a ping that is signed with a secret, and return the status of the answer."""
    body = json.dumps({"zen": "Keep it logically awesome.", "hook_id": 1}).encode()
    headers = {
        "content-type": "application/json",
        "x-github-event": "ping",
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "x-hub-signature-256": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
    }
    return httpx.post(url, content=body, headers=headers, trust_env=False, timeout=60).status_code
