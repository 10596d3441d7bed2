"""The dead letters in SQS: messages that could not be processed, as an operator reads and redrives them.

Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from botocore.exceptions import BotoCoreError, ClientError

from kodiai.core.errors import Broken
from kodiai.core.events.job import ForgetJob, Job, Mention, MergeGroupJob, QueuedJob, RerunJob

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.type_defs import MessageTypeDef

    from kodiai.ports.jobs import QueueName

HELD_SECONDS = 30
"""The time for which a received dead letter is hidden from others, should we be killed before we give it back."""

_BATCH = 10  # the most that SQS hands out, releases or deletes at once


@dataclass(frozen=True)
class DeadLetter:
    """One message that could not be processed.

    `id` is the message's in the dead-letter queue, `queue` the name of the queue it came from, `sent` when it got here.
    `received` counts every receive, ours included, and of a message that SQS moved also those before.
    `outcome` is "broken", "retry" or "crashed", None if the function gave none. `attempts` counts the tries, None if
    their number is unknown. `job` is None if the body is not one.
    """

    id: str
    queue: str
    group: str
    sent: datetime
    received: int
    outcome: str | None
    reason: str
    attempts: int | None
    body: str
    job: QueuedJob | None


class DeadLetters:
    """The dead letters of one queue: `dead` is the URL of where they are, `source` of where they came from.

    Reading them means receiving: they are hidden meanwhile, and released at the end. SQS hands out at most ten of one
    group until these are deleted, so there may be more than can be read: `count` counts all.
    StartMessageMoveTask is no alternative: it ignores what the function sent here itself, reports nothing about a
    single message, and goes on after it has answered.
    `wait_seconds` is how long to wait for a message: more than 0 asks all of SQS's servers, not a few of them.
    Every method raises Broken, in words for an operator, where SQS refuses or cannot be reached.
    """

    def __init__(self, client: "SQSClient", dead: str, source: str, *, wait_seconds: int = 1) -> None:
        self._client = client
        self._dead = dead
        self._source = source
        self._wait = wait_seconds
        self._handles: dict[str, str] = {}  # of the received messages, by message id
        self._resent: set[str] = set()  # the ids under which messages went back
        self._again: set[str] = set()  # the redriven ones that came back

    @classmethod
    def of_stage(cls, client: "SQSClient", stage: str, queue: "QueueName") -> Self:
        """Find both queues of a deployment by their names."""
        urls = []
        for name in (f"kodiai-{stage}-{queue}-dead.fifo", f"kodiai-{stage}-{queue}.fifo"):
            with _translated(f"The queue {name} cannot be found in {client.meta.region_name}"):
                urls.append(client.get_queue_url(QueueName=name)["QueueUrl"])
        return cls(client, *urls)

    @property
    def queue(self) -> str:
        """The name of the queue that they came from."""
        return self._source.rpartition("/")[2]

    def count(self) -> int:
        """The number of them, with those that cannot be read now; SQS may be late by a minute."""
        with _translated(f"The dead letters of {self.queue} cannot be counted"):
            known = self._client.get_queue_attributes(
                QueueUrl=self._dead,
                AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
            )
        return sum(int(number) for number in known["Attributes"].values())

    def list(self) -> tuple[DeadLetter, ...]:
        """Read all that can be read, each group in its order."""
        with self.held() as found:
            return found

    @contextmanager
    def held(self) -> Iterator[tuple[DeadLetter, ...]]:
        """Read all that can be read and hold it until the end, to be redriven."""
        with self._given_back():
            yield tuple(self._receive_all())

    @contextmanager
    def ten_at_a_time(self) -> Iterator[Iterator[DeadLetter]]:
        """Hold at most ten while these are redriven, then the next, until there are none: this redrives all."""
        with self._given_back():
            yield (letter for batch in iter(self._receive, ()) for letter in batch)

    def redrive(self, letter: DeadLetter) -> bool:
        """Put a held letter back into its queue as a new message; False where we did so and it came back.

        It is sent, then deleted. If we are killed in between, it is still here, and for five minutes SQS drops what
        the next redrive sends, since its deduplication id follows from the message's id. After that it is sent twice.
        The function's attributes are not sent along, or SQS would bring them back with the message.
        """
        if letter.id in self._again:
            return False
        with _translated(f"The dead letter {letter.id} cannot be put back"):
            handle = self._handles[letter.id]
            # Nothing is sent that somebody else may hold by now.
            self._client.change_message_visibility(
                QueueUrl=self._dead, ReceiptHandle=handle, VisibilityTimeout=HELD_SECONDS
            )
            sent = self._client.send_message(
                QueueUrl=self._source,
                MessageBody=letter.body,
                MessageGroupId=letter.group,
                MessageDeduplicationId=f"{letter.id}.redriven",
            )
            self._resent.add(sent["MessageId"])
            self._client.delete_message(QueueUrl=self._dead, ReceiptHandle=handle)
        del self._handles[letter.id]
        return True

    def _receive_all(self) -> Collection[DeadLetter]:
        """Receive until nothing comes that is new; a group that a full batch may have cut is received once more."""
        found: dict[str, DeadLetter] = {}
        cut: dict[str, None] = {}
        while batch := {letter.id: letter for letter in self._receive()}:
            if batch.keys() <= found.keys():
                break  # it took so long that the first ones are visible again
            found |= batch
            groups = dict.fromkeys(letter.group for letter in batch.values())
            if len(batch) == _BATCH and len(groups) > 1:
                cut |= groups
        if cut and self.count() > len(found):
            for group in cut:
                part = [letter.id for letter in found.values() if letter.group == group]
                self._release(part)
                found = {key: letter for key, letter in found.items() if key not in part}
                found |= {letter.id: letter for letter in self._receive()}
        return found.values()

    def _receive(self) -> tuple[DeadLetter, ...]:
        with _translated(f"The dead letters of {self.queue} cannot be read"):
            answer = self._client.receive_message(
                QueueUrl=self._dead,
                MaxNumberOfMessages=_BATCH,
                VisibilityTimeout=HELD_SECONDS,
                WaitTimeSeconds=self._wait,
                MessageSystemAttributeNames=["All"],
                MessageAttributeNames=["All"],
            )
            messages = answer.get("Messages", [])
            self._handles |= {message["MessageId"]: message["ReceiptHandle"] for message in messages}
            # SQS moves a message under its own id; the function sends it under that id as the deduplication id.
            self._again |= {
                message["MessageId"]
                for message in messages
                if self._resent & {message["MessageId"], message["Attributes"]["MessageDeduplicationId"]}
            }
            moved = any("DeadLetterQueueSourceArn" in message["Attributes"] for message in messages)
            allowed = self._allowed_receives() if moved else None
        return tuple(_read(message, self.queue, allowed) for message in messages)

    def _allowed_receives(self) -> int | None:
        """The number of receives after which SQS moves a message, by the queue's redrive policy."""
        known = self._client.get_queue_attributes(QueueUrl=self._source, AttributeNames=["RedrivePolicy"])
        allowed = json.loads(known.get("Attributes", {}).get("RedrivePolicy", "{}")).get("maxReceiveCount")
        return None if allowed is None else int(allowed)

    @contextmanager
    def _given_back(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._release(tuple(self._handles))

    def _release(self, ids: Collection[str]) -> None:
        """Make messages visible again; what is no longer held is visible by itself."""
        handles = [self._handles.pop(key) for key in ids]
        for start in range(0, len(handles), _BATCH):
            with _translated(f"The dead letters of {self.queue} stay hidden for {HELD_SECONDS} seconds"):
                self._client.change_message_visibility_batch(
                    QueueUrl=self._dead,
                    Entries=[
                        {"Id": str(number), "ReceiptHandle": handle, "VisibilityTimeout": 0}
                        for number, handle in enumerate(handles[start : start + _BATCH])
                    ],
                )


def _read(message: "MessageTypeDef", queue: str, allowed: int | None) -> DeadLetter:
    """Read a message of a dead-letter queue, received with all its attributes.

    `queue` is the name of the queue it came from. SQS moves a message after `allowed` receives, None if the number is
    unknown.
    """
    system = message["Attributes"]
    attributes = {name: value.get("StringValue", "") for name, value in message.get("MessageAttributes", {}).items()}
    moved = "DeadLetterQueueSourceArn" in system
    attempts = attributes.get("attempts", "")
    return DeadLetter(
        id=message["MessageId"],
        queue=queue,
        group=system["MessageGroupId"],
        sent=datetime.fromtimestamp(int(system["SentTimestamp"]) / 1000, UTC),
        received=int(system["ApproximateReceiveCount"]),
        outcome=attributes.get("outcome"),
        reason=attributes.get("reason") or _without_reason(moved, allowed),
        attempts=int(attempts) if attempts.isdecimal() else allowed if moved else None,
        body=message["Body"],
        job=_job(message["Body"]),
    )


def _without_reason(moved: bool, allowed: int | None) -> str:
    if not moved:
        return "It was sent here, and no reason is recorded."
    often = "too often" if allowed is None else "once" if allowed == 1 else f"{allowed} times"
    return f"It was received {often} and no failure was logged: the function was killed, out of memory or out of time."


def _job(body: str) -> QueuedJob | None:
    for kind in (Job, Mention, ForgetJob, MergeGroupJob, RerunJob):
        with suppress(Broken):
            return kind.from_message(body)
    return None


@contextmanager
def _translated(what: str) -> Iterator[None]:
    """Unlike the functions' log, an operator may read all that AWS says."""
    try:
        yield
    except ClientError as error:
        refusal = error.response["Error"]
        raise Broken(f"{what}: SQS says {refusal['Code']}: {refusal.get('Message', '')}") from error
    except BotoCoreError as error:
        raise Broken(f"{what}: {error}") from error
