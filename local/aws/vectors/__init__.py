"""Amazon S3 Vectors on one machine."""

from local.aws.vectors.service import LARGEST_REQUEST, S3Vectors

__all__ = ["LARGEST_REQUEST", "S3Vectors"]
