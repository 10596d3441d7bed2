"""A queue of the template with its dead letters, buried as the function, SQS and a person do it."""

import json
from dataclasses import dataclass
from typing import Any

from kodiai.core.events.job import Job
from kodiai.edges.queue import SqsMessages
from local.aws import Clock
from tests import builders
from tests.local.aws.fifo import Fifo

NO_REASON = "It was sent here, and no reason is recorded."
KILLED = "It was received 5 times and no failure was logged: the function was killed, out of memory or out of time."
GROUP = "octo/hello#7"


def a_job(number: int = 7, delivery: str = "guid-7") -> Job:
    known = {"repository": "octo/hello", "trigger": "review_requested", "sender": "octocat", "installation": None}
    return builders.a_job(delivery=delivery, number=number, **known)


@dataclass(frozen=True)
class Queues:
    """A queue, and the one where its dead letters lie."""

    live: Fifo
    dead: Fifo

    @classmethod
    def create(cls, sqs: Any, clock: Clock, stage: str, name: str = "reviews") -> "Queues":
        """Create both as the template does."""
        fifo = {"FifoQueue": "true", "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"}

        def created(name: str, **more: str) -> Fifo:
            answer = sqs.create_queue(QueueName=f"kodiai-{stage}-{name}.fifo", Attributes={**fifo, **more})
            return Fifo(sqs, clock, answer["QueueUrl"])

        dead = created(f"{name}-dead")
        policy = json.dumps({"deadLetterTargetArn": dead.arn, "maxReceiveCount": 5})
        return cls(created(name, RedrivePolicy=policy), dead)

    def put(self, job: Job) -> None:
        """Send a job."""
        self.live.send(job.to_message(), job.group_id, MessageDeduplicationId=job.delivery)

    def bury(self, body: str, group: str = GROUP, **attributes: str) -> str:
        """Send a dead letter by hand; its id."""
        given = {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()}
        return str(self.dead.send(body, group, MessageAttributes=given)["MessageId"])

    def bury_by_function(self, outcome: str = "retry", reason: str = "GitHub says 502.") -> None:
        """End the next message as the function ends one that it cannot process."""
        message = self.live.take()
        record = {
            "messageId": message["MessageId"],
            "body": message["Body"],
            "attributes": {**message["Attributes"], "ApproximateReceiveCount": "5"},
        }
        SqsMessages(self.live.sqs, self.live.url, self.dead.url, 5).send_to_dlq(record, outcome, reason)
        self.live.delete(message)

    def bury_by_sqs(self) -> None:
        """Kill the function five times over the next message."""
        for _ in range(5):
            self.live.hide(self.live.take(), 0)
        assert self.live.receive() == []
