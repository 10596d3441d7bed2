"""AWS on one machine, spoken to by unmodified boto3."""

from local.aws.clock import Clock
from local.aws.local_aws import LocalAws, local_session

__all__ = ["Clock", "LocalAws", "local_session"]
