"""Amazon S3 Vectors on one machine."""
