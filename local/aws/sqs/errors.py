"""The errors of SQS, in its own words.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
"""

from typing import Any

from local.aws.protocol import AwsError


def missing_parameter(name: str) -> AwsError:
    """Say that a parameter has to be there."""
    return AwsError("MissingParameter", f"The request must contain the parameter {name}.")


def invalid_parameter(message: str) -> AwsError:
    """Say that a parameter cannot be accepted."""
    return AwsError("InvalidParameterValue", message)


def invalid_value(value: Any, name: str, reason: str) -> AwsError:
    """Say which value of which parameter cannot be accepted, and why."""
    return invalid_parameter(f"Value {value} for parameter {name} is invalid. Reason: {reason}")


def queue_does_not_exist() -> AwsError:
    """Say that there is no such queue; boto3 raises it under the older code."""
    message = "The specified queue does not exist."
    return AwsError("QueueDoesNotExist", message, query_code="AWS.SimpleQueueService.NonExistentQueue")


def handle_expired(handle: str) -> AwsError:
    """Say that a message is no longer in flight under this receipt handle."""
    return invalid_value(handle, "ReceiptHandle", "The receipt handle has expired.")
