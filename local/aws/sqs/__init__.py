"""Amazon SQS on one machine: FIFO queues."""

from local.aws.sqs.service import Sqs

__all__ = ["Sqs"]
