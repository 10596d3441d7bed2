"""`kodiai show`: prints the reviews of a pull request that a deployment keeps, posted or not, for operators."""

import argparse

from cli.errors import CommandError
from cli.stage import Stage
from cli.stored_repository import find_repository
from cli.stored_runs import console_for_reviews, print_run, print_runs, read_runs, write_runs
from kodiai.core.review.run import UnreadableFindings
from kodiai.edges.repository_data import DynamoRepositoryData


def run(arguments: argparse.Namespace) -> None:
    """Run the command. Raises CommandError."""
    arguments.repo, _, number = arguments.pull_request.partition("#")
    stage = Stage(arguments.stage, arguments.endpoint_url)
    with stage.named_table():
        repository = find_repository(DynamoRepositoryData(stage.table), arguments)
        try:
            result = read_runs(stage.table, repository, int(number))
        except UnreadableFindings as error:
            raise CommandError(f"{error}: was the table written by a newer release?") from error
    if not result.pushes:
        raise CommandError(
            f"No review of {arguments.pull_request} is stored: none has begun, or all have "
            "expired. The line “outcome” in the log of the review function has the reason."
        )
    console = console_for_reviews()
    if not arguments.json:
        print_runs(result, console)
        completed = [push for push in result.pushes if push.status == "completed"]
        for push in completed if arguments.all else completed[-1:]:
            print_run(push, console)
    write_runs(result, arguments.html, as_json=arguments.json, console=console)
