"""AWS on one machine, spoken to by unmodified boto3."""

from local.aws.clock import Clock
from local.aws.server import LocalAws

__all__ = ["Clock", "LocalAws"]
