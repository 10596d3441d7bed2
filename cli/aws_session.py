"""Sessions of commands for operators: AWS as its CLI finds it, or an endpoint on this machine."""

import ipaddress
import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from cli.errors import CommandError
from local.aws import local_session
from local.aws.protocol import REGION

CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
"""An operator waits longer than a function does."""


@contextmanager
def aws_session(endpoint_url: str | None) -> Iterator[boto3.Session]:
    """A session in which clients are created; an endpoint on this machine has its key in the address.

    Raises CommandError if a client cannot be created.
    """
    try:
        if endpoint_url and _is_loopback(endpoint_url):
            yield local_session(urlsplit(endpoint_url).username or "local", os.environ.get("AWS_REGION") or REGION)
        else:
            # boto3 by itself knows only AWS_DEFAULT_REGION.
            yield boto3.Session(region_name=os.environ.get("AWS_REGION") or None)
    except BotoCoreError as error:
        raise CommandError(f"AWS cannot be used: {str(error).rstrip('.')}: set AWS_REGION or AWS_PROFILE.") from error


def without_key(endpoint_url: str | None) -> str | None:
    """The address of an endpoint without the key in it."""
    if endpoint_url is None:
        return None
    parts = urlsplit(endpoint_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
