"""Amazon S3 Vectors on one machine."""

from local.aws.vectors.service import S3Vectors

__all__ = ["S3Vectors"]
