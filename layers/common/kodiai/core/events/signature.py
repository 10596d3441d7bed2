"""Whether a webhook's body was signed by GitHub, which is checked first."""

import hashlib
import hmac
import re
from collections.abc import Iterable
from enum import StrEnum

_HEADER = re.compile(r"sha256=([0-9a-fA-F]{64})")


class SignatureMismatch(StrEnum):
    """Why a signature is refused; the value is the sentence in the webhook log."""

    MISSING = "The header X-Hub-Signature-256 is missing: set a secret in the webhook's settings."
    MALFORMED = "The header X-Hub-Signature-256 is not “sha256=” and 64 hexadecimal digits."
    WRONG = "The signature does not match the body: the webhook's secret is another one than ours."


def check_signature(body: bytes, header: str | None, secrets: Iterable[str]) -> SignatureMismatch | None:
    """Check the signature against each secret in constant time; None means that one of them signed these bytes.

    `body` is as received, byte for byte; `secrets` are the current one and, while it is rotated, the previous one.
    Source: https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    """
    if header is None:
        return SignatureMismatch.MISSING
    match = _HEADER.fullmatch(header)
    if match is None:
        return SignatureMismatch.MALFORMED
    given = bytes.fromhex(match[1])
    # Every secret is tried, so that the time taken does not tell which one signed.
    matches = [hmac.compare_digest(sign(body, secret), given) for secret in secrets]
    return None if any(matches) else SignatureMismatch.WRONG


def sign(body: bytes, secret: str) -> bytes:
    """Sign a body as GitHub does: HMAC-SHA-256, 32 bytes."""
    return hmac.digest(secret.encode(), body, hashlib.sha256)
