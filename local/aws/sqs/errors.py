"""The errors of SQS, in its own words.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/CommonErrors.html
"""

from typing import Any

from local.aws.protocol import AwsError

_NAMESPACE = "AWS.SimpleQueueService."


def missing_parameter(name: str) -> AwsError:
    """Say that a parameter has to be there."""
    return AwsError("MissingParameter", f"The request must contain the parameter {name}.")


def invalid_parameter(message: str) -> AwsError:
    """Say that a parameter cannot be accepted."""
    return AwsError("InvalidParameterValue", message)


def invalid_value(value: Any, name: str, reason: str) -> AwsError:
    """Say which value of which parameter cannot be accepted, and why."""
    return invalid_parameter(f"Value {value} for parameter {name} is invalid. Reason: {reason}")


def invalid_attribute_value(name: str) -> AwsError:
    """Say that a queue cannot have this value of an attribute."""
    return AwsError("InvalidAttributeValue", f"Invalid value for the parameter {name}.")


def unknown_attribute(name: str) -> AwsError:
    """Say that queues have no attribute of this name."""
    return AwsError("InvalidAttributeName", f"Unknown Attribute {name}.")


def queue_does_not_exist() -> AwsError:
    """Say that there is no such queue; the older protocol calls this NonExistentQueue."""
    message = "The specified queue does not exist."
    return AwsError("QueueDoesNotExist", message, query_code=f"{_NAMESPACE}NonExistentQueue")


def queue_name_exists(attribute: str) -> AwsError:
    """Say that a queue of this name exists with other settings."""
    message = f"A queue already exists with the same name and a different value for attribute {attribute}"
    return AwsError("QueueNameExists", message, query_code="QueueAlreadyExists")


def namespaced(code: str, message: str) -> AwsError:
    """Make one of the errors whose older code is the new one behind a prefix."""
    return AwsError(code, message, query_code=f"{_NAMESPACE}{code}")


def resource_not_found(message: str) -> AwsError:
    """Say that the queue or task of a redrive does not exist."""
    return AwsError("ResourceNotFoundException", message, 404)


def handle_expired(handle: str) -> AwsError:
    """Say that a FIFO message is no longer in flight under this receipt handle."""
    return invalid_value(handle, "ReceiptHandle", "The receipt handle has expired.")
