"""What people do to a pull request that is there."""

from kodiai.core.events.job import Job
from tests.faults.scene import Scene
from tests.git_repository import Files


def push(scene: Scene, number: int, files: Files | None = None) -> None:
    """Push a commit of these files, or of one more file in which nothing is wrong."""
    head = scene.github.state.pulls[number].head_sha
    scene.github.push(number, scene.commit(files or {f"src/more_{number}.py": f"n = {number}\n"}, head))


def commit_anew(scene: Scene, number: int) -> None:
    """Push the same change in a new commit, to a pull request that is opened again where it was closed.

    Where the run before it was completed and remembered, nothing is asked and nothing is posted.
    """
    pull = scene.github.state.pulls[number]
    if pull.state == "closed":
        scene.github.reopen(number)
    scene.github.push(number, scene.repository.commit_again(pull.head_sha))


def ask_again(scene: Scene, number: int) -> None:
    """Let the last request for a review come once more, so late that SQS no longer knows that it is a repeat."""
    last = [each for each in scene.github.deliveries if each.payload.get("number") == number][-1]
    job = Job(
        delivery=last.guid,
        repository=scene.github.full_name,
        number=number,
        installation=scene.github.installation_id,
        trigger="review_requested",
        sender="octocat",
    )
    sqs = scene.machine.aws.client("sqs")
    url = sqs.get_queue_url(QueueName="kodiai-dev-reviews.fifo")["QueueUrl"]
    sqs.send_message(
        QueueUrl=url,
        MessageBody=job.to_message(),
        MessageGroupId=job.group_id,
        MessageDeduplicationId=f"late-{last.guid}",
    )
