"""A message that could not be done: what SQS and the function tell of it."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kodiai.core.errors import Broken
from kodiai.core.events.job import Job, Mention

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef


@dataclass(frozen=True)
class DeadLetter:
    """One message that could not be done.

    `id` is the message's in the dead-letter queue, `queue` the name of the queue it came from, `sent` when it died.
    `received` counts every receive, ours included; of a message that SQS moved also those before it died.
    `outcome` is "broken", "retry" or "crashed", None where the function never said; `attempts` is how often it
    was tried, None where nobody knows. `job` is None where the body is none.
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
    job: Job | Mention | None


def read_dead_letter(message: "MessageTypeDef", queue: str, allowed: int | None) -> DeadLetter:
    """Read a message of a dead-letter queue, received with all its attributes.

    `queue` is the name of the queue it came from, `allowed` how often a message may be received before SQS moves it,
    None where that is not known.
    """
    system = message["Attributes"]
    said = {name: value.get("StringValue", "") for name, value in message.get("MessageAttributes", {}).items()}
    moved = "DeadLetterQueueSourceArn" in system
    attempts = said.get("attempts", "")
    return DeadLetter(
        id=message["MessageId"],
        queue=queue,
        group=system["MessageGroupId"],
        sent=datetime.fromtimestamp(int(system["SentTimestamp"]) / 1000, UTC),
        received=int(system["ApproximateReceiveCount"]),
        outcome=said.get("outcome"),
        reason=said.get("reason") or _unsaid(moved, allowed),
        attempts=int(attempts) if attempts.isdecimal() else allowed if moved else None,
        body=message["Body"],
        job=_job(message["Body"]),
    )


def _unsaid(moved: bool, allowed: int | None) -> str:
    if not moved:
        return "It was sent here without a reason."
    often = "too often" if allowed is None else "once" if allowed == 1 else f"{allowed} times"
    return f"It was received {often} and the function never said why: killed, out of memory or out of time."


def _job(body: str) -> Job | Mention | None:
    for kind in (Job, Mention):
        with suppress(Broken):
            return kind.from_message(body)
    return None
