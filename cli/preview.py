"""`kodiai preview`: has a deployment review a pull request for the operator's eyes alone; nothing is posted."""

import argparse
import time
import uuid
from collections.abc import Callable

from cli.errors import CommandError
from cli.progress import Progress
from cli.stage import Stage
from cli.stored_runs import StoredRuns, console_for_reviews, print_run, read_runs, write_runs
from kodiai.core.config.settings import DeploymentSettings, GitHubSettings
from kodiai.core.events.job import OPERATOR, Job
from kodiai.edges.aws import translated
from kodiai.edges.github_app import GitHubApp, GitHubRepository
from kodiai.edges.parameters import SsmParameters
from kodiai.edges.preview_ledger import PreviewLedger
from kodiai.edges.queue import SqsJobQueue
from kodiai.wiring import SystemClock
from local.rendering.labels import short_sha

_LOOK_SECONDS = 1.0
_LONGEST_SECONDS = 1_800.0


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError and KodiaiError."""
    with Progress() as progress:
        result = preview(arguments.pull_request, Stage(arguments.stage, arguments.endpoint_url), progress.step)
    console = console_for_reviews()
    if not arguments.json:
        print_run(result.pushes[-1], console)
    write_runs(result, arguments.html, as_json=arguments.json, console=console)


def preview(
    pull_request: str, stage: Stage, report: Callable[[str], None], wait_seconds: float = _LONGEST_SECONDS
) -> StoredRuns:
    """Have a stage review a pull request ("owner/name#12") as if for the first time, and give the review.

    It is not posted, and later reviews do not know of it; the answers of the model are kept for them.
    `report` is called with the current step. Raises CommandError, and KodiaiError where AWS or GitHub refuses.
    """
    repository, _, number = pull_request.partition("#")
    report("looking for the pull request")
    settings, queue = _settings(stage), _queue(stage)
    job = _job(repository, int(number), settings)
    ledger = PreviewLedger(stage.table, job.ref, job.number, SystemClock())
    with stage.named_table():
        ledger.preview_outcome(job.delivery)  # whoever cannot read the table could not see the review either
    report("asking for the review")
    queue.send("reviews", job)
    with stage.named_table():
        run_id = _wait(ledger, job, report, time.monotonic() + wait_seconds)
        return read_runs(stage.table, job.ref, job.number, only=run_id)


def _settings(stage: Stage) -> DeploymentSettings:
    parameters = SsmParameters(stage.client("ssm"), stage.prefix)
    if not parameters.read():
        raise CommandError(f"There are no parameters below {stage.prefix}: check the stage and the region.")
    return parameters.settings(DeploymentSettings.from_parameters)


def _queue(stage: Stage) -> SqsJobQueue:
    sqs, name = stage.client("sqs"), f"kodiai-{stage.name}-reviews.fifo"
    with translated(f"The queue {name} cannot be found", "SQS", with_message=True):
        return SqsJobQueue(sqs, {"reviews": sqs.get_queue_url(QueueName=name)["QueueUrl"]})


def _job(name: str, number: int, settings: DeploymentSettings) -> Job:
    """The request for a preview, with what GitHub knows of the repository. Raises CommandError and KodiaiError."""
    installation = _installation(name, settings.github)
    with GitHubRepository(settings.github, name, installation) as github:
        repository = github.ref()
        if not github.has_pull_request(number):
            raise CommandError(f"{repository.name} has no pull request {number}.")
    if (why := settings.repositories.why_not(repository.name)) is not None:
        raise CommandError(f"This stage does not serve the repository: {why}.")
    return Job(
        delivery=f"preview-{uuid.uuid4()}",
        installation=installation,
        sender=OPERATOR,
        repository=repository.name,
        repository_id=repository.id,
        owner_id=repository.owner_id,
        number=number,
        trigger="review_requested",
        preview=True,
    )


def _installation(name: str, settings: GitHubSettings) -> int | None:
    """The installation of the App on a repository, None with a token."""
    if settings.token is not None:
        return None
    with GitHubApp(settings) as app:
        found = app.installation_on(name)
    if found is None:
        raise CommandError(f"The App is not installed on {name}: check the name, or install it there.")
    return found


def _wait(ledger: PreviewLedger, job: Job, report: Callable[[str], None], end: float) -> str:
    """Wait until the review is kept; the id of its run. Raises CommandError."""
    while time.monotonic() < end:
        outcome = ledger.preview_outcome(job.delivery)
        match outcome.status if outcome else "continued":
            case "completed" if outcome:
                return str(outcome.facts["run"])
            case "retry" if outcome:
                report(f"waiting to try again: {outcome.reason}")
            case "continued" | "superseded":
                run = ledger.under_way()
                report(f"reviewing {short_sha(run.head)}" if run else "waiting for the review function")
            case _ if outcome:
                raise CommandError(f"{job.subject} was not reviewed: {outcome.reason}")
        time.sleep(_LOOK_SECONDS)
    raise CommandError(
        "There is no review yet. `kodiai show` prints it once it is done; "
        "`kodiai dead-letters list` and the log of the review function say whether it failed."
    )
