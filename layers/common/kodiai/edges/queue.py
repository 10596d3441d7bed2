"""The queues in SQS: sending a job, and making a message wait.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/FIFO-queues.html
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, PartialCredentialsError

from kodiai.core.errors import Broken, Retry
from kodiai.core.events.job import Job

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

    from kodiai.ports import QueueName


MAX_DELAY_SECONDS = 43_200 - 900
"""SQS hides a message for twelve hours in all, of which a function may have held it fifteen minutes already."""

# The webhook has to be answered within ten seconds.
_CONFIG = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
_BUSY = frozenset(
    """
    InternalError InternalFailure OverLimit RequestThrottled ServiceUnavailable Throttling ThrottlingException
    """.split()
)


def connect_sqs() -> "SQSClient":
    """Connect to SQS, with short time-outs and one retry."""
    return boto3.client("sqs", config=_CONFIG)


class SqsJobQueue:
    """The FIFO queues where jobs wait; `urls` are theirs by name."""

    def __init__(self, client: "SQSClient", urls: "Mapping[QueueName, str]") -> None:
        self._client = client
        self._urls = urls

    def send(self, queue: "QueueName", job: Job) -> None:
        """Send one message; SQS drops a delivery's repeat for five minutes."""
        with _translated(f"The job cannot be put into the queue {queue}"):
            self._client.send_message(
                QueueUrl=self._urls[queue],
                MessageBody=job.to_message(),
                MessageGroupId=job.group_id,
                MessageDeduplicationId=job.delivery,
            )


class SqsVisibility:
    """How long the messages of one queue wait before they are seen again."""

    def __init__(self, client: "SQSClient", queue_url: str) -> None:
        self._client = client
        self._url = queue_url

    def delay(self, receipt_handle: str, seconds: float) -> None:
        """Show a received message again after so many seconds, at once for fewer than 0, in 11¾ hours for any more.

        Its group waits with it. Raises Broken where the receipt handle is no longer good.
        Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html
        """
        with _translated("The message cannot be made to wait"):
            self._client.change_message_visibility(
                QueueUrl=self._url,
                ReceiptHandle=receipt_handle,
                VisibilityTimeout=round(min(max(seconds, 0), MAX_DELAY_SECONDS)),
            )


@contextmanager
def _translated(what: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        status = error.response["ResponseMetadata"]["HTTPStatusCode"]
        if code.rsplit(".")[-1] in _BUSY or status >= 500:  # noqa: PLR2004  # HTTP's own number
            raise Retry(f"{what}: SQS says {code}.") from error
        raise Broken(f"{what}: SQS says {code}.") from error
    except (NoCredentialsError, PartialCredentialsError) as error:
        raise Broken(f"{what}: there are no credentials for AWS.") from error
    except BotoCoreError as error:
        raise Retry(f"{what}: {type(error).__name__}.") from error
