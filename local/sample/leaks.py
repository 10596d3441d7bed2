"""Secrets for the sample, none of them real, put together only when the sample is made.

No file of this project holds one whole, so that no secret scanner stops the project itself.
"""

import base64
import hashlib
import re
from collections.abc import Mapping

_SLOT = re.compile(r"\{\{(\w+)\}\}")


def fill(text: str) -> str:
    """Put the secrets into the slots, `{{name}}`, of a text; raise KeyError for a name there is none of."""
    made = leaks()
    return _SLOT.sub(lambda slot: made[slot[1]], text)


def leaks() -> Mapping[str, str]:
    """Give each secret by the name of its slot; always the same ones."""
    noise = base64.b64encode(hashlib.sha512(b"harbour, a sample").digest() * 3).decode()
    kind = "RSA PRIVATE " + "KEY"
    title = f"-----BEGIN {kind}-----"
    key = [title, *(noise[start : start + 64] for start in range(0, 192, 64)), f"-----END {kind}-----"]
    return {
        "aws_key_id": "AKIA" + "HARBOUR" + "NOTREAL77",
        "aws_secret": noise[5:45],
        "github_token": "ghp_" + "HarbourSampleTokenNotReal" + "0123456789A",
        "private_key": "\n".join(f"    {line}" for line in key),
        "private_key_title": title,
    }
