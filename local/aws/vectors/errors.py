"""The errors of S3 Vectors.

Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_QueryVectors.html
"""

from local.aws.protocol import AwsError


def invalid(message: str) -> AwsError:
    """Say what about the request cannot be accepted."""
    return AwsError("ValidationException", message)


def not_found(what: str) -> AwsError:
    """Say that a vector bucket or an index does not exist."""
    return AwsError("NotFoundException", f"The specified {what} could not be found", 404)


def conflict(message: str) -> AwsError:
    """Say that something that exists is in the way."""
    return AwsError("ConflictException", message, 409)
