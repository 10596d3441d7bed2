"""The queues in SQS: sending a job, delaying a message, and sending one to the dead letters.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues.html
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kodiai.core.events.job import QueuedJob
from kodiai.edges.aws import QUICK, connect, translated

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from kodiai.ports.jobs import QueueName


MAX_DELAY_SECONDS = 43_200 - 900
"""SQS hides a message for twelve hours in all, of which a function may have held it fifteen minutes already."""

# The only characters that JSON may hold and SQS refuses:
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
_ESCAPED = str.maketrans({"\ufffe": r"\ufffe", "\uffff": r"\uffff"})
_LONGEST_REASON = 1_000


def connect_sqs() -> "SQSClient":
    """Connect to SQS, with short time-outs and one retry."""
    client: SQSClient = connect("sqs", QUICK)
    return client


class SqsJobQueue:
    """The port `JobQueue`: FIFO queues; `urls` are the queues' by name."""

    def __init__(self, client: "SQSClient", urls: "Mapping[QueueName, str]") -> None:
        self._client = client
        self._urls = urls

    def send(self, queue: "QueueName", job: QueuedJob) -> None:
        with translated(f"The job cannot be sent to the queue {queue}", "SQS"):
            self._client.send_message(
                QueueUrl=self._urls[queue],
                MessageBody=job.to_message().translate(_ESCAPED),
                MessageGroupId=job.group_id,
                MessageDeduplicationId=job.deduplication_id,
            )


class SqsMessages:
    """The received messages of one queue; `attempts` is how often one is tried."""

    def __init__(self, client: "SQSClient", queue_url: str, dead_queue_url: str, attempts: int) -> None:
        self._client = client
        self._url = queue_url
        self._dead_url = dead_queue_url
        self.attempts = attempts

    def delay(self, receipt_handle: str, seconds: float) -> None:
        """Deliver a received message again after this number of seconds: at least 0, at most 11¾ hours.

        Its group waits with it. Raises Broken where the receipt handle is no longer good.
        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
        """
        with translated("The message cannot be delayed", "SQS"):
            self._client.change_message_visibility(
                QueueUrl=self._url,
                ReceiptHandle=receipt_handle,
                VisibilityTimeout=round(min(max(seconds, 0), MAX_DELAY_SECONDS)),
            )

    def send_to_dlq(self, record: Mapping[str, Any], outcome: str, reason: str) -> None:
        """Put a copy of a message, as Lambda hands it over, into the dead-letter queue, with what went wrong.

        The same message sent there twice within five minutes is there once.
        Source: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html
        """
        attributes = {
            "outcome": outcome,
            "reason": _one_line(reason),
            "attempts": record["attributes"]["ApproximateReceiveCount"],
        }
        with translated("The message cannot be sent to the dead letters", "SQS"):
            self._client.send_message(
                QueueUrl=self._dead_url,
                MessageBody=record["body"],
                MessageGroupId=record["attributes"]["MessageGroupId"],
                MessageDeduplicationId=record["messageId"],
                MessageAttributes={
                    name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()
                },
            )


def _one_line(text: str) -> str:
    """The text in a form that SQS takes as an attribute: not empty, no control characters."""
    line = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return line[:_LONGEST_REASON] or "no reason"
