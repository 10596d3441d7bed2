"""The MD5 sums that SQS answers with and SDKs compare."""

import base64
import hashlib

from local.aws.protocol import Json


def md5_of_text(text: str) -> str:
    """Return the MD5 of a message body, in hexadecimal."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def md5_of_attributes(attributes: Json) -> str:
    """Return the MD5 over message attributes: sorted by name, each part led by its length in four bytes.

    Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
    """
    digest = hashlib.md5(usedforsecurity=False)
    for name in sorted(attributes):
        value = attributes[name]
        digest.update(_measured(name.encode()) + _measured(value["DataType"].encode()))
        kind = b"\x02" if value["DataType"].startswith("Binary") else b"\x01"
        digest.update(kind + _measured(attribute_bytes(value)))
    return digest.hexdigest()


def attribute_bytes(value: Json) -> bytes:
    """Return the bytes that one message attribute carries."""
    if value["DataType"].startswith("Binary"):
        return base64.b64decode(value["BinaryValue"])
    return str(value["StringValue"]).encode()


def _measured(part: bytes) -> bytes:
    return len(part).to_bytes(4, "big") + part
