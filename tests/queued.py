"""Jobs that reach a running system's queue without a webhook."""

from typing import Any

from kodiai.core.events.job import Job
from local.github import LocalGitHub
from local.machine import LocalMachine


def job_of(github: LocalGitHub, number: int, **given: Any) -> Job:
    """A job for a pull request of the repository, which octocat caused."""
    ref = github.repository.ref
    place = {"repository": ref.name, "repository_id": ref.id, "owner_id": ref.owner_id, "number": number}
    return Job(**{**place, "installation": github.installation_id, "sender": "octocat", **given})


def put_into_queue(machine: LocalMachine, body: str, group: str, deduplication_id: str) -> None:
    """Send a message to the review function, which need not be a job."""
    machine.aws.client("sqs").send_message(
        QueueUrl=machine.system.environment["KODIAI_REVIEWS_QUEUE_URL"],
        MessageBody=body,
        MessageGroupId=group,
        MessageDeduplicationId=deduplication_id,
    )
